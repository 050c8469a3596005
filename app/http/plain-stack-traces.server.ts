/**
 * Leaves stack traces as Node writes them. remix-serve looks up each of their lines in the source
 * map of its file. Our build has no source maps, so that would only help with lines of packages.
 * But the Stripe SDK reads a stack trace with each call, and loading its map would keep the first
 * call, and everyone else, waiting for 60 ms.
 */
export function plainStackTraces(): void {
  Reflect.deleteProperty(Error, "prepareStackTrace");
}
