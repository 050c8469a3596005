import { AuthServiceError, signOut, type Tokens } from "~/integrations/supabase/auth.server";

import {
  authenticatorCookie,
  endedCookie,
  expireCookie,
  formCookie,
  handoffCookie,
  invitationCookie,
  recoveryCodesCookie,
  resumeCookie,
  returnCookie,
  sessionCookie,
} from "./cookies.server";
import { deleteStash } from "./form-stash.server";
import type { Log } from "./log.server";
import { readStoredTokens } from "./session.server";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
/** An access token that was not ended expires within the hour, a refresh token does not. */
const RETRY_AFTER_MS = [SECOND, 10 * SECOND, MINUTE, 5 * MINUTE, 15 * MINUTE, 30 * MINUTE];

/** Set-Cookie values that remove everything this browser has stored about its user. */
export function expireUserCookies(): Promise<string[]> {
  const cookies = [
    sessionCookie(),
    formCookie(),
    handoffCookie(),
    resumeCookie(),
    endedCookie(),
    returnCookie(),
    invitationCookie(),
    authenticatorCookie(),
    recoveryCodesCookie(),
  ];
  return Promise.all(cookies.map(expireCookie));
}

/**
 * Ends the session in the cookie of a request, and deletes the forms stashed in its browser, without
 * making the response wait. While the auth service does not answer it is tried again for almost an
 * hour, and logged; the browser has no cookie by then in any case.
 */
export function endSessionInBackground(request: Request, log: Log): void {
  const work = async () => {
    const tokens = await readStoredTokens(request);
    await Promise.all([tokens && endSession(tokens, log), deleteStash(request, null)]);
  };
  work().catch((error: unknown) =>
    log.error({ kind: error instanceof Error ? error.name : "unknown" }, "session was not ended"),
  );
}

async function endSession(tokens: Tokens, log: Log, attempt = 0): Promise<void> {
  try {
    await signOut(tokens, "local");
  } catch (error) {
    if (!(error instanceof AuthServiceError)) throw error;
    // Tokens that are not accepted belong to a session that has ended.
    if (error.failure === "refused") return;
    const { failure } = error;
    const wait = RETRY_AFTER_MS[attempt];
    if (wait === undefined) {
      log.error({ failure }, "session was not ended at the auth service");
      return;
    }
    log.warn({ failure, attempt }, "session not ended yet at the auth service, trying again");
    setTimeout(() => void endSession(tokens, log, attempt + 1), wait).unref();
  }
}
