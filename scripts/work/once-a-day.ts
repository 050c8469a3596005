import { createServiceClient } from "~/integrations/supabase/clients.server";
import { unwrap } from "~/integrations/supabase/data.server";

const DAY_SECONDS = 24 * 60 * 60;
/** After this time a process that began and did not finish counts as dead. */
const LEASE_SECONDS = 30 * 60;

/**
 * Runs work that needs only one run a day, however many processes ask, and however often they restart.
 * Who runs it and that it is done are in the database, as counts of the rate limits: one run at a
 * time, and one that succeeded in 24 hours. When it throws, the next process that asks runs it; what
 * it could do only in part has its next turn a day later.
 * @returns what the work returned; null when it was not this process's turn
 * @throws DataError when the database does not answer, and what the work throws
 */
export async function onceADay<T>(name: string, work: () => Promise<T>): Promise<T | null> {
  const db = createServiceClient();
  const [running, done] = [`work-running:${name}`, `work-done:${name}`];
  const isDone = async () =>
    unwrap(await db.rpc("rate_limit_reached", { bucket: done, max_hits: 1 }));
  const take = async (bucket: string, window_seconds: number) =>
    unwrap(await db.rpc("take_rate_token", { bucket, max_hits: 1, window_seconds })) === 0;

  if ((await isDone()) || !(await take(running, LEASE_SECONDS))) return null;
  try {
    // Another process may have finished since the first look.
    if (await isDone()) return null;
    const result = await work();
    await take(done, DAY_SECONDS);
    return result;
  } finally {
    await db.rpc("return_rate_token", { bucket: running });
  }
}
