import { HttpError } from "~/http/errors.server";
import type { Flash } from "~/http/flash.server";
import { paths } from "~/http/paths";
import type { ActionContext } from "~/http/route.server";
import { DataError, unwrap } from "~/integrations/supabase/data.server";
import { abandonCheckouts } from "~/modules/billing/checkout.server";
import { isolate } from "~/text/isolate";

import { findJobStatus } from "./job-status.server";
import { paymentBlockedReason } from "./pay-for-job.server";

const GONE: Flash = {
  tone: "info",
  text: "We couldn’t find that job among yours, so there’s nothing to delete.",
};
const NOT_DELETABLE =
  "Only unpaid and expired jobs can be deleted. You can unpublish this one instead.";

/** The list to show, with what to say there; or why the job stays. */
type Deletion = { list: string; flash: string | Flash } | { reason: string; status: 409 | 503 };

/**
 * Deletes a job that is unpaid or has expired. A checkout that is open for it is closed first, so
 * that no one pays for a deleted job. What was paid for the job stays among the owner's purchases.
 * Safe to repeat after the response was lost.
 * @throws DataError
 */
export async function deleteJob(
  { db, log, session }: Pick<ActionContext<"signed in">, "db" | "log" | "session">,
  id: number,
): Promise<Deletion> {
  try {
    const { owner, title } = await findJobStatus(db, id);
    await abandonCheckouts({ db, log }, { job_id: id });
    const deleted = unwrap(await db.from("jobs").delete().eq("id", id).select("id"));
    if (deleted.length === 0) return { reason: NOT_DELETABLE, status: 409 };
    return {
      list: owner === session.user.id ? paths.jobs() : paths.adminJobs(),
      flash: `“${isolate(title)}” has been deleted.`,
    };
  } catch (error) {
    if (error instanceof DataError) throw error;
    // (An admin who can't see it until they have turned two-step sign-in on is led there.)
    if (error instanceof HttpError && error.status === 404 && !session.user.adminNeedsSecondStep)
      return { list: session.user.admin ? paths.adminJobs() : paths.jobs(), flash: GONE };
    return paymentBlockedReason(error);
  }
}
