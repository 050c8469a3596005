import { subscribe } from "node:diagnostics_channel";
import type { IncomingMessage, RequestListener, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";

import { chooseCompressedFile } from "./compressed-files.server";
import { renderFailure } from "./failure-document.server";
import { buildFailurePolicy, POLICY_HEADER, setSecurityHeaders } from "./security-headers.server";

/**
 * Works around remix-serve, which has no middleware, through Node's `http.server.request.start`
 * channel:
 *
 * 1. Every response has the security headers: pages, files, and what Express answers by itself.
 * 2. A request that Remix or Express would fail on (TRACE, an address that can't be decoded) is
 *    answered in words, and not with a bare 500 or 400 and a stack trace in the log.
 * 3. A response to a form that is still being sent (413, 403), or to a request that Node can't read (400, 431), arrives,
 *    and the connection is closed.
 * 4. No redirect has a longer address than proxies take.
 * 5. Connections of a proxy stay open for longer than the proxy keeps them.
 * 6. The files that pages load are sent as they were compressed when they were built.
 * 7. Icons whose names stay the same are kept for an hour, and not for a year.
 */
export function guardServers(): void {
  subscribe("http.server.request.start", (message) => {
    const { request, response, server } = message as {
      request: IncomingMessage;
      response: ServerResponse;
      server: Server;
    };
    guardServer(server);
    guardResponse(request, response);
  });
}

const guarded = new WeakSet<Server>();

/**
 * Longer than common proxies keep an idle connection (60 seconds at nginx, AWS, and Azure).
 * Otherwise a proxy now and then sends a request just as we close its connection, and its visitor
 * gets a 502.
 */
const KEEP_ALIVE_MS = 75_000;

/**
 * Keeps the connections of a proxy open. Node closes them after five seconds; and the time for the head of
 * a request must be longer than that between requests.
 */
export function keepConnections(server: Pick<Server, "keepAliveTimeout" | "headersTimeout">): void {
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.headersTimeout = KEEP_ALIVE_MS + 5_000;
}

/** The icons that browsers ask for by themselves, in public/. */
const ICON = /^\/(favicon\.ico|apple-touch-icon\.png)(\?|$)/;

/** Puts the check of requests before the listeners of a server, once. */
function guardServer(server: Server): void {
  if (guarded.has(server)) return;
  guarded.add(server);
  keepConnections(server);
  server.on("clientError", refuseUnreadable);
  const listeners = server.listeners("request") as RequestListener[];
  server.removeAllListeners("request");
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    const refusal = checkRequest(request);
    if (refusal) return refuse(request, response, refusal);
    chooseCompressedFile(request, response);
    // remix-serve would let browsers keep them for a year, like the files with a hash in their
    // name. Express doesn't replace a header that is set.
    if (ICON.test(request.url ?? "")) response.setHeader("Cache-Control", "public, max-age=3600");
    for (const listener of listeners) listener.call(server, request, response);
  });
}

// ---------------------------------------------------------------- requests

interface Refusal {
  status: 400 | 405;
  title: string;
  message: string;
}

const UNREADABLE: Refusal = {
  status: 400,
  title: "That address isn’t valid",
  message: "There’s a mistake in it. Please check it, or go to Home.",
};
const WRONG_METHOD: Refusal = {
  status: 405,
  title: "That link or button didn’t work",
  message: "Please go to Home and try again.",
};
/** The methods that the web's own Request does not accept. */
const IMPOSSIBLE_METHODS = new Set(["TRACE", "TRACK", "CONNECT"]);

/**
 * Why a request can't be handled; null when it can. Reduces an absolute address to its path, and asks for all
 * of it (RFC 9110, section 14.2: a server may ignore `Range`).
 */
