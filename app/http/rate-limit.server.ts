import { createHmac } from "node:crypto";

import { env } from "~/env.server";
import { createServiceClient, type Db } from "~/integrations/supabase/clients.server";
import { DataError, unwrap } from "~/integrations/supabase/data.server";

import { findForwardedAddress, toNetwork } from "./client-address.server";
import { tooManyRequests } from "./errors.server";
import { PEER_HEADER } from "./internal-headers.server";
import { log } from "./log.server";

/** At most `max` attempts in `windowSeconds`, for each key. */
export interface RateLimit {
  name: string;
  max: number;
  windowSeconds: number;
}

/**
 * The client's network (see toNetwork): from the proxy's header when one is configured, else the
 * peer's.
 */
export function getClientNetwork(request: Request): string {
  const { trustedIpHeader, trustedProxies } = env();
  const forwarded = trustedIpHeader && request.headers.get(trustedIpHeader);
  const address = forwarded ? findForwardedAddress(forwarded, trustedProxies) : null;
  return toNetwork(address ?? request.headers.get(PEER_HEADER) ?? "unknown");
}

function getBucket(limit: RateLimit, key: string[]): string {
  const hash = createHmac("sha256", env().sessionSecret)
    .update([limit.name, ...key].join("\n"))
    .digest("base64url");
  return `${limit.name}:${hash}`;
}

/**
 * Counts one attempt, and says how many seconds to wait; 0 means go ahead. The counts are in the
 * database, so that all instances share them. Keys are hashed, so that no address is stored. When the database does
 * not answer, the attempt is allowed: what it leads to needs the same database. (That it accepts
 * the key for these calls is checked when the server starts, and by /readyz.)
 */
export async function countAttempt(limit: RateLimit, ...key: string[]): Promise<number> {
  const wait = await callLimiter(limit, (client) =>
    client.rpc("take_rate_token", {
      bucket: getBucket(limit, key),
      max_hits: limit.max,
      window_seconds: limit.windowSeconds,
    }),
  );
  return wait ?? 0;
}

/** Whether the next attempt would be one too many. Doesn't count one. */
export async function isRateLimitReached(limit: RateLimit, ...key: string[]): Promise<boolean> {
  const reached = await callLimiter(limit, (client) =>
    client.rpc("rate_limit_reached", { bucket: getBucket(limit, key), max_hits: limit.max }),
  );
  return reached === true;
}

/**
 * Counts one attempt, and throws when there were too many.
 * @throws HttpError 429 with Retry-After
 */
export async function enforceRateLimit(limit: RateLimit, ...key: string[]): Promise<void> {
  const wait = await countAttempt(limit, ...key);
  if (wait > 0) refuseAttempt(limit, wait);
}

/**
 * Refuses an attempt that was one too many.
 * @throws HttpError 429 with Retry-After
 */
export function refuseAttempt(limit: RateLimit, wait: number): never {
  log().info({ limit: limit.name }, "rate limit exceeded");
  throw tooManyRequests(wait);
}

/** Takes back the count of an attempt that succeeded (the right password). */
export async function releaseAttempt(limit: RateLimit, ...key: string[]): Promise<void> {
  await callLimiter(limit, (client) =>
    client.rpc("return_rate_token", { bucket: getBucket(limit, key) }),
  );
}

type LimiterCall<T> = PromiseLike<{
  data: T;
  error: { message: string; code?: string } | null;
  status: number;
}>;

/** The database's answer; undefined, with a line in the log, when it does not answer. */
async function callLimiter<T>(
  limit: RateLimit,
  call: (client: Db) => LimiterCall<T>,
): Promise<T | undefined> {
  try {
    return unwrap(await call(createServiceClient()));
  } catch (error) {
    if (!(error instanceof DataError)) throw error;
    log().warn(
      { limit: limit.name, failure: error.failure, code: error.code },
      "rate limit could not be checked",
    );
    return undefined;
  }
}
