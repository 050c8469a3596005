import { createHmac } from "node:crypto";
import { isIPv6 } from "node:net";

import { env } from "~/env.server";
import { createServiceClient, type Db } from "~/integrations/supabase/clients.server";
import { DataError, unwrap } from "~/integrations/supabase/data.server";

import { tooManyRequests } from "./errors.server";
import { PEER_HEADER } from "./inner-headers.server";
import { log } from "./log.server";

/** At most `max` in `windowSeconds`, per thing counted by `key`. */
export interface RateLimit {
  name: string;
  max: number;
  windowSeconds: number;
}

/** The visitor's network (see networkOf): from the proxy's header when one is configured, else the connection's peer. */
export function getClientNetwork(request: Request): string {
  const { trustedIpHeader } = env();
  const told = trustedIpHeader && request.headers.get(trustedIpHeader);
  return toNetwork(told?.split(",")[0]?.trim() || request.headers.get(PEER_HEADER) || "unknown");
}

/**
 * What stands for one visitor: the whole of an IPv4 address, and the first half of an IPv6 address,
 * since whoever has one of those has all 2^64 that begin like it.
 */
export function toNetwork(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped) return mapped;
  if (!isIPv6(address)) return address;
  const [head = "", tail] = address.split("%")[0]!.split("::");
  const groups = head.split(":").filter(Boolean);
  const left = tail === undefined ? [] : tail.split(":").filter(Boolean);
  const zeros = Array.from({ length: Math.max(0, 8 - groups.length - left.length) }, () => "0");
  const network = [...groups, ...zeros, ...left]
    .slice(0, 4)
    .map((group) => parseInt(group, 16).toString(16));
  return `${network.join(":")}::`;
}

function bucketOf(limit: RateLimit, key: string[]): string {
  const hash = createHmac("sha256", env().sessionSecret)
    .update([limit.name, ...key].join("\n"))
    .digest("base64url");
  return `${limit.name}:${hash}`;
}

/**
 * Counts one try and refuses when there were too many. The counts are kept in the database, so they
 * hold across instances; keys are hashed, so no address or e-mail is stored. When the database does
 * not answer, the try is let through: what follows needs the same database.
 * @throws HttpError 429 with Retry-After
 */
export async function enforceRateLimit(limit: RateLimit, ...key: string[]): Promise<void> {
  const { name, max, windowSeconds } = limit;
  const wait = await counted(limit, (client) =>
    client.rpc("take_rate_token", {
      bucket: bucketOf(limit, key),
      max_hits: max,
      window_seconds: windowSeconds,
    }),
  );
  if (wait) {
    log().info({ limit: name }, "too many tries");
    throw tooManyRequests(wait);
  }
}

/** A try that was counted turned out well (the right password), so that it counts against nobody. */
export async function releaseAttempt(limit: RateLimit, ...key: string[]): Promise<void> {
  await counted(limit, (client) =>
    client.rpc("give_back_rate_token", { bucket: bucketOf(limit, key) }),
  );
}

type Counting<T> = PromiseLike<{
  data: T;
  error: { message: string; code?: string } | null;
  status: number;
}>;

/** What the database says of a limit; undefined, and a line in the log, when it does not answer. */
async function counted<T>(
  limit: RateLimit,
  ask: (client: Db) => Counting<T>,
): Promise<T | undefined> {
  try {
    return unwrap(await ask(createServiceClient()));
  } catch (error) {
    if (!(error instanceof DataError)) throw error;
    log().warn(
      { limit: limit.name, failure: error.failure, code: error.code },
      "rate limit could not be counted",
    );
    return undefined;
  }
}
