import type { App } from "@supabase/lite";

import { readBody } from "./body";
import { actLikeHostedAuth } from "./hosted-auth";
import type { Engine } from "./engine";
import { withConsoleTo } from "./quiet-console";
import type { StandInSettings } from "./stand-in";

export interface GateOptions {
  engine: Engine;
  standIn: App;
  settings: StandInSettings;
  /** Runs work when its turn has come. */
  inTurn: <Result>(work: () => Promise<Result>) => Promise<Result>;
  log: (line: string, ...rest: unknown[]) => void;
  otherwise: (request: Request) => Promise<Response | undefined>;
}

const OPEN_PATHS = ["/auth/v1/", "/rest/v1/"];

/**
 * The one way in. Of the stand-in only the auth service and the data API can be reached; its admin
 * pages cannot. A request's body is read before it joins the queue, so that a slow sender holds up
 * nobody, and a page of another site cannot come in by a host name that points here.
 */
export function makeGate(options: GateOptions): (request: Request) => Promise<Response> {
  const { engine, standIn, settings, inTurn, log, otherwise } = options;
  const auth = actLikeHostedAuth({ engine, settings });

  return async (request) => {
    const { hostname, pathname } = new URL(request.url);
    if (!["127.0.0.1", "localhost", "[::1]"].includes(hostname)) {
      return problem(421, "This address answers on this machine only.");
    }
    if (!OPEN_PATHS.some((path) => pathname.startsWith(path))) {
      return (await otherwise(request)) ?? problem(404, "There is nothing at this address.");
    }

    if (pathname.startsWith("/rest/v1/") && hasMaimedToken(request.headers)) {
      return Response.json(
        { code: "PGRST301", details: null, hint: null, message: "Expected 3 parts in JWT" },
        { status: 401 },
      );
    }

    const body = await readBody(request);
    if (body === "too large") return problem(413, "The request is larger than 10 MB.");
    const whole = (changes: { url?: string; body?: string } = {}): Request =>
      new Request(changes.url ?? request.url, {
        method: request.method,
        headers: withoutLength(request.headers),
        ...(changes.body !== undefined ? { body: changes.body } : body ? { body } : {}),
      });
    // No address of the caller: with one, a request without a key could count as an admin's.
    const pass = (passed: Request): Promise<Response> =>
      standIn.fetch(passed, { peerAddress: null });

    return withConsoleTo(log, () =>
      inTurn(() => (pathname.startsWith("/auth/v1/") ? auth(whole, body, pass) : pass(whole()))),
    );
  };
}

/**
 * A token with a part missing (cut off, or of the kind that claims to need no signature). The
 * stand-in would take its bearer for nobody; hosted refuses the request.
 */
function hasMaimedToken(headers: Headers): boolean {
  const token = /^Bearer\s+(.*)$/i.exec(headers.get("authorization") ?? "")?.[1]?.trim();
  // API keys may stand there too.
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
