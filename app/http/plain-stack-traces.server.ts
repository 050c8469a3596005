/**
 * Leaves stack traces as Node writes them. remix-serve looks each of their lines up in the source map of its file. Our
 * build has none, so this helps with lines of packages alone: the Stripe SDK reads a stack trace with each call, and its
 * map would keep the first one, and everyone else, waiting for 60 ms.
 */
export function plainStackTraces(): void {
  Reflect.deleteProperty(Error, "prepareStackTrace");
}