function checkRequest(request: IncomingMessage): Refusal | null {
  if (IMPOSSIBLE_METHODS.has(request.method ?? "")) return WRONG_METHOD;
  request.url = (request.url ?? "/").replace(/^https?:\/\/[^/?#]*(?=\/)/i, "");
  // Nothing here is long enough to be read in parts, and Express logs a request for an impossible
  // part, or for a file of another version, as an error.
  for (const name of ["range", "if-match", "if-unmodified-since"]) delete request.headers[name];
  const { url, headers } = request;
  return url.startsWith("/") && canDecode(url) && isHost(headers.host) ? null : UNREADABLE;
}

function canDecode(url: string): boolean {
  try {
    decodeURIComponent(url.split("?", 1)[0]!);
    return true;
  } catch {
    return false;
  }
}

function isHost(host: string | undefined): boolean {
  return host === undefined || (/^[\w.:[\]-]+$/.test(host) && URL.canParse(`http://${host}/`));
}

function refuse(
  request: IncomingMessage,
  response: ServerResponse,
  { status, title, message }: Refusal,
): void {
  response.writeHead(status, {
    "Content-Type": "text/html; charset=utf-8",
    [POLICY_HEADER]: buildFailurePolicy(),
    ...(status === 405 ? { Allow: "GET, HEAD, POST" } : {}),
  });
  response.end(request.method === "HEAD" ? undefined : renderFailure({ title, message }));
}

/** How Node answers a request that it can't read, by the code of its error. */
const UNREADABLE_STATUS: Record<string, string> = {
  HPE_HEADER_OVERFLOW: "431 Request Header Fields Too Large",
  HPE_CHUNK_EXTENSIONS_OVERFLOW: "413 Payload Too Large",
  ERR_HTTP_REQUEST_TIMEOUT: "408 Request Timeout",
};

/** The response that each connection waits for, and the connections that were refused because of what arrived. */
const awaited = new WeakMap<Socket, ServerResponse>();
const refused = new WeakSet<Socket>();

/**
 * Answers a request that can't be read with Node's status, but closes the connection gently. Node would reset it under
 * a proxy that is still sending the body. nginx takes that for an instance that has failed, and stops passing on
 * everyone's requests to it.
 */
function refuseUnreadable(error: NodeJS.ErrnoException, connection: Duplex): void {
  const socket = connection as Socket;
  // The rest of it can't be read, either.
  if (refused.has(socket)) return;
  refused.add(socket);
  const response = awaited.get(socket);
  if (!socket.writable || response?.headersSent) return void socket.destroy(error);
  const head = [...defaultHeaders()].map(([name, value]) => `${name}: ${value}`);
  socket.end(
    [
      `HTTP/1.1 ${UNREADABLE_STATUS[error.code ?? ""] ?? "400 Bad Request"}`,
      ...head,
      "Content-Length: 0",
      "Connection: close",
      "\r\n",
    ].join("\r\n"),
  );
  // Its route may still be at work, and would write its own response.
  if (response) return void socket.destroy(error);
  socket.resume();
  destroyLater(socket);
}

// ---------------------------------------------------------------- responses

/** Images may have styles inside: Chromium applies the policy of an SVG file to the file itself. */
const IMAGE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'";

/** Adds, when the head of a response is written, what it lacks. */
function guardResponse(request: IncomingMessage, response: ServerResponse): void {
  const isImage = /\.svg(\?|$)/.test(request.url ?? "");
  const writeHead = response.writeHead.bind(response) as (...args: unknown[]) => ServerResponse;
  response.writeHead = (...args: unknown[]) => {
    for (const [name, value] of isImage ? imageHeaders() : defaultHeaders())
      if (!response.hasHeader(name)) response.setHeader(name, value);
    if (isIncomplete(request)) response.setHeader("Connection", "close");
    shortenLocation(response);
    return writeHead(...args);
  };
  awaited.set(request.socket, response);
  response.once("close", () => {
    if (awaited.get(request.socket) === response) awaited.delete(request.socket);
  });
  // Before Node's own listener, which closes the connection.
  response.once("finish", () => {
    if (isIncomplete(request)) closeGently(request);
  });
}

/** With the other headers, this stays below the 16 KB of docs/deploy/nginx.conf. */
const MAX_LOCATION = 4_000;

/**
 * Keeps a redirect to a page of ours from being too long. A redirect to the sign-in page has the address that was asked
 * for, in which each colon takes three characters. nginx would take our answer for that of an instance that has failed,
 * and stop passing on everyone's requests to it. So a long one leads to the page alone.
 */
function shortenLocation(response: ServerResponse): void {
  const location = response.getHeader("Location");
  if (typeof location !== "string" || location.length <= MAX_LOCATION || !location.startsWith("/"))
    return;
  const page = location.split("?", 1)[0]!;
  response.setHeader("Location", page.length > MAX_LOCATION ? "/" : page);
}

let cachedDefaults: Headers | undefined;
let cachedForImages: Headers | undefined;

function defaultHeaders(): Headers {
  return (cachedDefaults ??= buildHeaders());
}

function imageHeaders(): Headers {
  return (cachedForImages ??= buildHeaders(IMAGE_POLICY));
}

function buildHeaders(policy?: string): Headers {
  const headers = new Headers();
  setSecurityHeaders(headers, policy);
  return headers;
}

/** Whether a part of a request's body has not arrived yet. */
function isIncomplete(request: IncomingMessage): boolean {
  const { headers } = request;
  const hasBody =
    headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
  return hasBody && !request.complete;
}

const LINGER_MS = 10_000;

/**
 * Closes a connection whose client is still sending. If it were closed at once, the client's system
 * would drop the response with it. So whatever arrives is discarded first, for some seconds at
 * most.
 */
function closeGently(request: IncomingMessage): void {
  const socket: Socket = request.socket;
  socket.destroySoon = () => {
    socket.end();
    request.removeAllListeners("data").resume();
    request.once("end", () => socket.destroy());
    destroyLater(socket);
  };
}

function destroyLater(socket: Socket): void {
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}
