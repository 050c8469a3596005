import { createServiceClient } from "~/integrations/supabase/clients.server";
import { unwrap } from "~/integrations/supabase/data.server";

/**
 * Writes a notice to the owner of each job that ends within five days: one for each end a job has, however
 * often this is called. Background work, for a scheduler.
 * @throws DataError
 */
export async function noticeExpiringJobs(): Promise<void> {
  unwrap(await createServiceClient().rpc("enqueue_expiring_job_emails"));
}
