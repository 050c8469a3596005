import type { App } from "@supabase/lite";

import { readBody } from "./body";
import type { Engine } from "./engine";
import { emulateHostedAuth } from "./hosted-auth";
import { withConsoleRedirected } from "./quiet-console";
import { forDataApi } from "./request-context";
import type { StandInSettings } from "./stand-in";

interface GateOptions {
  engine: Engine;
  standIn: App;
  settings: StandInSettings;
  /** Runs work when the database is free for it. */
  inTurn: <Result>(work: () => Promise<Result>) => Promise<Result>;
  log: (line: string, ...rest: unknown[]) => void;
  /** Answers requests outside of the two services; undefined means 404. */
  fallback: (request: Request) => Promise<Response | undefined>;
}

const OPEN_PATHS = ["/auth/v1/", "/rest/v1/"];

/**
 * Handles every request. Only the auth service and the data API of the stand-in can be reached; its
 * admin pages cannot. The body is read before the request joins the queue, so that a slow client
 * does not block others. A host name of another site that points here is refused (DNS rebinding).
 */
export function makeGate(options: GateOptions): (request: Request) => Promise<Response> {
  const { engine, standIn, settings, inTurn, log, fallback } = options;
  const auth = emulateHostedAuth({ engine, settings });

  return async (request) => {
    const { hostname, pathname } = new URL(request.url);
    if (!["127.0.0.1", "localhost", "[::1]"].includes(hostname)) {
      return problem(421, "This address only works on this machine.");
    }
    if (!OPEN_PATHS.some((path) => pathname.startsWith(path))) {
      return (await fallback(request)) ?? problem(404, "There’s nothing at this address.");
    }

    if (pathname.startsWith("/rest/v1/") && hasMalformedToken(request.headers)) {
      return Response.json(
        { code: "PGRST301", details: null, hint: null, message: "Expected 3 parts in JWT" },
        { status: 401 },
      );
    }

    const body = await readBody(request);
    if (body === "too large") return problem(413, "The request is larger than 10 MB.");
    const rebuild = (changes: { url?: string; body?: string } = {}): Request =>
      new Request(changes.url ?? request.url, {
        method: request.method,
        headers: withoutLength(request.headers),
        ...(changes.body !== undefined ? { body: changes.body } : body ? { body } : {}),
      });
    // Without the address of the client: with it, a request without a key could count as an
    // admin's.
    const forward = (forwarded: Request): Promise<Response> =>
      standIn.fetch(forwarded, { peerAddress: null });

    const handle = () =>
      inTurn(() =>
        pathname.startsWith("/auth/v1/")
          ? auth(rebuild, body, forward)
          : forDataApi(request, () => forward(rebuild())),
      );
    return withConsoleRedirected(log, () =>
      settings.emailHook ? settings.emailHook.handle(pathname, handle, inTurn) : handle(),
    );
  };
}

/**
 * Whether a token lacks a part: it was cut off, or claims to need no signature. The stand-in would
 * treat the request as anonymous; the hosted service refuses it.
 */
function hasMalformedToken(headers: Headers): boolean {
  const token = /^Bearer\s+(.*)$/i.exec(headers.get("authorization") ?? "")?.[1]?.trim();
  // The header may also contain an API key.
  if (token === undefined || token.startsWith("sb_")) return false;
  const parts = token.split(".");
  return parts.length !== 3 || parts.includes("");
}

function problem(status: number, message: string): Response {
  return Response.json({ message }, { status });
}

function withoutLength(headers: Headers): Headers {
  const copy = new Headers(headers);
  copy.delete("content-length");
  copy.delete("transfer-encoding");
  return copy;
}
