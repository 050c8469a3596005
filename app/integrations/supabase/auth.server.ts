import { randomUUID } from "node:crypto";

import type { AuthError, Session as SupabaseSession } from "@supabase/supabase-js";

import { env } from "~/env.server";

import {
  createAuthClient,
  createPublicAuthClient,
  createVisitorAuthClient,
} from "./clients.server";
import { classifyAuthError, type AuthFailure } from "./auth-errors";
import { readOutage, supabaseFetch } from "./supabase-fetch.server";

/** The tokens of a session. `expiresAt` is in seconds since 1970, as in the token. */
export interface Tokens {
  accessToken: string;
  /** Empty when only an access token was handed over: such a session ends when the token does. */
  refreshToken: string;
  expiresAt: number;
}

/** The auth service says how long to wait only where it limits one address, in its message. */
const DEFAULT_WAIT_S = 60;

function readWait(message: string): number | undefined {
  const seconds = /\bafter (\d{1,5}) seconds?\b/.exec(message)?.[1];
  return seconds === undefined ? undefined : Math.max(1, Number(seconds));
}

/** A failed call of the auth service. Its code and reason are for the log. */
export class AuthServiceError extends Error {
  override name = "AuthServiceError";
  constructor(
    readonly failure: AuthFailure,
    readonly code: string,
    /** For `limited`: the seconds until the next attempt is accepted. */
    readonly retryAfter = DEFAULT_WAIT_S,
    /** What the auth service said; it may contain an address. */
    readonly reason = "",
    /** Of the service's answer; 0 when there was none. */
    readonly status = 0,
  ) {
    super(`auth: ${failure} (${code || "no code"})`);
  }
}

/** Whether the auth service refused because we refused to send its email: the address had too many (Send Email Hook). */
export const isRefusedEmail = (error: unknown): boolean =>
  error instanceof AuthServiceError && error.status === 429 && error.code === "unknown";

function failureOf({ code = "", name, status }: AuthError): AuthFailure {
  if (readOutage(code) || name === "AuthRetryableFetchError") return "unavailable";
  // supabase-js makes this one itself, and has no status for it.
  if (name === "AuthSessionMissingError") return "refused";
  return classifyAuthError(code, status);
}

/** Throws AuthServiceError for an error of the auth service. */
export function throwIfFailed(error: AuthError | null): void {
  if (error) throw toServiceError(error, failureOf(error));
}

function toServiceError({ code = "", message, status }: AuthError, failure: AuthFailure) {
  const answer = readOutage(code) ?? { code, status };
  return new AuthServiceError(failure, answer.code, readWait(message), message, answer.status);
}

/** The same where a token was sent: a garbled one counts as none. */
function throwIfTokenFailed(error: AuthError | null): void {
  if (!error) return;
  const failure = failureOf(error);
  throw toServiceError(error, failure === "invalid" ? "refused" : failure);
}

function toTokens(session: SupabaseSession | null): Tokens | null {
  if (!session) return null;
  return {
    accessToken: session.access_token,
    refreshToken: session.refresh_token,
    expiresAt: session.expires_at ?? Math.floor(Date.now() / 1000) + session.expires_in,
  };
}

/** An auth client that acts with these tokens. */
export function createClientFor(tokens: Tokens) {
  return createAuthClient({
    access_token: tokens.accessToken,
    refresh_token: tokens.refreshToken,
    expires_at: tokens.expiresAt,
  });
}

/** The tokens of an answer that must have some. Throws AuthServiceError. */
export function requireTokens(session: SupabaseSession | null): Tokens {
  const tokens = toTokens(session);
  if (!tokens) throw new AuthServiceError("unavailable", "no_session");
  return tokens;
}

/** What a sign-in gave, and whether the session has no rights before its second step. */
export interface SignedIn {
  tokens: Tokens;
  secondStepDue: boolean;
}

/**
 * Signs in with email and password. With two-step sign-in on, the session has no rights before its
 * second step.
 * @throws AuthServiceError
 */
export async function signIn(email: string, password: string): Promise<SignedIn> {
  const { data, error } = await createVisitorAuthClient().signInWithPassword({ email, password });
  throwIfFailed(error);
  const secondStepDue = data.user?.factors?.some(({ status }) => status === "verified") ?? false;
  return { tokens: requireTokens(data.session), secondStepDue };
}

/** Checks a user's password, and leaves no session behind. Throws AuthServiceError. */
export async function verifyPassword(email: string, password: string): Promise<void> {
  const { tokens } = await signIn(email, password);
  await signOut(tokens, "local");
}

