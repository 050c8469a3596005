import type { Log } from "~/http/log.server";
import type { Db } from "~/integrations/supabase/clients.server";
import { unwrap } from "~/integrations/supabase/data.server";
import { hasValues } from "~/integrations/supabase/has-values";
import { nextFormId } from "~/http/form-id.server";
import { FIRST_VERSION } from "~/http/version-conflict";
import type { PickedUser } from "~/modules/accounts/user-picker.server";
import { abandonCheckouts } from "~/modules/billing/checkout.server";
import { PaymentRefused, PaymentUnavailable } from "~/modules/billing/payment-errors.server";

import { findEditableJob, type EditableJob } from "./job.server";
import { isUnderWay } from "./rules";
import type { JobValues } from "./schema.server";

/**
 * The columns of a form's values, without the tokens that identify the form. A job of a listing names no other
 * company: its form sends what was typed before the listing was chosen, and doesn't show it anymore.
 */
function toColumns({ submission_id: _submission, version: _version, ...columns }: JobValues) {
  return columns.place_id === null
    ? columns
    : { ...columns, company_name: null, company_bio: null };
}

/** The owner that an admin chose. `guard_job` copies their confirmed email address. */
function getOwnerColumns(
  choice: PickedUser,
  current: { owner: string | null },
): { owner?: string | null } {
  if (choice.kind === "unchanged") return {};
  const owner = choice.kind === "none" ? null : choice.id;
  return owner === current.owner ? {} : { owner };
}

interface SavedJob {
  id: number;
  paid: boolean;
  /** The title of the job that this form had made before, which is paid for and not over: this is another one. */
  besides?: string;
}

/**
 * Adds a job, unpaid and unpublished. The same form sent twice adds one job. Sent again with changes,
 * for example after going back from the payment page, it updates that job while it is the version that the form made;
 * when both title and description are different, or it was paid for, it is another job.
 * @returns the job, or the id of the job that this form made when there is a newer version of it: then nothing was
 *   changed
 * @throws DataError
 */
export async function addJob(
  db: Db,
  owner: { id: string; email: string },
  values: JobValues,
): Promise<SavedJob | { newer: number }> {
  const columns = toColumns(values);
  const { submission_id = null } = values;
  const answer = await db
    .from("jobs")
    .insert({ ...columns, owner: owner.id, owner_email: owner.email, submission_id })
    .select("id, paid")
    .single();
  if (answer.error?.code !== "23505" || submission_id === null) return unwrap(answer);

  const findMade = async () =>
    unwrap(
      await db
        .from("jobs")
        .select("*")
        .eq("submission_id", submission_id)
        .eq("owner", owner.id)
        .limit(1),
    )[0];
  const made = await findMade();
  const addAnother = async (first: typeof made) => ({
    ...(await addJob(db, owner, {
      ...values,
      submission_id: nextFormId(submission_id, `${values.title}\n${values.description}`),
    })),
    ...(first && isUnderWay(first, new Date()) && { besides: first.title }),
  });
  if (made && hasValues(made, columns)) return { id: made.id, paid: made.paid };
  if (
    !made ||
    made.paid ||
    (made.title !== values.title && made.description !== values.description)
  ) {
    return addAnother(made);
  }
  const [updated] = unwrap(
    await db
      .from("jobs")
      .update(columns)
      .eq("id", made.id)
      .eq("version", FIRST_VERSION)
      .eq("paid", false)
      .select("id, paid"),
  );
  if (updated) return updated;
  // Read again: it may have been paid for since, or the same form, sent twice at once, has saved it.
  const now = await findMade();
  if (now && hasValues(now, columns)) return { id: now.id, paid: now.paid };
  return !now || now.paid ? addAnother(now) : { newer: now.id };
}

/**
 * Closes the open checkouts of a job that has another owner now, or none, or that is unpaid and has another listing,
 * under which no one may see it. The change doesn't wait for Stripe: when a payment arrives all the same,
 * `fulfill_order` decides whether it bought something.
 */
async function closeOpenCheckouts(context: { db: Db; log: Log }, jobId: number): Promise<void> {
  try {
    await abandonCheckouts(context, { job_id: jobId });
  } catch (error) {
    if (!(error instanceof PaymentRefused || error instanceof PaymentUnavailable)) throw error;
  }
}

/**
 * Saves a job over the version that its form showed. Safe to repeat after the response was lost.
 * @param current the job as it is now
 * @param choice the owner that an admin chose; the database ignores it from everyone else
 * @returns "stale" when someone saved a newer version in between: then nothing was changed
 * @throws DataError
 */
export async function saveJob(
  { db, log }: { db: Db; log: Log },
  current: EditableJob,
  values: JobValues,
  choice: PickedUser,
): Promise<"saved" | "stale"> {
  const columns = { ...toColumns(values), ...getOwnerColumns(choice, current) };
  const version = values.version ?? current.version;
  const rows = unwrap(
    await db.from("jobs").update(columns).eq("id", current.id).eq("version", version).select("id"),
  );
  const isGiven = columns.owner !== undefined && columns.owner !== current.owner;
  if (rows.length > 0 && (isGiven || (!current.paid && columns.place_id !== current.place_id)))
    await closeOpenCheckouts({ db, log }, current.id);
  // Read again: when a form is sent twice at once, the other submission may have saved it since.
  return rows.length > 0 || hasValues(await findEditableJob(db, current.id), columns)
    ? "saved"
    : "stale";
}
