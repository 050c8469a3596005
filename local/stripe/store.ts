import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";

import type { Records, RecordType } from "./records";

type Write = [type: RecordType, id: string, value: Records[RecordType] | null];

/**
 * Keeps the records in memory and, when it has a file, in a journal. A transaction is one line,
 * appended when it is complete, so a process that is killed loses at most the transaction that it
 * was writing. Opening a file reads the journal and rewrites it without outdated values.
 */
export class Store {
  readonly #records = new Map<RecordType, Map<string, Records[RecordType]>>();
  readonly #file: string | undefined;
  #transaction: { writes: Write[]; undo: (() => void)[] } | undefined;

  constructor(file?: string) {
    this.#file = file;
    if (!file) return;
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    if (existsSync(file)) this.#read(file);
    this.#rewrite(file);
  }

  /**
   * Applies all writes of `work` or, when it throws, none. A nested transaction is part of the
   * outer one.
   */
  transaction<Result>(work: () => Result): Result {
    if (this.#transaction) return work();
    const transaction = (this.#transaction = {
      writes: [] as Write[],
      undo: [] as (() => void)[],
    });
    try {
      const result = work();
      if (this.#file && transaction.writes.length > 0) append(this.#file, transaction.writes);
      return result;
    } catch (problem) {
      for (const undo of transaction.undo.reverse()) undo();
      throw problem;
    } finally {
      this.#transaction = undefined;
    }
  }

  find<T extends RecordType>(type: T, id: string): Records[T] | undefined {
    return this.#recordsOf(type).get(id);
  }

  /** All records of a type, newest first. */
  all<T extends RecordType>(type: T): Records[T][] {
    return [...this.#recordsOf(type).values()].reverse();
  }

  /**
   * Only within a transaction. The value is frozen: to change a record, put a new value in its
   * place.
   */
  put<T extends RecordType, Value extends Records[T]>(type: T, id: string, value: Value): Value {
    this.#write(type, id, freeze(value));
    return value;
  }

  remove(type: RecordType, id: string): void {
    this.#write(type, id, null);
  }

  #recordsOf<T extends RecordType>(type: T): Map<string, Records[T]> {
    const known = this.#records.get(type);
    const records = known ?? new Map<string, Records[RecordType]>();
    if (!known) this.#records.set(type, records);
    return records as Map<string, Records[T]>;
  }

  #write(type: RecordType, id: string, value: Records[RecordType] | null): void {
    if (!this.#transaction) throw new Error(`${type} ${id} was written outside of a transaction.`);
    const records = this.#recordsOf<RecordType>(type);
    const before = records.get(id);
    this.#transaction.undo.push(() => (before ? records.set(id, before) : records.delete(id)));
    this.#transaction.writes.push([type, id, value]);
    if (value) records.set(id, value);
    else records.delete(id);
  }

  #read(file: string): void {
    const lines = readFileSync(file, "utf8").split("\n").filter(Boolean);
    lines.forEach((line, index) => {
      let writes: Write[];
      try {
        writes = JSON.parse(line) as Write[];
      } catch {
        // The process was killed while it wrote the last line, before it answered the request.
        if (index === lines.length - 1) return;
        throw new Error(
          `${file} is damaged in line ${index + 1}. \`npm run reset\` begins again with fresh demo data.`,
        );
      }
      for (const [type, id, value] of writes) {
        if (value) this.#recordsOf(type).set(id, freeze(value));
        else this.#recordsOf(type).delete(id);
      }
    });
  }

  #rewrite(file: string): void {
    const writes = [...this.#records].flatMap(([type, records]) =>
      [...records].map(([id, value]): Write => [type, id, value]),
    );
    const lines = writes.map((write) => `${JSON.stringify([write])}\n`).join("");
    writeFileSync(`${file}.new`, lines, { mode: 0o600 });
    renameSync(`${file}.new`, file);
  }
}

function append(file: string, writes: Write[]): void {
  appendFileSync(file, `${JSON.stringify(writes)}\n`, { mode: 0o600 });
}

function freeze<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  for (const inner of Object.values(value)) freeze(inner);
  return Object.freeze(value);
}
