/** The harmless page to which "Leave quickly" leads, on this machine. */
import { createServer as createHttpServer } from "node:http";
import { createServer } from "node:https";
import { connect, type AddressInfo, type Socket } from "node:net";

import getTlsOptions from "smtp-server/lib/tls-options.js";

const HOST = "www.weather.gov";

export interface HarmlessSite {
  /** Its port, with TLS, for a browser that can be told where its host is. */
  port: number;
  /** The port of a proxy whose tunnels all lead there, for the others. Browsers ask none for this machine. */
  proxyPort: number;
  /** Other hosts that the proxy was asked for. */
  others: readonly string[];
  /** Lets the page take its time. */
  comesAfter(condition: Promise<unknown>): void;
  stop(): Promise<void>;
}

/** Starts it. Its title is "Weather". */
export async function startHarmlessSite(): Promise<HarmlessSite> {
  let condition: Promise<unknown> = Promise.resolve();
  const others: string[] = [];
  // With the certificate that the mail server's package has for tests. `no-store`, as our pages are: a browser keeps such
  // pages in memory (Chromium) or it doesn't (Firefox).
  const site = createServer(getTlsOptions(), (_, response) => {
    response.setHeader("Cache-Control", "no-store");
    void condition.then(() => response.end("<title>Weather</title><h1>Weather</h1>"));
  });
  const portOf = (server: typeof site | typeof proxy) => (server.address() as AddressInfo).port;
  const proxy = createHttpServer((request, response) => {
    others.push(request.url!);
    response.writeHead(502).end();
  }).on("connect", ({ url }, socket) => {
    if (url !== `${HOST}:443`) others.push(url!);
    const there = connect(portOf(site), "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      there.pipe(socket).pipe(there);
    });
    // Either side may end in the middle of something.
    for (const one of [there, socket])
      one.on("error", () => [there, socket].map((end) => end.destroy()));
  });
  // A tunnel isn't one of the connections that a server closes.
  const sockets = new Set<Socket>();
  proxy.on("connection", (socket: Socket) => sockets.add(socket));
  for (const server of [site, proxy])
    await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));

  return {
    port: portOf(site),
    proxyPort: portOf(proxy),
    others,
    comesAfter(promise) {
      condition = promise;
    },
    async stop() {
      site.closeAllConnections();
      for (const socket of sockets) socket.destroy();
      for (const server of [proxy, site]) await new Promise((closed) => server.close(closed));
    },
  };
}
