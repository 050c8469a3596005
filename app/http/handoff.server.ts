import { redirect } from "@remix-run/node";

import { readTokenClaims } from "~/integrations/supabase/access-token";
import { AuthServiceError, signOut, type Tokens } from "~/integrations/supabase/auth.server";
import { isHandoffCode, redeemHandoffCode } from "~/integrations/supabase/handoff-codes.server";

import { handoffCookie, readCookie } from "./cookies.server";
import { unavailable } from "./errors.server";
import { redirectWithFlash } from "./flash.server";
import { readEndedSessionOwner } from "./form-stash.server";
import { log } from "./log.server";
import { paths } from "./paths";
import { readSecretParam } from "./prepare-request.server";
import { enforceRateLimit, getClientNetwork } from "./rate-limit.server";
import { toSafePath } from "./safe-path.server";
import { serializeSession, verifySession, refreshOnce, type SessionState } from "./session.server";

const HANDOFF_LIMIT = { name: "handoff", max: 30, windowSeconds: 15 * 60 };

/** A session that was handed over, stored in a cookie until the user accepts it. */
interface PendingHandoff {
  tokens: Tokens;
  /** The email address of that account. */
  email: string;
  /** The path to open afterward. */
  to: string;
  /** Whether the session began with this link, so that no one else has it. */
  ownSession: boolean;
}

function parseAccessToken(token: string): Tokens | null {
  const exp = readTokenClaims(token)?.["exp"];
  return typeof exp === "number" ? { accessToken: token, refreshToken: "", expiresAt: exp } : null;
}

/**
 * Signs in a user of the mobile app. The app opens pages with `?token=`: a one-time code, or a
 * Supabase refresh token or access token. The response sets the session and redirects to the same
 * URL without the token, so that no history, log, or Referer contains it.
 *
 * The link may have come from someone else, who wants the user to act in an account that is not
 * theirs. So a page names the account and asks first, unless this browser is signed in to it; or the
 * link has a one-time code and this account's session ended here within the last hour. Nothing that
 * the app sends shows that it is on the same device as this browser (docs/decisions/0018).
 *
 * With two-step sign-in on, the page then leads to the second step, unless the token has passed it.
 * @returns the redirect to answer with
 * @throws HttpError 429, or 503 when the token or the current session could not be checked
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
  if (!opensPage(request)) return redirect(to, { status: 303 });
  if (state.kind === "unknown") throw unavailable();
  // No one can guess a code, so only wrong ones are counted: a right one always works.
  const redeemed = isHandoffCode(token) ? await redeemHandoffCode(token) : null;
  if (!redeemed) await enforceRateLimit(HANDOFF_LIMIT, getClientNetwork(request));

  const tokens =
    redeemed ??
    (isHandoffCode(token) ? null : (parseAccessToken(token) ?? (await redeemRefreshToken(token))));
  const handedOver = tokens && (await verifySession(tokens, null, true));
  if (handedOver?.kind === "unknown") throw unavailable();

  if (!tokens || !handedOver || handedOver.kind === "none") {
    if (state.kind === "active") return redirect(to, { status: 303 });
    return redirectWithFlash(to, {
      tone: "info",
      text: "That link has expired. Please sign in.",
    });
  }
  // The same user has already passed the second step here, or has a session here that lasts longer
  // than an access token.
  if (
    state.kind === "active" &&
    state.session.user.id === handedOver.session.user.id &&
    (handedOver.kind === "second step due" ||
      (tokens.refreshToken === "" && state.session.tokens.refreshToken !== ""))
  )
    return redirect(to, { status: 303 });
  const known =
    state.kind === "active"
      ? state.session.user.id
      : isHandoffCode(token) && (await readEndedSessionOwner(request));
  if (known !== handedOver.session.user.id) {
    const pending: PendingHandoff = {
      tokens,
      email: handedOver.session.user.email,
      to,
      ownSession: isHandoffCode(token),
    };
    setCookie(await handoffCookie().serialize(pending));
    return redirect(paths.switchAccount(), { status: 303 });
  }
  setCookie(await serializeSession(tokens));
  return redirect(to, { status: 303 });
}

/**
 * Takes the app's token out of the address of a page that needs no session, and so does not use it: it would stay in the
 * browser's history, and a refresh token is valid for long.
 * @throws the redirect to the page without the token
 */
export function dropToken(request: Request, url: URL): void {
  if (readSecretParam(request, "token") === null) return;
  url.searchParams.delete("token");
  throw redirect(toSafePath(`${url.pathname}${url.search}`), { status: 303 });
}

/** Whether the app may have sent this: images and frames of another site would use up the limit of a visitor's network. */
function opensPage({ headers }: Request): boolean {
  const [site, destination] = [headers.get("Sec-Fetch-Site"), headers.get("Sec-Fetch-Dest")];
  return site !== "cross-site" || destination === null || destination === "document";
}

/** Null for a token that is not valid. Throws AuthServiceError when the service did not answer. */
async function redeemRefreshToken(token: string): Promise<Tokens | null> {
  // Such a text is never a token; and the auth service answers a NUL with an internal error.
  if (!/^[\w.-]{1,512}$/.test(token)) return null;
  try {
    return await refreshOnce(token);
  } catch (error) {
    if (error instanceof AuthServiceError && error.failure === "refused") return null;
    throw error;
  }
}

/** Ends the session of a link that the user declined, unless it is the app's own. */
export async function endPendingHandoff({ tokens, ownSession }: PendingHandoff): Promise<void> {
  if (!ownSession) return;
  try {
    await signOut(tokens, "local");
  } catch (error) {
    if (!(error instanceof AuthServiceError)) throw error;
    log().warn({ failure: error.failure }, "declined session could not be ended");
  }
}

/** The account that was handed over and awaits the user's decision, or null. */
export async function readPendingHandoff(request: Request): Promise<PendingHandoff | null> {
  const value = await readCookie(handoffCookie(), request);
  return typeof value === "object" && value !== null && "tokens" in value
    ? (value as PendingHandoff)
    : null;
}
