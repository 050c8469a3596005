import { createHmac } from "node:crypto";

import { env } from "~/env.server";
import { serviceClient } from "~/integrations/supabase/clients.server";
import { DataError, dataOf } from "~/integrations/supabase/data.server";

import { tooManyRequests } from "./errors.server";
import { PEER_HEADER } from "./incoming.server";
import { log } from "./log.server";

/** At most `max` in `windowSeconds`, per thing counted by `key`. */
export interface Limit {
  name: string;
  max: number;
  windowSeconds: number;
}

/** The visitor's address: from the proxy's header when one is configured, else the connection's peer. */
export function visitorAddress(request: Request): string {
  const { trustedIpHeader } = env();
  const told = trustedIpHeader && request.headers.get(trustedIpHeader);
  return told?.split(",")[0]?.trim() || request.headers.get(PEER_HEADER) || "unknown";
}

/**
 * Counts one try and refuses when there were too many. The counts are kept in the database, so they
 * hold across instances; keys are hashed, so no address or e-mail is stored. When the database does
 * not answer, the try is let through: what follows needs the same database.
 * @throws HttpError 429 with Retry-After
 */
export async function limitTries(limit: Limit, ...key: string[]): Promise<void> {
  const bucket = createHmac("sha256", env().sessionSecret).update([limit.name, ...key].join("\n")).digest("base64url");
  try {
    const wait = dataOf(
      await serviceClient().rpc("take_rate_token", {
        bucket: `${limit.name}:${bucket}`,
        max_hits: limit.max,
        window_seconds: limit.windowSeconds,
      }),
    );
    if (wait > 0) throw tooManyRequests(wait);
  } catch (error) {
    if (!(error instanceof DataError)) throw error;
    log().warn({ limit: limit.name, failure: error.failure, code: error.code }, "rate limit could not be counted");
  }
}
