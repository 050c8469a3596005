import { z } from "zod";

import { AuthServiceError, refreshTokens, type Tokens } from "~/integrations/supabase/auth.server";
import { callFunction } from "~/integrations/supabase/call-function.server";
import { createUserClient, type Db } from "~/integrations/supabase/clients.server";
import { DataError } from "~/integrations/supabase/data.server";

import { readCookie, sessionCookie } from "./cookies.server";

/** The signed-in user, as the database knows them. */
export interface User {
  id: string;
  /** The confirmed email address of the account. */
  email: string;
  fullName: string;
  phone: string | null;
  pronouns: string | null;
  postalCode: string | null;
  optedIn: boolean;
  smsOptedIn: boolean;
  admin: boolean;
  /** Page titles, icons, and emails don't reveal what the directory is. */
  discreet: boolean;
  /** Consent to tracking, and the version of the text it was given to; null when never asked. */
  tracking: { granted: boolean; version: string } | null;
}

export interface Session {
  user: User;
  tokens: Tokens;
  /** Began with a recovery link, so that the user may set a new password. */
  recovery: boolean;
}

/**
 * The state of a request's session:
 * - `active`: the database accepted the token just now
 * - `none`: there is no session, or it has ended; with `stale` its cookie must be removed
 * - `unknown`: there is a session, but Supabase does not answer. The cookie stays. When the tokens
 *   were refreshed before that, the cookie must get the new ones, since the old ones are used up.
 */
export type SessionState =
  | { kind: "active"; session: Session; db: Db; renewed: boolean }
  | { kind: "none"; db: Db; stale: boolean }
  | { kind: "unknown"; db: Db; renewed: StoredTokens | null };

interface StoredTokens extends Tokens {
  recovery: boolean;
}

/**
 * Tokens are refreshed when they expire in less than this: three ticks of supabase-js's 30 s clock.
 */
const REFRESH_MARGIN_S = 90;
/** How long the result of a refresh is shared with other tabs that still have the old token. */
const SHARED_REFRESH_MS = 60_000;

/** The session cookie's value. The names are short because browsers limit a cookie to 4 KB. */
interface CookieValue {
  a: string;
  r: string;
  e: number;
  recovery?: true;
}

function parseCookieValue(value: unknown): StoredTokens | null {
  if (typeof value !== "object" || value === null) return null;
  const { a, r, e, recovery } = value as Partial<CookieValue>;
  if (typeof a !== "string" || typeof r !== "string" || typeof e !== "number") return null;
  return { accessToken: a, refreshToken: r, expiresAt: e, recovery: recovery === true };
}

/** The claims of an access token, not verified; null when the text is not an access token. */
export function readTokenClaims(token: string): Record<string, unknown> | null {
  const [, payload, signature, ...more] = token.split(".");
  if (!payload || signature === undefined || more.length > 0) return null;
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, "base64url").toString());
    return typeof claims === "object" && claims !== null
      ? (claims as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}

/** The tokens in this browser's cookie, of a session that is active or has ended; null without. */
export async function readStoredTokens(request: Request): Promise<Tokens | null> {
  return parseCookieValue(await readCookie(sessionCookie(), request));
}

/**
 * The id of the user whose session is in this browser's cookie, active or ended; null without one.
 */
export async function readSessionOwner(request: Request): Promise<string | null> {
  const stored = await readStoredTokens(request);
  const owner = stored && readTokenClaims(stored.accessToken)?.["sub"];
  return typeof owner === "string" ? owner : null;
}

/** The Set-Cookie value that stores these tokens. */
export function serializeSession(tokens: Tokens, recovery = false): Promise<string> {
  const value: CookieValue = {
    a: tokens.accessToken,
    r: tokens.refreshToken,
    e: tokens.expiresAt,
  };
  if (recovery) value.recovery = true;
  return sessionCookie().serialize(value);
}

/** The Set-Cookie value for tokens that were refreshed, or null when none were. */
export async function serializeRenewedSession(state: SessionState): Promise<string | null> {
  if (state.kind === "active" && state.renewed)
    return serializeSession(state.session.tokens, state.session.recovery);
  if (state.kind === "unknown" && state.renewed)
    return serializeSession(state.renewed, state.renewed.recovery);
  return null;
}

const refreshes = new Map<string, Promise<Tokens>>();

/**
 * New tokens for a refresh token. It is redeemed once, even when several requests use it at the
 * same time, and the result is shared for a minute. Throws AuthServiceError.
 */
