import { randomUUID } from "node:crypto";
import { subscribe } from "node:diagnostics_channel";
import type { IncomingMessage, ServerResponse } from "node:http";

import { ORIGIN_HEADER, PEER_HEADER, REQUEST_ID_HEADER } from "./inner-headers.server";
import { trackResponse } from "./backpressure.server";

/**
 * What happens to a request before Remix sees it, through Node's `http.server.request.start` channel
 * (remix-serve offers no middleware). It does five things, each because nothing later could:
 *
 * 1. Remix answers a foreign `Origin` with a bare 500 before any action runs. The header is moved
 *    aside, so that our own check (csrf.server.ts) can refuse it with a 403 and a page.
 * 2. `X-Forwarded-Host` is dropped: Remix believes it, and anybody can send it.
 * 3. Secrets in the address (`token`, `token_hash`) are moved into a header, since remix-serve logs
 *    the whole address.
 * 4. The peer's address and a request id are attached, overwriting whatever the client sent.
 * 5. What was asked in the address is forgotten before remix-serve prints it: somebody's e-mail address that an
 *    admin searched for must not stand in the host's log.
 */
export const SECRET_PARAMS = ["token", "token_hash"] as const;
export type SecretParam = (typeof SECRET_PARAMS)[number];
const secretHeader = (name: SecretParam) => `x-dashboard-${name.replace("_", "-")}`;

const DRAIN_MS = 8_000;
const STATIC_HEADERS = {
  "X-Content-Type-Options": "nosniff",
  "Cross-Origin-Resource-Policy": "same-origin",
};

/** Rewrites one request's headers and address in place. Exported for its tests. */
export function prepareRequest(
  request: Pick<IncomingMessage, "headers" | "url" | "method" | "socket">,
) {
  const { headers } = request;
  for (const name of [ORIGIN_HEADER, ...SECRET_PARAMS.map(secretHeader), "x-forwarded-host"])
    delete headers[name];
  if (headers.origin !== undefined && request.method !== "GET" && request.method !== "HEAD") {
    headers[ORIGIN_HEADER] = headers.origin;
    delete headers.origin;
  }
  headers[PEER_HEADER] = request.socket?.remoteAddress ?? "unknown";
  headers[REQUEST_ID_HEADER] = randomUUID();

  const [path, query] = (request.url ?? "/").split(/\?(.*)/s);
  const params = new URLSearchParams(query ?? "");
  if (!SECRET_PARAMS.some((name) => params.has(name))) return;
  for (const name of SECRET_PARAMS) {
    const secret = params.get(name);
    if (secret === null) continue;
    headers[secretHeader(name)] = encodeURIComponent(secret);
    params.delete(name);
  }
  request.url = params.size > 0 ? `${path}?${params}` : path;
}

/**
 * Once the request is answered or broken off, its address is the path alone. remix-serve logs at that moment, and reads
 * it where Express keeps it.
 */
function forgetQuery(
  request: IncomingMessage & { originalUrl?: string },
  response: ServerResponse,
) {
  const forget = () => {
    request.url = request.url?.split("?", 1)[0];
    request.originalUrl = request.url;
  };
  response.once("finish", forget);
  response.once("close", forget);
}

/** The value of a secret query parameter, wherever it is: moved aside by a server, or in the address. */
export function readSecretParam(request: Request, name: SecretParam): string | null {
  const moved = request.headers.get(secretHeader(name));
  if (moved !== null) return decodeLoosely(moved);
  return new URL(request.url).searchParams.get(name);
}

function decodeLoosely(text: string) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

let listening = false;

/** Starts listening, once a process; called by entry.server when the server boots. */
export function prepareAllRequests() {
  if (listening) return;
  listening = true;
  subscribe("http.server.request.start", (message) => {
    const { request, response } = message as { request: IncomingMessage; response: ServerResponse };
    prepareRequest(request);
    forgetQuery(request, response);
    trackResponse(String(request.headers[REQUEST_ID_HEADER]), response);
    if (request.url && /^\/(assets\/|[^/]+\.(svg|png|ico|txt)$)/.test(request.url)) {
      for (const [name, value] of Object.entries(STATIC_HEADERS)) response.setHeader(name, value);
    }
  });
  // remix-serve stops accepting at SIGTERM and waits for every open request, however slow its sender:
  // the deadline lets real work finish and ends the rest.
  process.once("SIGTERM", () => setTimeout(() => process.exit(0), DRAIN_MS).unref());
}
