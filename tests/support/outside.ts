/**
 * What lies outside of the app and its own Supabase. A test states what the outside answers with
 * `outside.use(http.get(...))`; a request to anything else fails at once, and so does the test.
 * Loopback is not the outside: there run the servers that the tests start themselves.
 */
import { setupServer } from "msw/node";

/** The MSW server of this test file. Handlers given with `outside.use` last for one test. */
export const outside = setupServer();

const loopback = new Set(["127.0.0.1", "localhost", "[::1]"]);
const strays: string[] = [];

export function watchOutside() {
  outside.listen({
    onUnhandledRequest(request) {
      const url = new URL(request.url);
      if (loopback.has(url.hostname)) return;
      const stray = `${request.method} ${url.origin}${url.pathname}`;
      strays.push(stray);
      throw new Error(`No handler awaits ${stray}`);
    },
  });
}

/** The requests since the last call for which there was no handler. */
export function takeStrayRequests(): string[] {
  return strays.splice(0);
}
