import { AsyncLocalStorage } from "node:async_hooks";

/**
 * The stand-in prints every database error to `console.error`, also those that are an ordinary
 * answer, such as a refused form. What it prints while it works on a request goes to a log of its
 * own, so that real problems stay visible, and so that a test may fail on an unexpected
 * `console.error` of the app.
 */
type Log = (line: string, ...rest: unknown[]) => void;

const listening = new AsyncLocalStorage<Log>();
type Print = (this: void, ...parts: unknown[]) => void;
const wrapped = new WeakSet<Print>();

/** Runs work whose `console.error` and `console.warn` go to `log`. */
export function withConsoleTo<Result>(log: Log, work: () => Promise<Result>): Promise<Result> {
  divert("error");
  divert("warn");
  return listening.run(log, work);
}

/** True inside such work: for those who watch `console.error` themselves. */
export function consoleIsDiverted(): boolean {
  return listening.getStore() !== undefined;
}

function divert(level: "error" | "warn"): void {
  const printers: Record<"error" | "warn", Print> = console;
  const original = printers[level];
  if (wrapped.has(original)) return;
  const diverted: Print = (...parts) => {
    const log = listening.getStore();
    if (log) log(level, ...parts);
    else original(...parts);
  };
  wrapped.add(diverted);
  printers[level] = diverted;
}
