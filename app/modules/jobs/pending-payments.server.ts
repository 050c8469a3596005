import type { Db } from "~/integrations/supabase/clients.server";
import { unwrap } from "~/integrations/supabase/data.server";

/**
 * The jobs with a payment on its way, with who made it (null when their account is deleted), as far as the user may see
 * orders: a bank debit takes days.
 * It needs no list of jobs, so it can run at the same time as the query for the jobs. Few payments
 * are on their way at a time.
 * @throws DataError
 */
export async function findPendingPayments(
  db: Db,
  only: { job?: number; owner?: string } = {},
): Promise<ReadonlyMap<number, string | null>> {
  const orders = db
    .from("orders")
    .select("job_id, owner")
    .eq("status", "processing")
    .not("job_id", "is", null);
  if (only.job !== undefined) orders.eq("job_id", only.job);
  if (only.owner !== undefined) orders.eq("owner", only.owner);
  const payers = new Map<number, string | null>();
  for (const { job_id, owner } of unwrap(await orders))
    if (job_id !== null) payers.set(job_id, owner);
  return payers;
}
