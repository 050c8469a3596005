import { createHash } from "node:crypto";

import { readTokenClaims } from "~/integrations/supabase/access-token";
import { AuthServiceError, signOut, type Tokens } from "~/integrations/supabase/auth.server";

import { runAfterResponse } from "./background.server";
import {
  authenticatorCookie,
  endedCookie,
  expireCookie,
  handoffCookie,
  invitationCookie,
  linkCookie,
  newPasswordCookie,
  recoveryCodesCookie,
  resumeCookie,
  returnCookie,
  sessionCookie,
  signUpCookie,
} from "./cookies.server";
import { HttpError } from "./errors.server";
import { deleteStash } from "./form-stash.server";
import type { Log } from "./log.server";
import { readSessionOwner, readStoredTokens } from "./session.server";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
/**
 * If the session isn't ended, its access token expires within the hour, but its refresh token does
 * not.
 */
const PAUSES_MS = [SECOND, 10 * SECOND, MINUTE, 5 * MINUTE, 15 * MINUTE, 30 * MINUTE];

/**
 * Everything that this browser has stored about its user. The cookie that form tokens are bound to belongs to no user.
 */
export const userCookies = () => [
  sessionCookie(),
  handoffCookie(),
  linkCookie(),
  newPasswordCookie(),
  resumeCookie(),
  endedCookie(),
  returnCookie(),
  invitationCookie(),
  authenticatorCookie(),
  recoveryCodesCookie(),
  signUpCookie(),
];

/** Set-Cookie values that remove all of this. */
export const expireUserCookies = (): Promise<string[]> =>
  Promise.all(userCookies().map(expireCookie));

/**
 * Ends the session in the cookie of a request, and deletes the forms stashed in its browser, after
 * the response. While the auth service does not answer it is tried again for almost an hour; the
 * browser has no cookie by then in any case. Never throws.
 */
export async function endSessionAfterResponse(request: Request, log: Log): Promise<void> {
  const tokens = await readStoredTokens(request);
  if (tokens)
    endAfterResponse(request, tokens, log, async () => {
      await deleteStash(request, null);
    });
}

/** Ends a session that no browser has, as above. */
export function endUnusedSession(request: Request, tokens: Tokens, log: Log): void {
  endAfterResponse(request, tokens, log, async () => {});
}

function endAfterResponse(
  request: Request,
  tokens: Tokens,
  log: Log,
  first: () => Promise<void>,
): void {
  const key = createHash("sha256").update(tokens.accessToken).digest("base64url");
  const work = async () => {
    await first();
    await signOut(tokens, "local").catch((error: unknown) => {
      // Tokens that are not accepted belong to a session that has ended.
      if (!(error instanceof AuthServiceError) || error.failure !== "refused") throw error;
    });
  };
  try {
    runAfterResponse(request, { name: "end of a session", key, work, pausesMs: () => PAUSES_MS });
  } catch (error) {
    if (!(error instanceof HttpError)) throw error;
    log.error("session was not ended at the auth service: too much work is pending");
  }
}

/**
 * Ends the session in the cookie of a request whose response signs in to another account. The page before
 * it has said so.
 * @param tokens of the new session
 */
export async function endOtherSession(request: Request, tokens: Tokens, log: Log): Promise<void> {
  const owner = await readSessionOwner(request);
  if (owner !== null && owner !== getUserId(tokens)) await endSessionAfterResponse(request, log);
}

const getUserId = (tokens: Tokens) => readTokenClaims(tokens.accessToken)?.["sub"];