export function refreshOnce(refreshToken: string): Promise<Tokens> {
  const earlier = refreshes.get(refreshToken);
  if (earlier) return earlier;
  const started = refreshTokens(refreshToken);
  refreshes.set(refreshToken, started);
  const forget = () => refreshes.delete(refreshToken);
  started.then(() => setTimeout(forget, SHARED_REFRESH_MS).unref(), forget);
  return started;
}

type RefreshResult = { tokens: Tokens } | "ended" | "unavailable";

async function tryRefresh(refreshToken: string): Promise<RefreshResult> {
  if (!refreshToken) return "ended";
  try {
    return { tokens: await refreshOnce(refreshToken) };
  } catch (error) {
    if (error instanceof AuthServiceError && error.failure === "refused") return "ended";
    if (error instanceof AuthServiceError) return "unavailable";
    throw error;
  }
}

const mySession = z
  .object({
    user_id: z.string(),
    email: z.string().nullable(),
    full_name: z.string().nullable(),
    phone: z.string().nullable(),
    pronouns: z.string().nullable(),
    postalcode: z.string().nullable(),
    opted_in: z.boolean(),
    sms_opted_in: z.boolean(),
    admin: z.boolean(),
    discreet: z.boolean(),
    tracking: z.boolean().nullable(),
    tracking_text: z.string().nullable(),
  })
  .nullable();

/** The user of an access token, or null when the session has ended. Throws DataError. */
async function readUser(db: Db): Promise<User | null> {
  const row = await callFunction(db, "my_session", {}, mySession);
  if (!row) return null;
  return {
    id: row.user_id,
    email: row.email ?? "",
    fullName: row.full_name ?? "",
    phone: row.phone,
    pronouns: row.pronouns,
    postalCode: row.postalcode,
    optedIn: row.opted_in,
    smsOptedIn: row.sms_opted_in,
    admin: row.admin,
    discreet: row.discreet,
    tracking:
      row.tracking === null ? null : { granted: row.tracking, version: row.tracking_text ?? "" },
  };
}

/**
 * Finds the session of a request, and refreshes its tokens when they are about to expire.
 * Never throws when Supabase does not answer: the state is then `unknown`.
 */
export async function findSession(request: Request): Promise<SessionState> {
  const cookie = await readCookie(sessionCookie(), request);
  const stored = parseCookieValue(cookie);
  if (!stored)
    return { kind: "none", db: createUserClient(null), stale: cookie !== null && cookie !== "" };

  let tokens: Tokens = stored;
  let renewed = false;
  const secondsLeft = stored.expiresAt - Date.now() / 1000;
  if (secondsLeft < REFRESH_MARGIN_S) {
    const result = await tryRefresh(stored.refreshToken);
    if (result === "ended" && secondsLeft <= 0)
      return { kind: "none", db: createUserClient(null), stale: true };
    if (result === "unavailable" && secondsLeft <= 0)
      return { kind: "unknown", db: createUserClient(null), renewed: null };
    if (typeof result === "object") {
      tokens = result.tokens;
      renewed = true;
    }
  }
  const state = await verifySession(tokens, stored.recovery, renewed);
  if (state.kind !== "none" || renewed) return state;
  // The token was not accepted although it has not expired (the project's signing key may have
  // changed). A valid refresh token continues the session.
  const result = await tryRefresh(stored.refreshToken);
  if (result === "unavailable")
    return { kind: "unknown", db: createUserClient(null), renewed: null };
  return result === "ended" ? state : verifySession(result.tokens, stored.recovery, true);
}

/**
 * Verifies tokens by a read that only an active session can make.
 * @param recovery whether the session began with a recovery link
 * @param renewed whether the tokens were refreshed, so that the cookie must be set
 */
export async function verifySession(
  tokens: Tokens,
  recovery: boolean,
  renewed: boolean,
): Promise<SessionState> {
  const db = createUserClient(tokens.accessToken);
  try {
    const user = await readUser(db);
    if (user) return { kind: "active", session: { user, tokens, recovery }, db, renewed };
    return { kind: "none", db: createUserClient(null), stale: true };
  } catch (error) {
    if (!(error instanceof DataError)) throw error;
    if (error.failure === "unavailable")
      return { kind: "unknown", db, renewed: renewed ? { ...tokens, recovery } : null };
    if (error.failure === "signed-out" || error.failure === "denied") {
      return { kind: "none", db: createUserClient(null), stale: true };
    }
    throw error;
  }
}
