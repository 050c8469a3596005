import type { IncomingMessage, ServerResponse } from "node:http";

import {
  createScope,
  type CallSum,
  type RequestScope,
} from "~/integrations/upstream/request-scope.server";

import { getRequestId, REQUEST_ID_HEADER } from "./internal-headers.server";
import { log } from "./log.server";
import type { RouteArgs } from "./route-args.server";

/** A request whose response was sent, or whose client went away. */
export interface EndedRequest {
  method: string;
  /** The pattern of its route; `file` for files, `refused` for what no route has handled. */
  route: string;
  status: number;
  ms: number;
}

/** The status in the log of a request whose client went away before the response began (as in nginx). */
const CLIENT_WENT_AWAY = 499;

const HEALTH_ROUTE = "/healthz";

const open = new Map<string, { scope: RequestScope; response: ServerResponse }>();
const listeners = new Set<(request: EndedRequest) => void>();

/** Calls the listener when a request has ended. */
export function onRequestEnd(listener: (request: EndedRequest) => void): void {
  listeners.add(listener);
}

/** The responses that are not sent yet. */
export const openResponses = (): Iterable<ServerResponse> =>
  [...open.values()].map(({ response }) => response);

/** Follows a request from its arrival until its response ends, and then logs its line. */
export function trackRequest(request: IncomingMessage, response: ServerResponse): void {
  const started = performance.now();
  const scope = createScope(String(request.headers[REQUEST_ID_HEADER]));
  const method = request.method ?? "";
  open.set(scope.id, { scope, response });
  response.once("close", () => {
    open.delete(scope.id);
    const status = response.headersSent ? response.statusCode : CLIENT_WENT_AWAY;
    const route = scope.route ?? (status < 400 ? "file" : "refused");
    const ms = Math.round(performance.now() - started);
    const line = { requestId: scope.id, method, route, status, ms, user: scope.user };
    const calls = [...scope.calls.values()].map(withWholeMs);
    // A proxy requests it from each instance every few seconds, which would fill most of the log.
    const level = route === HEALTH_ROUTE && status === 200 ? "debug" : "info";
    log()[level](
      { ...line, calls, ...(response.writableFinished ? {} : { aborted: true }) },
      "request",
    );
    for (const listener of listeners) listener({ method, route, status, ms });
  });
}

const withWholeMs = (sum: CallSum): CallSum => ({ ...sum, ms: Math.round(sum.ms) });

/** Scopes of requests that did not come over a connection: tests call loaders and actions directly. */
const unconnected = new WeakMap<object, RequestScope>();

/** The scope of a request, which its loaders and its action share. */
export function findScope({ request, context }: RouteArgs): RequestScope {
  const id = getRequestId(request);
  const known = open.get(id);
  if (known) return known.scope;
  const key = typeof context === "object" && context ? context : request;
  const scope = unconnected.get(key) ?? createScope(id);
  unconnected.set(key, scope);
  return scope;
}
