import { AuthServiceError, refreshTokens, type Tokens } from "~/integrations/supabase/auth.server";
import { createUserClient, type Db } from "~/integrations/supabase/clients.server";
import { DataError, unwrap } from "~/integrations/supabase/data.server";

import { readCookie, sessionCookie } from "./cookies.server";

/** The signed-in person, as the database knows them. */
export interface User {
  id: string;
  /** The confirmed address of the account. */
  email: string;
  fullName: string;
  phone: string | null;
  pronouns: string | null;
  postalCode: string | null;
  optedIn: boolean;
  smsOptedIn: boolean;
  admin: boolean;
  /** Titles, icons and e-mails tell nothing of what the directory is. */
  discreet: boolean;
  /** Whether advertising and e-mail services may be told, and the words that was agreed to; null when never asked. */
  tracking: { granted: boolean; version: string } | null;
}

export interface Session {
  user: User;
  tokens: Tokens;
  /** Came by a recovery link and may set a new password. */
  recovery: boolean;
}

/**
 * Who asks:
 * - `active`: the database accepted the token just now
 * - `none`: nobody, or a session that is over; `stale` says that a cookie should be removed
 * - `unknown`: there is a session, but the outside does not answer. The cookie is kept; when the tokens
 *   were renewed before that, it is kept with the new ones, since the old ones are used up.
 */
export type SessionState =
  | { kind: "active"; session: Session; db: Db; renewed: boolean }
  | { kind: "none"; db: Db; stale: boolean }
  | { kind: "unknown"; db: Db; renewed: StoredTokens | null };

interface StoredTokens extends Tokens {
  recovery: boolean;
}

/** Tokens are refreshed when less than this is left: three ticks of the client's 30 s clock. */
const REFRESH_MARGIN_S = 90;
/** How long a used refresh token still leads to its successor, for tabs that asked with the old one. */
const SUCCESSOR_MS = 60_000;

interface StoredSession {
  a: string;
  r: string;
  e: number;
  recovery?: true;
}

function stored(value: unknown): StoredTokens | null {
  if (typeof value !== "object" || value === null) return null;
  const { a, r, e, recovery } = value as Partial<StoredSession>;
  if (typeof a !== "string" || typeof r !== "string" || typeof e !== "number") return null;
  return { accessToken: a, refreshToken: r, expiresAt: e, recovery: recovery === true };
}

/** What an access token says of itself, or null when it is none; whether it is real is for the database to say. */
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

/** The id of the person whose session this browser's cookie holds, live or over; null when it holds none of ours. */
export async function readSessionOwner(request: Request): Promise<string | null> {
  const kept = stored(await readCookie(sessionCookie(), request));
  const owner = kept && readTokenClaims(kept.accessToken)?.["sub"];
  return typeof owner === "string" ? owner : null;
}

/** The Set-Cookie value that keeps these tokens. */
export function serializeSession(tokens: Tokens, recovery = false): Promise<string> {
  const value: StoredSession = {
    a: tokens.accessToken,
    r: tokens.refreshToken,
    e: tokens.expiresAt,
  };
  if (recovery) value.recovery = true;
  return sessionCookie().serialize(value);
}

/** The Set-Cookie value for tokens that were renewed on the way to this state, or null when none were. */
export async function serializeRenewedSession(state: SessionState): Promise<string | null> {
  if (state.kind === "active" && state.renewed)
    return serializeSession(state.session.tokens, state.session.recovery);
  if (state.kind === "unknown" && state.renewed)
    return serializeSession(state.renewed, state.renewed.recovery);
  return null;
}

const refreshing = new Map<string, Promise<Tokens>>();

/**
 * New tokens for a refresh token. One refresh per token, however many requests ask at once; its result
 * is shared for a minute. Throws AuthServiceError.
 */
export function refreshOnce(refreshToken: string): Promise<Tokens> {
  const under = refreshing.get(refreshToken);
  if (under) return under;
  const started = refreshTokens(refreshToken);
  refreshing.set(refreshToken, started);
  const forget = () => refreshing.delete(refreshToken);
  started.then(() => setTimeout(forget, SUCCESSOR_MS).unref(), forget);
  return started;
}

type Refreshed = { tokens: Tokens } | "over" | "unavailable";

async function tryRefresh(refreshToken: string): Promise<Refreshed> {
  if (!refreshToken) return "over";
  try {
    return { tokens: await refreshOnce(refreshToken) };
  } catch (error) {
    if (error instanceof AuthServiceError && error.failure === "refused") return "over";
    if (error instanceof AuthServiceError) return "unavailable";
    throw error;
  }
}

/** The person behind an access token, or null when their session is over. Throws DataError. */
async function personOf(db: Db): Promise<User | null> {
  const row = unwrap(await db.rpc("my_session")) as Record<string, unknown> | null;
  if (!row) return null;
  const text = (name: string) => (typeof row[name] === "string" ? row[name] : null);
  return {
    id: text("user_id")!,
    email: text("email") ?? "",
    fullName: text("full_name") ?? "",
    phone: text("phone"),
    pronouns: text("pronouns"),
    postalCode: text("postalcode"),
    optedIn: row.opted_in === true,
    smsOptedIn: row.sms_opted_in === true,
    admin: row.admin === true,
    discreet: row.discreet === true,
    tracking:
      typeof row.tracking === "boolean"
        ? { granted: row.tracking, version: text("tracking_text") ?? "" }
        : null,
  };
}

/**
 * Finds out who asks, refreshing the tokens when they are about to end.
 * Never throws for an outage of the outside: that is the state `unknown`.
 */
export async function findSession(request: Request): Promise<SessionState> {
  const cookie = await readCookie(sessionCookie(), request);
  const kept = stored(cookie);
  if (!kept)
    return { kind: "none", db: createUserClient(null), stale: cookie !== null && cookie !== "" };

  let tokens: Tokens = kept;
  let renewed = false;
  const secondsLeft = kept.expiresAt - Date.now() / 1000;
  if (secondsLeft < REFRESH_MARGIN_S) {
    const result = await tryRefresh(kept.refreshToken);
    if (result === "over" && secondsLeft <= 0)
      return { kind: "none", db: createUserClient(null), stale: true };
    if (result === "unavailable" && secondsLeft <= 0)
      return { kind: "unknown", db: createUserClient(null), renewed: null };
    if (typeof result === "object") {
      tokens = result.tokens;
      renewed = true;
    }
  }
  const state = await verifySession(tokens, kept.recovery, renewed);
  if (state.kind !== "none" || renewed) return state;
  // The token was not accepted although its time is not up (the project's signing key may have
  // changed): a live refresh token still carries the session over.
  const result = await tryRefresh(kept.refreshToken);
  if (result === "unavailable")
    return { kind: "unknown", db: createUserClient(null), renewed: null };
  return result === "over" ? state : verifySession(result.tokens, kept.recovery, true);
}

/** Proves tokens by a read that only a live session can make. */
export async function verifySession(
  tokens: Tokens,
  recovery: boolean,
  renewed: boolean,
): Promise<SessionState> {
  const db = createUserClient(tokens.accessToken);
  try {
    const user = await personOf(db);
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
