import { subscribe } from "node:diagnostics_channel";
import { Server, type IncomingMessage, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { setImmediate as nextTurn, setTimeout as wait } from "node:timers/promises";

import { env } from "~/env.server";
import { endCallsWithin } from "~/integrations/upstream/call-upstream.server";

import { hurryBackgroundWork, reportUnfinishedWork } from "./background.server";
import { openResponses } from "./open-requests.server";

/** Whoever asked the process to end may kill it at that time, so it ends this much earlier. */
const MARGIN_MS = 500;
/** For sending the responses that say that a call took too long. */
const RESPOND_MS = 1_500;
/** For this long at most, connections that were on their way are still accepted. */
const ACCEPT_MS = 1_000;
/** When nothing arrived for this long, nothing is on its way. */
const QUIET_MS = 50;

let ending = false;
let arrivals = 0;
/** Connections on which no request has arrived yet. */
const unused = new Set<Socket>();

/**
 * Ends the process well when it is asked to (SIGTERM, SIGINT), within STOP_SECONDS. remix-serve then
 * closes its server, which would reset the connections that wait to be accepted, and those whose next
 * request is on its way. Instead:
 *
 * 1. For a moment the server goes on accepting, until nothing arrives any more.
 * 2. Every response from now on closes its connection.
 * 3. What a request still waits for is ended in time to say so in its response.
 * 4. Work that began after a response gets its last attempt; what is not done is reported.
 */
export function drainAtEnd(): void {
  subscribe("net.server.socket", (message) => {
    const { socket } = message as { socket: Socket };
    arrivals += 1;
    unused.add(socket);
    socket.once("close", () => unused.delete(socket));
  });
  subscribe("http.server.request.start", (message) => {
    const { request, response } = message as { request: IncomingMessage; response: ServerResponse };
    arrivals += 1;
    unused.delete(request.socket);
    if (ending) closeAfter(response);
  });
  const close = Object.getOwnPropertyDescriptor(Server.prototype, "close")!
    .value as Server["close"];
  Server.prototype.close = function (this: Server, callback?: (error?: Error) => void) {
    if (!ending) return close.call(this, callback);
    void untilNothingArrives().then(() => {
      close.call(this, (error) => void (error && callback?.(error)));
      for (const socket of unused) if (socket.bytesRead === 0) socket.destroySoon();
    });
    return this;
  };
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, begin);
}

function begin(): void {
  if (ending) return;
  ending = true;
  const endMs = env().stopSeconds * 1_000 - MARGIN_MS;
  endCallsWithin(endMs - RESPOND_MS);
  for (const response of openResponses()) closeAfter(response);
  hurryBackgroundWork();
  setTimeout(() => {
    reportUnfinishedWork();
    process.exit(0);
  }, endMs).unref();
}

/** Closes the connection of a response once it is sent. */
function closeAfter(response: ServerResponse): void {
  if (response.headersSent) response.once("finish", () => response.req.socket.end());
  else response.setHeader("Connection", "close");
}

/** Waits until no connection and no request arrives for a moment. */
async function untilNothingArrives(): Promise<void> {
  const started = performance.now();
  for (let before = -1; before !== arrivals && performance.now() - started < ACCEPT_MS;) {
    before = arrivals;
    await wait(QUIET_MS);
    // What came while this process was busy is accepted before the next turn.
    await nextTurn();
  }
}
