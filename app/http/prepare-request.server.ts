import { randomUUID } from "node:crypto";
import { subscribe } from "node:diagnostics_channel";
import type { IncomingMessage, Server, ServerResponse } from "node:http";

import { noticeProxy } from "./detect-proxy.server";
import { ORIGIN_HEADER, PEER_HEADER, REQUEST_ID_HEADER } from "./internal-headers.server";
import { trackResponse } from "./backpressure.server";
import { trackRequest } from "./open-requests.server";

/**
 * Prepares each request before Remix sees it, through Node's `http.server.request.start` channel,
 * since remix-serve has no middleware. It does these things, which can't be done later:
 *
 * 1. Renames the `Origin` header. Remix answers another site's origin with a bare 500 before any
 *    action runs; our own check (csrf.server.ts) answers it with a 403 and a page.
 * 2. Removes `X-Forwarded-Host`. Remix trusts it, and any client can send it.
 * 3. Moves secrets in the URL (`token`, `token_hash`) into headers, so that no page or error has them
 *    in its URL.
 * 4. Sets the peer's address and a request id, replacing what the client sent.
 * 5. Follows the request until its response ends, for its line in the log.
 * 6. Removes the parameter `_data`, by which Remix's older clients asked for one loader's data. Ours
 *    never send it, and Remix logs a stack trace for it.
 */
export const SECRET_PARAMS = ["token", "token_hash"] as const;
type SecretParam = (typeof SECRET_PARAMS)[number];
const secretHeader = (name: SecretParam) => `x-dashboard-${name.replace("_", "-")}`;

/** Remix's own parameter of older clients. */
const OLD_DATA_PARAM = "_data";

/** Changes the headers and the URL of a request in place. Exported for its tests. */
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
  if (![...SECRET_PARAMS, OLD_DATA_PARAM].some((name) => params.has(name))) return;
  params.delete(OLD_DATA_PARAM);
  for (const name of SECRET_PARAMS) {
    const secret = params.get(name);
    if (secret === null) continue;
    headers[secretHeader(name)] = encodeURIComponent(secret);
    params.delete(name);
  }
  request.url = params.size > 0 ? `${path}?${params}` : path;
}

/**
 * The value of a secret query parameter, from its header or from the URL. Null when it is absent.
 */
export function readSecretParam(request: Request, name: SecretParam): string | null {
  const header = request.headers.get(secretHeader(name));
  if (header !== null) return decodeIfPossible(header);
  return new URL(request.url).searchParams.get(name);
}

function decodeIfPossible(text: string) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

let listening = false;
const excluded = new WeakSet<Server>();

/** Leaves a server's requests alone, because they are not for the dashboard. */
export function excludeServer(server: Server): void {
  excluded.add(server);
}

/**
 * Starts preparing requests. entry.server calls it when the server starts; later calls do nothing.
 */
export function prepareAllRequests() {
  if (listening) return;
  listening = true;
  subscribe("http.server.request.start", (message) => {
    const { request, response, server } = message as {
      request: IncomingMessage;
      response: ServerResponse;
      server: Server;
    };
    if (excluded.has(server)) return;
    noticeProxy(request.headers, request.socket.remoteAddress ?? "unknown");
    prepareRequest(request);
    trackRequest(request, response);
    trackResponse(String(request.headers[REQUEST_ID_HEADER]), response);
  });
}
