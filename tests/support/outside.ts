/**
 * The services outside of the app and its Supabase. A test defines their answers with
 * `outside.use(http.get(...))`; a request to anything else fails at once, and fails the test.
 * Loopback is excluded: the servers that the tests start run there.
 */
import { setupServer } from "msw/node";

import { processWide } from "./process-wide";

/** The MSW server of this test file. Handlers added with `outside.use` last for one test. */
export const outside = processWide("outside", () => setupServer());

const loopback = new Set(["127.0.0.1", "localhost", "[::1]"]);
const unhandled = processWide<string[]>("outside.unhandled", () => []);

/** Watches `fetch` from now on. @returns ends it */
export function watchOutside(): () => void {
  outside.listen({
    onUnhandledRequest(request) {
      const url = new URL(request.url);
      if (loopback.has(url.hostname)) return;
      const described = `${request.method} ${url.origin}${url.pathname}`;
      unhandled.push(described);
      throw new Error(`There is no handler for ${described}`);
    },
  });
  return () => outside.close();
}

/** Returns the requests without a handler since the last call. */
export function takeUnhandledRequests(): string[] {
  return unhandled.splice(0);
}
