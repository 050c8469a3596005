import type { Server } from "node:http";
import type { AddressInfo, Server as Door } from "node:net";

import { createAdaptorServer } from "@hono/node-server";

export interface Listener {
  /** Origin, such as http://127.0.0.1:54321. */
  url: string;
  /** Takes no new requests, and resolves when those under way are answered (3 s at most). */
  close(): Promise<void>;
}

const DRAIN_MS = 3_000;
const KEEP_ALIVE_MS = 10 * 60_000;

/**
 * Serves on 127.0.0.1 alone: nothing here is meant for a network.
 * @param door a port (0: any free one), or one that is listened on already
 */
export async function listenOnLoopback(
  door: number | Door,
  answer: (request: Request) => Promise<Response>,
): Promise<Listener> {
  const server = createAdaptorServer({ fetch: answer }) as Server;
  // Longer than any client keeps an idle connection: with Node's 5 s, a busy machine now and then
  // sends a request into one that is being closed.
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    const opened = () => {
      server.off("error", reject);
      resolve();
    };
    if (typeof door === "number") server.listen(door, "127.0.0.1", opened);
    else server.listen(door, opened);
  });
  const { port: taken } = server.address() as AddressInfo;

  return {
    url: `http://127.0.0.1:${taken}`,
    close() {
      return new Promise((resolve) => {
        const deadline = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
        server.close(() => {
          clearTimeout(deadline);
          resolve();
        });
        server.closeIdleConnections();
      });
    },
  };
}
