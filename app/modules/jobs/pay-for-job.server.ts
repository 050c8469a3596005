import { redirect } from "@remix-run/node";

import { redirectWithFlash } from "~/http/flash.server";
import type { RouteContext } from "~/http/route.server";
import { openCheckout } from "~/modules/billing/checkout.server";
import { PaymentRefused, PaymentUnavailable } from "~/modules/billing/payment-errors.server";

type Context = Pick<RouteContext<"signed in">, "db" | "session" | "log">;

/**
 * Sends somebody to pay for a job, or for more days of one that is paid for.
 * @param renew whether more days are meant: paying for a paid job by mistake is refused
 * @throws PaymentUnavailable, PaymentRefused: their messages are for people
 */
export async function payForJob({ db, session, log }: Context, jobId: number, renew: boolean) {
  const { url } = await openCheckout(
    { db, buyer: session.user, log },
    { kind: "job", jobId, ...(renew ? { renew } : {}) },
  );
  return redirect(url, 303);
}

/**
 * Why somebody could not be sent to pay: in words for them, and as a status.
 * @throws what is no such reason
 */
export function whyNotPaid(error: unknown): { reason: string; status: 409 | 503 } {
  if (error instanceof PaymentRefused) return { reason: error.message, status: 409 };
  if (error instanceof PaymentUnavailable) return { reason: error.message, status: 503 };
  throw error;
}

/**
 * After a job was saved: to payment while it is unpaid, unless that is left for later; else to the list.
 * Not getting there loses nothing: the job is saved, and stands in the list with its button.
 * @param list where its list is
 */
export async function afterSaving(
  context: Context,
  job: { id: number; paid: boolean },
  list: string,
  payLater: boolean,
) {
  if (job.paid) return redirectWithFlash(list, "The job is saved.");
  if (payLater)
    return redirectWithFlash(list, "The job is saved. It goes live once it is paid for.");
  try {
    return await payForJob(context, job.id, false);
  } catch (error) {
    return redirectWithFlash(list, {
      tone: "problem",
      text: `The job is saved, but not paid for. ${whyNotPaid(error).reason}`,
    });
  }
}
