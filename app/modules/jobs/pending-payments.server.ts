import type { Db } from "~/integrations/supabase/clients.server";
import { unwrap } from "~/integrations/supabase/data.server";

/**
 * The jobs with a payment on its way, as far as the user may see orders: a bank debit takes days.
 * It needs no list of jobs, so it can run at the same time as the query for the jobs. Few payments
 * are on their way at a time.
 * @throws DataError
 */
export async function findPendingPayments(
  db: Db,
  only: { job?: number; owner?: string } = {},
): Promise<ReadonlySet<number>> {
  const orders = db
    .from("orders")
    .select("job_id")
    .eq("status", "processing")
    .not("job_id", "is", null);
  if (only.job !== undefined) orders.eq("job_id", only.job);
  if (only.owner !== undefined) orders.eq("owner", only.owner);
  return new Set(unwrap(await orders).flatMap(({ job_id }) => job_id ?? []));
}
