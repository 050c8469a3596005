/** What a statement does that has to wait for someone else's change. */
import { expect } from "vitest";

import type { startMigratedPostgres } from "./real-postgres";

type Sql = Awaited<ReturnType<typeof startMigratedPostgres>>["sql"];

/** How many sessions wait for a lock. */
export async function countWaiting(sql: Sql): Promise<number> {
  const [sessions] = await sql`select count(*)::int as waiting from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`;
  return Number(sessions!["waiting"]);
}

/**
 * Does something in a transaction, and something else meanwhile that has to wait for it.
 * @param first calls `meanwhile` before its transaction ends; `late` begins then, and waits, or ends without waiting
 * @returns the code of the refusal of `late`, or how many rows it changed
 */
export async function doMeanwhile(
  sql: Sql,
  first: (meanwhile: () => Promise<void>) => Promise<void>,
  late: () => Promise<unknown>,
): Promise<string | number> {
  let outcome: Promise<string | number> | undefined;
  let ended = false;
  await first(async () => {
    outcome = late()
      .then(
        (rows) => (rows as { count: number }).count,
        (error: { message: string }) => error.message,
      )
      .finally(() => {
        ended = true;
      });
    await expect.poll(async () => ended || (await countWaiting(sql)) === 1).toBe(true);
  });
  return outcome!;
}
