import { abandonCheckouts } from "~/modules/billing/checkout.server";
import type { Log } from "~/http/log.server";
import type { Db } from "~/integrations/supabase/clients.server";
import { unwrap } from "~/integrations/supabase/data.server";

/**
 * Deletes a job that is unpaid or has expired. A checkout that is open for it is closed first, so
 * that no one pays for a deleted job. What was paid for the job stays among the owner's purchases.
 * @returns false when it is neither unpaid nor expired
 * @throws PaymentRefused, PaymentUnavailable (their messages are for the user), DataError
 */
export async function deleteJob(
  { db, log }: { db: Db; log: Log },
  jobId: number,
): Promise<boolean> {
  await abandonCheckouts({ db, log }, { job_id: jobId });
  return unwrap(await db.from("jobs").delete().eq("id", jobId).select("id")).length > 0;
}
