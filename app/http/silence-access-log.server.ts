import { createRequire } from "node:module";

/** The part of remix-serve's logger that is used here. */
interface AccessLog {
  format: (name: string, line: () => undefined) => void;
}

const ADDRESS = "[remix-serve] ";

/**
 * Keeps remix-serve from printing lines of its own, so that every line of the log is JSON. (It
 * prints one for each request, without a time or an id, and one with its address.) It can't be
 * configured. But it loads this app before it looks up the format "tiny", and its logger (morgan)
 * prints nothing when a format returns nothing.
 */
export function silenceAccessLog(): void {
  const { resolve } = createRequire(import.meta.url);
  const remixServe = createRequire(resolve("@remix-run/serve/package.json"));
  (remixServe("morgan") as AccessLog).format("tiny", () => undefined);
  const output = globalThis.console;
  const print = output.log;
  output.log = (...parts: unknown[]) => {
    if (!String(parts[0]).startsWith(ADDRESS)) print(...parts);
  };
}
