import { redirect } from "@remix-run/node";

import { redirectWithFlash } from "~/http/flash.server";
import { readField } from "~/http/form.server";
import type { RouteContext } from "~/http/route.server";
import { readPickedUser } from "~/modules/accounts/user-picker.server";
import { openCheckout } from "~/modules/billing/checkout.server";
import { PaymentRefused, PaymentUnavailable } from "~/modules/billing/payment-errors.server";
import { isolate } from "~/text/isolate";

import { getJobList } from "./job-list";
import type { EditableJob } from "./job.server";
import { findShownJobStatus } from "./job-status.server";
import { confirmSavedJob, isPayable } from "./rules";

type Context = Pick<RouteContext<"signed in">, "db" | "session" | "log">;

/**
 * Redirects to the payment of a job, or of more days for a paid one.
 * @param renew whether more days are wanted; without it, a job that is paid for is refused
 * @throws PaymentUnavailable, PaymentRefused: their messages are for the user
 */
export async function payForJob({ db, session, log }: Context, jobId: number, renew: boolean) {
  const { url } = await openCheckout(
    { db, buyer: session.user, log },
    { kind: "job", jobId, ...(renew ? { renew } : {}) },
  );
  return redirect(url, 303);
}

/**
 * Why a payment is not possible: a sentence for the user, and the status of the response.
 * @throws any other error
 */
export function paymentBlockedReason(error: unknown): { reason: string; status: 409 | 503 } {
  if (error instanceof PaymentRefused) return { reason: error.message, status: 409 };
  if (error instanceof PaymentUnavailable) return { reason: error.message, status: 503 };
  throw error;
}

/**
 * Redirects after a job was saved: to its payment if it can be paid for, unless that is left for later;
 * otherwise to the list. If payment is not possible, the list says why, and the job is saved.
 * @param job.besides the title of the paid job that the same form has made before: someone who only corrects that one,
 *   such as after Back, must not pay again
 * @param list the URL of the list
 */
export async function redirectAfterSave(
  context: Context,
  job: { id: number; payable: boolean; besides?: string | undefined },
  list: string,
  payLater: boolean,
) {
  if (!job.payable) return redirectWithFlash(list, "Job saved.");
  if (job.besides !== undefined) {
    const first = `“${isolate(job.besides)}”`;
    return redirectWithFlash(list, {
      tone: "info",
      text: `You’ve already paid for ${first}, so this is saved as another job, which goes live once you pay for it. Only wanted to change ${first}? Edit the one you’ve paid for, and delete this one.`,
    });
  }
  if (payLater) return redirectWithFlash(list, "Job saved. It goes live once you pay.");
  try {
    return await payForJob(context, job.id, false);
  } catch (error) {
    return redirectWithFlash(list, {
      tone: "problem",
      text: `Job saved, but not paid for. ${paymentBlockedReason(error).reason}`,
    });
  }
}

/**
 * Redirects after a job was edited: its owner as redirectAfterSave does. An admin who has saved a job of someone else, or
 * given theirs away, returns to the list: it isn't theirs to pay for.
 * @param job as it was before
 */
export async function redirectAfterEdit(
  context: Context & { form: FormData },
  job: Pick<EditableJob, "id" | "owner" | "paid" | "payment_pending">,
) {
  const { db, form, session } = context;
  const { id: reader, admin } = session.user;
  const isOwn = job.owner === reader;
  const list = getJobList(isOwn).to;
  const choice = readPickedUser(form);
  const isGiven = choice.kind === "none" || (choice.kind === "user" && choice.id !== reader);
  if (admin && (!isOwn || isGiven)) {
    const saved = await findShownJobStatus(db, job.id);
    return redirectWithFlash(list, confirmSavedJob(saved, new Date(), reader));
  }
  return redirectAfterSave(
    context,
    { id: job.id, payable: isPayable(job) },
    list,
    readField(form, "intent") === "later",
  );
}
