import { z } from "zod";

import { readSessionId, readTokenClaims } from "~/integrations/supabase/access-token";
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
  /** Has the rights of an admin now. */
  admin: boolean;
  /** Is an admin who has to turn two-step sign-in on before they have an admin's rights. */
  adminNeedsSecondStep: boolean;
  /** Two-step sign-in is on, and this session has passed its second step. */
  secondStep: boolean;
  /** Page titles, icons, and emails don't reveal what the directory is. */
  discreet: boolean;
  /**
   * Consent to tracking, and the version of the text that it was given for; null when never asked.
   */
  tracking: { granted: boolean; version: string } | null;
  /** The deletion of their account, if they have requested it. */
  deletion: RequestedDeletion | null;
}

/** The deletion of an account that its user has requested. */
export interface RequestedDeletion {
  /** The account is deleted soon after this moment. */
  dueAt: string;
  /** The deletion can't be stopped anymore. */
  begun: boolean;
  /** The deletion waits until there is another admin. */
  onlyAdmin: boolean;
}

export interface Session {
  user: User;
  tokens: Tokens;
  /** Began with a recovery link a few minutes ago, so that the user may set a new password. */
  recovery: Recovery | null;
  /**
   * Began with an emailed link, and the database accepts nothing from it until a password is chosen
   * (docs/decisions/0047).
   */
  limited: boolean;
}

/**
 * Says that a session began with a link after which the user may choose a password, and when. It
 * counts only for that session.
 */
interface Recovery {
  session: string;
  /** Seconds since 1970. */
  since: number;
  /** The link confirmed a new account, which has no password yet. */
  newAccount: boolean;
}

/** How long someone who opened a recovery link may choose a new password without the old one. */
export const RECOVERY_S = 15 * 60;
/** How far the clock of the instance that opened the link may be ahead of this one's. */
const CLOCKS_DIFFER_S = 60;

/** A session whose user gave the password, and has two-step sign-in on. It has no rights yet. */
export interface UnfinishedSession extends Pick<Session, "tokens" | "recovery"> {
  user: Pick<User, "id" | "email" | "discreet"> & {
    /** The authenticator apps whose code completes it. */
    factors: string[];
  };
}

/**
 * The state of a request's session:
 * - `active`: the database accepted the token just now
 * - `second step due`: the same, but the second step of signing in is missing
 * - `none`: there is no session, or it has ended; with `stale` its cookie must be removed
 * - `unknown`: there is a session, but Supabase does not answer. The cookie stays. When the tokens
 *   were refreshed before that, the cookie must get the new ones, since the old ones are used up.
 */
export type SessionState =
  | { kind: "active"; session: Session; db: Db; renewed: boolean }
  | { kind: "second step due"; session: UnfinishedSession; db: Db; renewed: boolean }
  | { kind: "none"; db: Db; stale: boolean }
  | { kind: "unknown"; db: Db; renewed: StoredTokens | null };

interface StoredTokens extends Tokens {
  recovery: Recovery | null;
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
  recovery?: Recovery;
}

function parseCookieValue(value: unknown): StoredTokens | null {
  if (typeof value !== "object" || value === null) return null;
  const { a, r, e, recovery } = value as Partial<CookieValue>;
  if (typeof a !== "string" || typeof r !== "string" || typeof e !== "number") return null;
  return { accessToken: a, refreshToken: r, expiresAt: e, recovery: validRecovery(recovery, a) };
}

/** The recovery of a cookie, unless it is too old or belongs to another session. */
function validRecovery(value: unknown, accessToken: string): Recovery | null {
  const { session, since, newAccount = false } = (value ?? {}) as Partial<Recovery>;
  if (typeof session !== "string" || typeof since !== "number") return null;
  const age = Date.now() / 1000 - since;
  if (age < -CLOCKS_DIFFER_S || age > RECOVERY_S || session !== readSessionId(accessToken))
    return null;
  return { session, since, newAccount };
}

/** What a session stores about the link that it has just begun with. */
export function beginRecovery(
  { accessToken }: Tokens,
  { newAccount = false } = {},
): Recovery | null {
  const session = readSessionId(accessToken);
  const since = Math.floor(Date.now() / 1000);
  return session === null ? null : { session, since, newAccount };
}

/** Whether the session in this browser's cookie, active or ended, began with a recovery link. */
export async function beganWithRecovery(request: Request): Promise<boolean> {
  const value = (await readCookie(sessionCookie(), request)) as Partial<CookieValue> | null;
  return Boolean(value?.recovery);
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
export function serializeSession(
  tokens: Tokens,
  recovery: Recovery | null = null,
): Promise<string> {
  const value: CookieValue = {
    a: tokens.accessToken,
    r: tokens.refreshToken,
    e: tokens.expiresAt,
  };
  if (recovery) value.recovery = recovery;
  return sessionCookie().serialize(value);
}

/** The Set-Cookie value for tokens that were refreshed, or null when none were. */
export async function serializeRenewedSession(state: SessionState): Promise<string | null> {
  if ((state.kind === "active" || state.kind === "second step due") && state.renewed)
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

const unfinishedSession = z.object({
  second_step_due: z.literal(true),
  user_id: z.string(),
  email: z.string().nullable(),
  discreet: z.boolean(),
  factors: z.array(z.string()).nullable(),
});

const mySession = z
  .object({
    second_step_due: z.undefined().optional(),
    user_id: z.string(),
    email: z.string().nullable(),
    full_name: z.string().nullable(),
    phone: z.string().nullable(),
    pronouns: z.string().nullable(),
    postalcode: z.string().nullable(),
    opted_in: z.boolean(),
    sms_opted_in: z.boolean(),
    admin: z.boolean(),
    admin_needs_second_step: z.boolean(),
    second_step: z.boolean(),
    discreet: z.boolean(),
    // (Absent from a database of the previous release.)
    limited: z.boolean().default(false),
    tracking: z.boolean().nullable(),
    tracking_text: z.string().nullable(),
    deletion: z
      .object({ due_at: z.string(), begun: z.boolean(), only_admin: z.boolean() })
      .nullable(),
  })
  .or(unfinishedSession)
  .nullable();

function toUser(
  row: Exclude<z.output<typeof mySession>, null | z.output<typeof unfinishedSession>>,
): User {
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
    adminNeedsSecondStep: row.admin_needs_second_step,
    secondStep: row.second_step,
    discreet: row.discreet,
    tracking:
      row.tracking === null ? null : { granted: row.tracking, version: row.tracking_text ?? "" },
    deletion: row.deletion && {
      dueAt: row.deletion.due_at,
      begun: row.deletion.begun,
      onlyAdmin: row.deletion.only_admin,
    },
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
 * @param recovery set if the session began with a recovery link
 * @param renewed whether the tokens were refreshed, so that the cookie must be set
 */
export async function verifySession(
  tokens: Tokens,
  recovery: Recovery | null,
  renewed: boolean,
): Promise<SessionState> {
  const db = createUserClient(tokens.accessToken);
  try {
    const row = await callFunction(db, "my_session", {}, mySession);
    if (!row) return { kind: "none", db: createUserClient(null), stale: true };
    if (!row.second_step_due) {
      const { limited } = row;
      const session = { user: toUser(row), tokens, recovery, limited };
      return { kind: "active", session, db, renewed };
    }
    const { user_id: id, email, discreet, factors } = row;
    const user = { id, email: email ?? "", discreet, factors: factors ?? [] };
    return { kind: "second step due", session: { user, tokens, recovery }, db, renewed };
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
