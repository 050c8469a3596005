import { subscribe } from "node:diagnostics_channel";
import { Server, type IncomingMessage, type ServerResponse } from "node:http";
import { Server as NetServer, type Socket } from "node:net";
import { setImmediate as nextTurn, setTimeout as wait } from "node:timers/promises";

import { env } from "~/env.server";
import { endCallsWithin } from "~/integrations/upstream/call-upstream.server";

import { hurryBackgroundWork, reportUnfinishedWork } from "./background.server";
import { openResponses } from "./open-requests.server";

/** Whatever asked the process to end may kill it at that time, so it ends this much earlier. */
const MARGIN_MS = 500;
/** For sending the responses that say that a call took too long. */
const RESPOND_MS = 1_500;
/** For this long at most, the server still accepts connections that are waiting. */
const ACCEPT_MS = 2_500;
/** When no connection was accepted for this long, none is waiting. */
const QUIET_MS = 50;
/** For this long, the next request on a connection that is open may still be on its way. */
const LINGER_MS = 1_000;

let ending = false;
let closing = false;
let accepted = 0;
/** Connections on which no request has arrived yet. */
const unused = new Set<Socket>();

/**
 * Ends the process gracefully when it is asked to end (SIGTERM, SIGINT), within STOP_SECONDS.
 * remix-serve then closes its server, which would reset the connections that are waiting to be
 * accepted, and those whose next request is on its way. Instead:
 *
 * 1. The server goes on for a moment, until no connection waits to be accepted.
 * 2. It accepts no more, and every response from now on closes its connection. A client that connects
 *    anew is refused, and can send its request to another instance.
 * 3. What a request still waits for is ended in time to say so in its response.
 * 4. Work that began after a response gets its last attempt; what is not done is reported.
 */
export function drainAtEnd(): void {
  subscribe("net.server.socket", (message) => {
    const { socket } = message as { socket: Socket };
    accepted += 1;
    unused.add(socket);
    socket.once("close", () => unused.delete(socket));
  });
  subscribe("http.server.request.start", (message) => {
    const { request, response } = message as { request: IncomingMessage; response: ServerResponse };
    unused.delete(request.socket);
    if (closing) closeAfter(response);
  });
  const close = Object.getOwnPropertyDescriptor(Server.prototype, "close")!
    .value as Server["close"];
  Server.prototype.close = function (this: Server, callback?: (error?: Error) => void) {
    if (!ending) return close.call(this, callback);
    void closeGently(this, (error) => void (error && callback?.(error)));
    return this;
  };
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, begin);
}

function begin(): void {
  if (ending) return;
  ending = true;
  const endMs = env().stopSeconds * 1_000 - MARGIN_MS;
  endCallsWithin(endMs - RESPOND_MS);
  hurryBackgroundWork();
  setTimeout(() => {
    reportUnfinishedWork();
    process.exit(0);
  }, endMs).unref();
}

async function closeGently(server: Server, callback: (error?: Error) => void): Promise<void> {
  await untilNoneWaits();
  // The close of a plain server, which accepts no more connections and leaves the open ones alone.
  NetServer.prototype.close.call(server, callback);
  closing = true;
  for (const response of openResponses()) closeAfter(response);
  await wait(LINGER_MS);
  await nextTurn();
  server.closeIdleConnections();
  for (const socket of unused) if (socket.bytesRead === 0) socket.destroySoon();
}

/** Closes the connection of a response once it is sent. */
function closeAfter(response: ServerResponse): void {
  if (response.headersSent) response.once("finish", () => response.req.socket.end());
  else response.setHeader("Connection", "close");
}

/**
 * Waits until no connection is waiting to be accepted. In each turn, Node accepts one at least;
 * under load a turn is long.
 */
async function untilNoneWaits(): Promise<void> {
  const started = performance.now();
  for (let before = -1; before !== accepted && performance.now() - started < ACCEPT_MS;) {
    before = accepted;
    await wait(QUIET_MS);
    await nextTurn();
  }
}