/**
 * Asks the auth service whether it answers, before a response that promises an email. It learns and
 * says nothing about any account. Throws AuthServiceError.
 */
export async function checkAuthService(): Promise<void> {
  const { status } = await supabaseFetch(`${env().supabaseUrl}/auth/v1/health`, {
    headers: { apikey: env().supabasePublishableKey },
  });
  if (status === 429) throw new AuthServiceError("limited", "health");
  if (status !== 200) throw new AuthServiceError("unavailable", "health");
}

/**
 * Has the auth service check a captcha, which works once. It is sent with a sign-in of an account
 * that does not exist, so that the answer depends on nothing else. Throws AuthServiceError:
 * `captcha` when it was not solved.
 */
export async function checkCaptcha(captchaToken: string): Promise<void> {
  const { error } = await createPublicAuthClient().signInWithPassword({
    email: `captcha-${randomUUID()}@${new URL(env().appUrl).hostname}`,
    password: randomUUID(),
    options: { captchaToken },
  });
  if (error?.code !== "invalid_credentials") throwIfFailed(error);
}

/**
 * Creates an account and has its confirmation sent. The database creates its profile from `metadata`
 * in the same transaction. For an address with an unconfirmed account the confirmation is sent
 * again; for one with a confirmed account nothing happens.
 * @throws AuthServiceError
 */
export async function signUp(
  email: string,
  password: string,
  metadata: Record<string, unknown>,
): Promise<void> {
  const { error } = await createVisitorAuthClient().signUp({
    email,
    password,
    options: { data: metadata },
  });
  if (error?.code === "user_already_exists" || error?.code === "email_exists") return;
  throwIfFailed(error);
}

/**
 * Sends the "new password" email, or none when there is no such account. Throws AuthServiceError.
 */
export async function sendRecoveryEmail(email: string): Promise<void> {
  const { error } = await createVisitorAuthClient().resetPasswordForEmail(email);
  throwIfFailed(error);
}

type LinkType = "email" | "recovery" | "email_change";

/**
 * Redeems the one-time hash of a link in an email and signs its user in. Throws AuthServiceError.
 */
export async function redeemEmailLink(type: LinkType, tokenHash: string): Promise<Tokens | null> {
  const { data, error } = await createAuthClient(null).verifyOtp({ type, token_hash: tokenHash });
  throwIfTokenFailed(error);
  return toTokens(data.session);
}

/** New tokens for a refresh token. Throws AuthServiceError; `refused` means the session is over. */
export async function refreshTokens(refreshToken: string): Promise<Tokens> {
  const { data, error } = await createAuthClient(null).refreshSession({
    refresh_token: refreshToken,
  });
  throwIfTokenFailed(error);
  return requireTokens(data.session);
}

/** Sets a new password. Throws AuthServiceError. */
export async function setPassword(tokens: Tokens, password: string): Promise<void> {
  const { error } = await createClientFor(tokens).updateUser({ password });
  throwIfFailed(error);
}

/** Longer than the pause between two emails that a project usually has: a minute. */
const A_MOMENT_MS = 2 * 60 * 1_000;

/**
 * Requests a change of the email address. It takes effect once the links that are sent were opened.
 * For an address that already has an account, nothing is sent and the answer is the same, so that
 * it does not reveal the account. Nothing is sent either for an address that was requested a moment
 * ago, such as when the form is sent again because its response was lost. Throws AuthServiceError.
 */
export async function requestEmailChange(tokens: Tokens, email: string): Promise<void> {
  const client = createClientFor(tokens);
  const { error } = await client.updateUser({ email });
  if (error?.code === "user_already_exists" || error?.code === "email_exists") return;
  if (error?.code === "over_email_send_rate_limit") {
    const { new_email, email_change_sent_at = "" } = (await client.getUser()).data.user ?? {};
    const isRecent = Date.parse(email_change_sent_at) > Date.now() - A_MOMENT_MS;
    if (isRecent && new_email?.toLowerCase() === email.toLowerCase()) return;
  }
  throwIfFailed(error);
}

/**
 * Ends sessions: this one, the user's others, or all. An ended or unknown session is not a failure.
 * Throws AuthServiceError.
 */
export async function signOut(tokens: Tokens, scope: "local" | "others" | "global"): Promise<void> {
  const { error } = await createClientFor(tokens).signOut({ scope });
  if (error && (error.status === 401 || error.status === 403 || error.status === 404)) return;
  throwIfFailed(error);
}
