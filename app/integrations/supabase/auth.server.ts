import type { AuthError, Session as SupabaseSession } from "@supabase/supabase-js";

import { createAuthClient } from "./clients.server";
import { UNREACHABLE } from "./supabase-fetch.server";

/** What a session is made of. `expiresAt` is in seconds since 1970, as in the token. */
export interface Tokens {
  accessToken: string;
  /** Empty when only an access token was handed over: such a session ends when the token does. */
  refreshToken: string;
  expiresAt: number;
}

/**
 * What the auth service refused, as far as the app tells people apart:
 * `unavailable` (no answer: the outcome is not known), `limited` (asked too often), `weak-password`,
 * `same-password`, `unconfirmed`, or `refused` (wrong, used or expired credentials and links).
 */
export type AuthFailure =
  "unavailable" | "limited" | "weak-password" | "same-password" | "unconfirmed" | "refused";

export class AuthServiceError extends Error {
  override name = "AuthServiceError";
  constructor(
    readonly failure: AuthFailure,
    readonly code: string,
  ) {
    super(`auth: ${failure} (${code || "no code"})`);
  }
}

function failureOf(error: AuthError): AuthFailure {
  const code = error.code ?? "";
  if (
    code === UNREACHABLE ||
    error.name === "AuthRetryableFetchError" ||
    (error.status ?? 500) >= 500
  )
    return "unavailable";
  // Refused by the gateway, before the auth service saw what was asked: our key is wrong, not the person's.
  if (error.status === 401 && !code) return "unavailable";
  if (error.status === 429) return "limited";
  if (code === "weak_password") return "weak-password";
  if (code === "same_password") return "same-password";
  if (code === "email_not_confirmed") return "unconfirmed";
  return "refused";
}

function check(error: AuthError | null): void {
  if (error) throw new AuthServiceError(failureOf(error), error.code ?? "");
}

function tokensOf(session: SupabaseSession | null): Tokens | null {
  if (!session) return null;
  return {
    accessToken: session.access_token,
    refreshToken: session.refresh_token,
    expiresAt: session.expires_at ?? Math.floor(Date.now() / 1000) + session.expires_in,
  };
}

function asPerson(tokens: Tokens) {
  return createAuthClient({
    access_token: tokens.accessToken,
    refresh_token: tokens.refreshToken,
    expires_at: tokens.expiresAt,
  });
}

/** The tokens of an answer that has to carry some. */
function tokensIn(session: SupabaseSession | null): Tokens {
  const tokens = tokensOf(session);
  if (!tokens) throw new AuthServiceError("unavailable", "no_session");
  return tokens;
}

/** Signs in with e-mail and password. Throws AuthServiceError. */
export async function signIn(email: string, password: string): Promise<Tokens> {
  const { data, error } = await createAuthClient(null).signInWithPassword({ email, password });
  check(error);
  return tokensIn(data.session);
}

/**
 * Answers to a sign-up that only an address with an account gets: that there is one, or that it was
 * sent an e-mail just now.
 */
const TELLS_WHO_HAS_AN_ACCOUNT = new Set([
  "user_already_exists",
  "email_exists",
  "over_email_send_rate_limit",
]);

/**
 * Creates an account; the database makes its profile from `metadata` in the same transaction.
 * @returns tokens when the project signs people in at once, null when the e-mail must be confirmed
 *   first; null as well for an address that has an account already, so that nobody can tell
 */
export async function signUp(
  email: string,
  password: string,
  metadata: Record<string, unknown>,
): Promise<Tokens | null> {
  const { data, error } = await createAuthClient(null).signUp({
    email,
    password,
    options: { data: metadata },
  });
  if (error && TELLS_WHO_HAS_AN_ACCOUNT.has(error.code ?? "")) return null;
  check(error);
  return tokensOf(data.session);
}

/** Sends the "new password" e-mail, or nothing when there is no such account: the answer is the same. */
export async function sendRecoveryEmail(email: string): Promise<void> {
  const { error } = await createAuthClient(null).resetPasswordForEmail(email);
  check(error);
}

export type LinkType = "email" | "recovery" | "email_change";

/** Uses up the one-time hash of an e-mailed link and signs its person in. Throws AuthServiceError. */
export async function redeemEmailLink(type: LinkType, tokenHash: string): Promise<Tokens | null> {
  const { data, error } = await createAuthClient(null).verifyOtp({ type, token_hash: tokenHash });
  check(error);
  return tokensOf(data.session);
}

/** New tokens for a refresh token. Throws AuthServiceError; `refused` means the session is over. */
export async function refreshTokens(refreshToken: string): Promise<Tokens> {
  const { data, error } = await createAuthClient(null).refreshSession({
    refresh_token: refreshToken,
  });
  check(error);
  return tokensIn(data.session);
}

/** Sets a new password. Throws AuthServiceError. */
export async function setPassword(tokens: Tokens, password: string): Promise<void> {
  const { error } = await asPerson(tokens).updateUser({ password });
  check(error);
}

/**
 * Asks for another e-mail address; it counts once confirmed by the links sent. For an address that has
 * an account already nothing is sent and the answer is the same, so that nobody can tell.
 * Throws AuthServiceError.
 */
export async function requestEmailChange(tokens: Tokens, email: string): Promise<void> {
  const { error } = await asPerson(tokens).updateUser({ email });
  if (error?.code === "user_already_exists" || error?.code === "email_exists") return;
  check(error);
}

/** Ends sessions: this one, the person's others, or all. An ended or unknown session is no failure. */
export async function signOut(tokens: Tokens, scope: "local" | "others" | "global"): Promise<void> {
  const { error } = await asPerson(tokens).signOut({ scope });
  if (error && (error.status === 401 || error.status === 403 || error.status === 404)) return;
  check(error);
}
