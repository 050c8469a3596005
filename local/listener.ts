import type { Server } from "node:http";
import type { AddressInfo, Server as ListeningServer } from "node:net";

import { createAdaptorServer } from "@hono/node-server";

export interface Listener {
  /** Origin, such as http://127.0.0.1:54321. */
  url: string;
  /** Stops accepting requests; resolves when the current ones are answered, after 3 s at most. */
  close(): Promise<void>;
}

const DRAIN_MS = 3_000;
const KEEP_ALIVE_MS = 10 * 60_000;

/**
 * Serves HTTP on 127.0.0.1 only: nothing here is meant for a network.
 * @param port a port number (0 for any free one), or a server that already listens
 */
export async function listenOnLoopback(
  port: number | ListeningServer,
  answer: (request: Request) => Promise<Response>,
): Promise<Listener> {
  const server = createAdaptorServer({ fetch: answer }) as Server;
  // Longer than any client keeps an idle connection. With Node's default of 5 s, a busy client now
  // and then sends a request over a connection that is just being closed.
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    const opened = () => {
      server.off("error", reject);
      resolve();
    };
    if (typeof port === "number") server.listen(port, "127.0.0.1", opened);
    else server.listen(port, opened);
  });
  const address = server.address() as AddressInfo;

  return {
    url: `http://127.0.0.1:${address.port}`,
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
