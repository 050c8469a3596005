import type { Db } from "~/integrations/supabase/clients.server";
import { DataError, unwrap } from "~/integrations/supabase/data.server";
import { explainRefusal } from "~/http/refusals.server";
import { findReturnedPayment } from "~/modules/billing/orders.server";

import { findJobPreview, noSuchJob } from "./job.server";
import { actionBlockedReason, type FreeJobAction } from "./rules";
import { findPendingPayments } from "./pending-payments.server";
import { JOB_REFUSALS } from "./refusals";

/**
 * Finds what a job's state follows from, with its title and owner: users find their own jobs, admins any.
 * @throws HttpError 404, DataError
 */
export async function findJobStatus(db: Db, id: number) {
  const [answer, pending] = await Promise.all([
    db
      .from("jobs")
      .select("id, title, owner, paid, published, expiration_date, filled_at")
      .eq("id", id)
      .maybeSingle(),
    findPendingPayments(db, { job: id }),
  ]);
  unwrap(answer);
  if (!answer.data) throw noSuchJob();
  return { ...answer.data, payment_pending: pending.has(id), payer: pending.get(id) };
}

/**
 * Finds a job's status with whether the public can see who is hiring, in one round trip.
 * @throws HttpError 404, DataError
 */
export async function findShownJobStatus(db: Db, id: number) {
  const [job, { company_name }, returned] = await Promise.all([
    findJobStatus(db, id),
    findJobPreview(db, id),
    findReturnedPayment(db, id),
  ]);
  return {
    ...job,
    company_name,
    names_company: company_name !== null,
    returned: job.paid ? undefined : returned,
  };
}

const CHANGES: Readonly<
  Record<FreeJobAction, (now: Date) => { published: boolean } | { filled_at: string | null }>
> = {
  unpublish: () => ({ published: false }),
  republish: () => ({ published: true }),
  fill: (now) => ({ filled_at: now.toISOString() }),
  reopen: () => ({ filled_at: null }),
};

/**
 * Publishes or unpublishes a job, or marks it as filled or not. Safe to repeat.
 * @returns the job as it was before, and the sentence that says why the action is not possible, if so
 * @throws HttpError 404, DataError
 */
export async function changeJobStatus(db: Db, id: number, action: FreeJobAction, now: Date) {
  const job = await findJobStatus(db, id);
  const blocked = actionBlockedReason(job, action, now);
  if (blocked !== null) return { job, blocked };
  try {
    unwrap(await db.from("jobs").update(CHANGES[action](now)).eq("id", job.id));
  } catch (error) {
    // It expired at this very moment.
    if (error instanceof DataError && error.reason !== null)
      return { job, blocked: explainRefusal(error, JOB_REFUSALS) };
    throw error;
  }
  return { job, blocked: null };
}
