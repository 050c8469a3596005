import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";

import type { Engine } from "./engine";
import { fingerprint } from "./snapshot";
import type { SchemaStorage } from "./stand-in";

/**
 * Stores what the data API has read of the schema (tables, keys, functions), which takes it about
 * 300 ms, in `.cache/` under the fingerprint of the migrations. Only for databases that are exactly
 * what the migrations created.
 */
export class SchemaCache implements SchemaStorage {
  readonly #file: string | undefined;

  private constructor(file: string | undefined) {
    this.#file = file;
  }

  static async of(project: string, engine: Engine["kind"]): Promise<SchemaCache> {
    const name = `schema-2-${engine}-${await fingerprint(project)}.json`;
    return new SchemaCache(join(project, ".cache", name));
  }

  /** For a database that may differ from the migrations: nothing is stored. */
  static none(): SchemaCache {
    return new SchemaCache(undefined);
  }

  async get(): Promise<string | undefined> {
    if (!this.#file) return undefined;
    return readFile(this.#file, "utf8").catch(() => undefined);
  }

  async set(_key: string, value: string): Promise<void> {
    if (!this.#file) return;
    const fresh = `${this.#file}.${process.pid}`;
    // Without the folder nothing is cached, which does no harm.
    await writeFile(fresh, shortenViews(value)).then(
      () => rename(fresh, this.#file!),
      () => undefined,
    );
  }

  async delete(): Promise<void> {
    // The fingerprint changes with the schema, so what is stored under it stays right.
  }
}

/**
 * The stored schema, prepared so that the data API is quick with it. For the type of every column
 * of a view, it searches the text of the first view of that name at each request, although a
 * Postgres tells it the type anyway. That took a twentieth of the tests' time. So an empty view
 * comes first, in no schema. Only the part of the text that says what the view reads from is
 * needed.
 */
function shortenViews(value: string): string {
  const schema = JSON.parse(value) as { views: { name: string; sql: string | null }[] };
  const views = schema.views.map((view) => ({
    ...view,
    sql: /\bfrom\s+[\w."]+/i.exec(view.sql ?? "")?.[0],
  }));
  const empty = views.map(({ name }) => ({ name, schema: "", sql: "" }));
  return JSON.stringify({ ...schema, views: [...empty, ...views] });
}
