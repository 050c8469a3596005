import { AsyncLocalStorage } from "node:async_hooks";

/**
 * The stand-in prints every database error to `console.error`, even one that is an ordinary answer,
 * such as a refused form. What it prints during a request goes to a separate log, so that real
 * problems stay visible, and so that a test can fail on an unexpected `console.error` of the app.
 */
type Log = (line: string, ...rest: unknown[]) => void;

const redirection = new AsyncLocalStorage<Log>();
type Print = (this: void, ...parts: unknown[]) => void;
const wrapped = new WeakSet<Print>();

/** Runs work; what it prints with `console.error` and `console.warn` goes to `log`. */
export function withConsoleRedirected<Result>(
  log: Log,
  work: () => Promise<Result>,
): Promise<Result> {
  redirect("error");
  redirect("warn");
  return redirection.run(log, work);
}

function redirect(level: "error" | "warn"): void {
  const printers: Record<"error" | "warn", Print> = console;
  const original = printers[level];
  if (wrapped.has(original)) return;
  const redirected: Print = (...parts) => {
    const log = redirection.getStore();
    if (log) log(level, ...parts);
    else original(...parts);
  };
  wrapped.add(redirected);
  printers[level] = redirected;
}
