import { redirect } from "@remix-run/node";

import { AuthServiceError, type Tokens } from "~/integrations/supabase/auth.server";
import { isHandoffCode, redeemHandoffCode } from "~/integrations/supabase/handoff-codes.server";

import { handoffCookie, readCookie } from "./cookies.server";
import { unavailable } from "./errors.server";
import { redirectWithFlash } from "./flash.server";
import { paths } from "./paths";
import { enforceRateLimit, getClientNetwork } from "./rate-limit.server";
import { toSafePath } from "./safe-path.server";
import {
  readTokenClaims,
  serializeSession,
  verifySession,
  refreshOnce,
  type SessionState,
} from "./session.server";

const HANDOFF_LIMIT = { name: "handoff", max: 30, windowSeconds: 15 * 60 };

/** Another account's session, kept in a cookie until the person has said whether to switch. */
export interface PendingHandoff {
  tokens: Tokens;
  /** The address that account belongs to, to ask by. */
  email: string;
  to: string;
}

function asAccessToken(token: string): Tokens | null {
  const exp = readTokenClaims(token)?.["exp"];
  return typeof exp === "number" ? { accessToken: token, refreshToken: "", expiresAt: exp } : null;
}

/**
 * The mobile app opens pages with `?token=`: a one-time code, or a Supabase refresh token or access token.
 * The session is set and the same address opened without the token, so that it stands in no history, log or Referer.
 * When somebody else is signed in, they are asked first.
 * @returns the redirect to answer with
 * @throws HttpError 429, or 503 when the token, or who is signed in here, could not be checked
 */
export async function acceptHandoff(arrival: {
  request: Request;
  url: URL;
  token: string;
  state: SessionState;
  setCookie: (value: string) => void;
}): Promise<Response> {
  const { request, url, token, state, setCookie } = arrival;
  url.searchParams.delete("token");
  const to = toSafePath(`${url.pathname}${url.search}`);
  if (state.kind === "unknown") throw unavailable();
  await enforceRateLimit(HANDOFF_LIMIT, getClientNetwork(request));

  const tokens = isHandoffCode(token)
    ? await redeemHandoffCode(token)
    : (asAccessToken(token) ?? (await refreshed(token)));
  const arrived = tokens && (await verifySession(tokens, false, true));
  if (arrived?.kind === "unknown") throw unavailable();

  if (!tokens || arrived?.kind !== "active") {
    if (state.kind === "active") return redirect(to, { status: 303 });
    return redirectWithFlash(to, {
      tone: "info",
      text: "That link is no longer valid. Please sign in.",
    });
  }
  if (state.kind === "active" && state.session.user.id !== arrived.session.user.id) {
    const pending: PendingHandoff = { tokens, email: arrived.session.user.email, to };
    setCookie(await handoffCookie().serialize(pending));
    return redirect(paths.switchAccount(), { status: 303 });
  }
  setCookie(await serializeSession(tokens));
  return redirect(to, { status: 303 });
}

/** Null for a token that the auth service refuses. Throws AuthServiceError when it did not say. */
async function refreshed(token: string): Promise<Tokens | null> {
  // Not worth asking about; and a NUL in it the service would answer with a failure of its own.
  if (!/^[\w.-]{1,512}$/.test(token)) return null;
  try {
    return await refreshOnce(token);
  } catch (error) {
    if (error instanceof AuthServiceError && error.failure === "refused") return null;
    throw error;
  }
}

/** The account that waits for an answer, or null when there is none (any more). */
export async function readPendingHandoff(request: Request): Promise<PendingHandoff | null> {
  const value = await readCookie(handoffCookie(), request);
  return typeof value === "object" && value !== null && "tokens" in value
    ? (value as PendingHandoff)
    : null;
}
