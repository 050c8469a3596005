import { redirect, type TypedResponse } from "@remix-run/node";

import { redirectWithFlash } from "~/http/flash.server";
import { readField } from "~/http/form.server";
import { paths } from "~/http/paths";
import type { ActionContext } from "~/http/route.server";
import { isolate } from "~/text/isolate";

import { refuseToKeep } from "./leaving";
import { countPaymentRequest } from "./limit-payment-requests.server";
import { PaymentRefused, problemResponse } from "./payment-errors.server";
import {
  checkSubscription,
  describeCharges,
  findListingBilling,
  findListingPlan,
  setCancellation,
  type OwnPlan,
  type PlanWish,
} from "./plan.server";
import { openPortal, type PortalTask } from "./portal.server";
import { isPaymentReturned } from "./returned-payment.server";
import { describeAwaitedPayment, withLastCharge } from "./rules";

export const REMOVED =
  "This listing was removed from the directory, so its plan can’t continue. If that’s a mistake, please get in touch.";

const AWAITED =
  "Your payment is still on its way from your bank. You can change your plan once it has arrived.";
const RETURNED =
  "Most or all of what you paid for this period was returned to you, or your bank is deciding about it, so this plan can’t be changed right now. If you have questions, please get in touch.";
const CANCELED = "You’ve canceled this plan. To change it, select “Keep plan” first.";

type Context = ActionContext<"signed in", { id: number }>;
/** A redirect, or why something can’t be done. */
type Answer = TypedResponse<{ problem: string }>;
type Listing = Awaited<ReturnType<typeof findListingBilling>>;

/** Does something about the plan. What can't be done is explained on the page. */
const withListing =
  (work: (context: Context, listing: Listing) => Promise<Answer>) => async (context: Context) => {
    const { db, params, session } = context;
    const listing = await findListingBilling(db, session.user.id, params.id);
    try {
      return await work(context, listing);
    } catch (error) {
      return problemResponse(error);
    }
  };

/** @throws PaymentRefused for a task that would continue a plan that ends at its payer's request */
async function refuseWhileLeaving(db: Context["db"], listing: Listing): Promise<void> {
  const plan = await findListingPlan(db, listing.id);
  if (plan?.mine && plan.leaves_with) throw new PaymentRefused(refuseToKeep(plan.leaves_with));
}

/**
 * Why a running plan can't be changed for now; null when it can. Stripe credits a payment that is on its way, whether or
 * not that arrives, and one that was returned.
 * @throws DataError
 */
export async function explainFixedPlan(
  plan: Pick<OwnPlan, "awaits_payment" | "subscription">,
): Promise<string | null> {
  if (plan.awaits_payment) return AWAITED;
  return (await isPaymentReturned([plan.subscription])) ? RETURNED : null;
}

/**
 * From a page that was opened before: Stripe changes no plan that is canceled.
 * @throws PaymentRefused
 */
async function refuseToChange(db: Context["db"], listing: Listing): Promise<void> {
  const plan = await findListingPlan(db, listing.id);
  if (!plan?.mine || !plan.live) return;
  const reason = await explainFixedPlan(plan);
  if (reason !== null) throw new PaymentRefused(reason);
  if (plan.ends_at !== null) throw new PaymentRefused(CANCELED);
}

/**
 * Opens Stripe's page, directly at a task. A plan can be changed on that page, except in the task
 * for a card.
 */
const open = (task?: PortalTask) =>
  withListing(async ({ db, session, log }, listing) => {
    if (task !== "update-card") {
      // From a page that was opened before the removal: a change is charged at once, for a listing
      // that no one can find.
      if (listing.status === "archived") throw new PaymentRefused(REMOVED);
      await refuseWhileLeaving(db, listing);
    }
    if (task === "change-plan") await refuseToChange(db, listing);
    const page = paths.billing(listing.id);
    const { url } = await openPortal({ owner: session.user, log }, listing, page, task);
    return redirect(url, { status: 303 });
  });

const cancel = (wish: PlanWish) =>
  withListing(async ({ db, session, log }, listing) => {
    const isCanceled = wish !== "keep";
    if (!isCanceled && listing.status === "archived") throw new PaymentRefused(REMOVED);
    if (!isCanceled) await refuseWhileLeaving(db, listing);
    const outcome = await setCancellation({ owner: session.user, log }, listing, wish);
    if (outcome === "would end now") return redirect(paths.endPlan(listing.id), { status: 303 });
    if (outcome.startsWith("ended"))
      return redirectWithFlash(
        paths.billing(listing.id),
        `Your plan has ended, and ${isolate(listing.name)} is no longer Featured. ${describeCharges(outcome)}`,
      );
    const plan = await findListingPlan(db, listing.id);
    const end = plan?.mine ? plan.ends_at : null;
    const name = isolate(listing.name);
    if (plan?.mine && !plan.paid)
      return redirectWithFlash(
        paths.billing(listing.id),
        isCanceled
          ? `Your plan is canceled. ${describeAwaitedPayment(name, end)}`
          : `Your plan continues. ${name} becomes Featured when your payment arrives.`,
      );
    return redirectWithFlash(
      paths.billing(listing.id),
      isCanceled
        ? withLastCharge(
            // The page says when that is, in the reader's own zone. In UTC, it would be another hour or day.
            `Your plan is canceled. ${name} stays Featured until the plan ends`,
            Boolean(plan?.mine && plan.awaits_payment),
          )
        : `Your plan continues. ${name} stays Featured.`,
    );
  });

const check = withListing(async ({ log, session }, listing) => {
  await countPaymentRequest(session.user.id);
  await checkSubscription(listing, log);
  return redirect(paths.billing(listing.id), { status: 303 });
});

const TASKS: Readonly<Record<string, (context: Context) => Promise<Answer>>> = {
  "change-plan": open("change-plan"),
  "update-card": open("update-card"),
  "cancel-plan": cancel("cancel"),
  "end-plan": cancel("end"),
  "keep-plan": cancel("keep"),
  "check-plan": check,
};
const manageBilling = open();

/**
 * Does what a button of the billing page says. "Manage billing" names no task: Stripe’s page has them all. What
 * can’t be done is explained on the page.
 */
export function changePlan(context: Context): Promise<Answer> {
  const intent = readField(context.form, "intent");
  return (Object.hasOwn(TASKS, intent) ? TASKS[intent]! : manageBilling)(context);
}
