import { createServiceClient, createUserClient } from "./clients.server";
import { DataError, unwrap } from "./data.server";
import { findMigrationGap, type MigrationGap } from "./migrations.server";

type Answer = Parameters<typeof unwrap>[0];

/** The two calls that show whether Supabase is ready, by the variable with the key that they use. */
const PROBES: Readonly<Record<string, () => PromiseLike<Answer>>> = {
  SUPABASE_PUBLISHABLE_KEY: () => createUserClient(null).from("categories").select("id").limit(1),
  // Changes nothing: no such attempt was ever counted. Only the service role may call it.
  SUPABASE_SECRET_KEY: () =>
    createServiceClient().rpc("return_rate_token", { bucket: "readiness" }),
};

/** What a probe found: null when it was accepted. */
async function probe(
  key: string,
): Promise<{ key: string; rejected: boolean; error: DataError } | null> {
  const answer = await PROBES[key]!();
  try {
    unwrap(answer);
    return null;
  } catch (error) {
    if (!(error instanceof DataError)) throw error;
    // An outage comes with another status.
    return { key, rejected: answer.status === 401 || answer.status === 403, error };
  }
}

interface Readiness {
  /**
   * Whether the database answers, and has what this code needs; with a rejected key, that isn't
   * known.
   */
  available: boolean;
  /** The variables whose key is not accepted, or not for what it must do. */
  rejectedKeys: string[];
  /** The calls that failed for another reason, by the variable with their key. */
  failures: { key: string; error: DataError }[];
  /** What is wrong with the migrations; null for nothing. */
  gap: MigrationGap | null;
}

/**
 * Whether the database answers, accepts our keys, and has the migrations of this code, within the deadline of every
 * Supabase call. A newer database handles requests: migrations are pushed before the code that needs them.
 */
export async function checkReadiness(): Promise<Readiness> {
  const [gap, ...results] = await Promise.all([
    findMigrationGap(),
    ...Object.keys(PROBES).map(probe),
  ]);
  const failed = results.filter((result) => result !== null);
  const failures = failed.filter(({ rejected }) => !rejected);
  return {
    available: failures.length === 0 && !gap?.blocks,
    rejectedKeys: failed.filter(({ rejected }) => rejected).map(({ key }) => key),
    failures,
    gap,
  };
}

/** What is wrong with a key that was rejected. */
export const describeRejectedKey = (name: string): string =>
  `${name} is not accepted by the project at SUPABASE_URL`;
