/** What Stripe's answers mean for an order. Pure. */

import type Stripe from "stripe";

import { formatDeadline } from "~/text/deadlines";

/**
 * The state of a checkout session, from the point of view of its order:
 * - `open`: can be paid
 * - `processing`: completed; with some payment methods the money takes days to arrive
 * - `paid`: paid, or there was nothing to pay
 * - `failed`: the payment failed
 * - `expired`: over, unpaid
 */
export type CheckoutState = "open" | "processing" | "paid" | "failed" | "expired";

/**
 * The statuses of a subscription whose first payment doesn't arrive, such as after a bank debit
 * that failed.
 */
const UNPAID = new Set<Stripe.Subscription.Status>([
  "past_due",
  "incomplete_expired",
  "canceled",
  "unpaid",
]);

/**
 * The state of a checkout session.
 * @param paymentStatus of its payment intent
 * @param subscriptionStatus of its subscription
 * @param invoiceStatus of its first invoice, which may be paid in another way than it was at the checkout: by
 *   a card, after a bank debit had failed
 */
export function getCheckoutState(
  session: Pick<Stripe.Checkout.Session, "status" | "payment_status">,
  paymentStatus: Stripe.PaymentIntent.Status | null,
  subscriptionStatus: Stripe.Subscription.Status | null,
  invoiceStatus: Stripe.Invoice.Status | null = null,
): CheckoutState {
  if (session.status === "expired") return "expired";
  if (session.status !== "complete") return "open";
  if (session.payment_status === "paid" || session.payment_status === "no_payment_required")
    return "paid";
  if (subscriptionStatus !== null && invoiceStatus === "paid") return "paid";
  const failed =
    paymentStatus === "requires_payment_method" ||
    paymentStatus === "canceled" ||
    (subscriptionStatus !== null && UNPAID.has(subscriptionStatus));
  return failed ? "failed" : "processing";
}

const OPEN_DISPUTE = new Set<string>(["needs_response", "under_review"]);

/**
 * The state of all disputes about one payment: a lost one counts first, then an open one. An inquiry
 * (`warning_…`) takes no money and does not count.
 */
export function getDisputeState(
  disputes: readonly Pick<Stripe.Dispute, "status">[],
): "lost" | "open" | "won" | null {
  if (disputes.some(({ status }) => status === "lost")) return "lost";
  if (disputes.some(({ status }) => OPEN_DISPUTE.has(status))) return "open";
  return disputes.some(({ status }) => status === "won") ? "won" : null;
}

/**
 * What Stripe says about a refund. One that is waiting for someone's action counts as on its way.
 */
export function getRefundState(
  status: string | null,
): "pending" | "succeeded" | "failed" | "canceled" {
  return status === "succeeded" || status === "failed" || status === "canceled"
    ? status
    : "pending";
}

/** When a subscription is set to end, in seconds. Null while it renews, and once it has ended. */
export function getSubscriptionEnd(
  subscription: Pick<
    Stripe.Subscription,
    "cancel_at" | "cancel_at_period_end" | "ended_at" | "items"
  >,
): number | null {
  if (subscription.ended_at !== null) return null;
  if (subscription.cancel_at !== null) return subscription.cancel_at;
  return subscription.cancel_at_period_end
    ? (subscription.items.data[0]?.current_period_end ?? null)
    : null;
}

/** Whether a subscription is charged again before it ends, or never ends. */
export function goesOnAfterPeriod(subscription: Parameters<typeof getSubscriptionEnd>[0]): boolean {
  const end = getSubscriptionEnd(subscription);
  const paidUntil = subscription.items.data[0]?.current_period_end ?? null;
  return end === null || (paidUntil !== null && end > paidUntil);
}

/** The state of an order, as its buyer sees it. */
export type OrderState =
  "open" | "confirming" | "failed" | "paid" | "refunding" | "refunded" | "disputed";

/**
 * The state of an order, as its buyer sees it.
 * @param order its row; `refund_reason` is set when the payment is to be refunded
 */
export function getOrderState(order: { status: string; refund_reason: string | null }): OrderState {
  if (order.status === "refunded") return "refunded";
  if (order.refund_reason !== null) return "refunding";
  if (order.status === "paid" || order.status === "disputed" || order.status === "failed")
    return order.status;
  return order.status === "processing" ? "confirming" : "open";
}

interface RunningPlan {
  status: string;
  /** Whether its last bill is on its way from a bank. */
  awaits_payment: boolean;
  /** Until when it goes on when it is stopped; null while that isn’t known. (Absent from a database of the previous release.) */
  paid_until?: string | null | undefined;
}

/** What is known of a plan that was renewed. */
export interface RenewedPlan extends RunningPlan {
  paid: boolean;
  period_to: string | null;
}

/**
 * Whether the last paid period of a running plan is over, and no charge for a new one is known: if it is stopped now, it
 * ends at once.
 */
export const isAboutToBeCharged = ({ status, paid, paid_until, period_to }: RenewedPlan): boolean =>
  (status === "active" || status === "trialing") &&
  paid &&
  paid_until === null &&
  period_to !== null;

/** Whether a canceled plan is over, and only Stripe hasn’t ended it yet: there is nothing left to keep. */
export const isCanceledAndOver = (plan: RenewedPlan & { ends_at: string | null }): boolean =>
  plan.ends_at !== null && isAboutToBeCharged(plan);

/** What a payer should know of a plan that goes on while its listing isn’t public. */
export const UNSEEN = "No one can see the listing right now, because it isn’t public.";

/**
 * What hiding a listing means for its plan, for the account that pays.
 * @param isPublic whether the public can find the listing now: if so, the text is about hiding it
 */
export const explainHiding = (isPublic: boolean): string =>
  isPublic
    ? "If you hide it, its Featured plan continues, and you’ll still be charged."
    : "Its Featured plan continues while no one can see it, and you’ll still be charged.";

/** Whether a listing can be upgraded: not when it was removed, is about to be, or is being looked into. */
export const canBeUpgraded = (listing: { status: string; archive_requested: boolean }): boolean =>
  listing.status !== "archived" && listing.status !== "flagged" && !listing.archive_requested;

/**
 * What happens to the first payment of a plan that was canceled while the payment was on its way,
 * as sentences.
 */
export const describeAwaitedPayment = (listing: string, end: string | null): string =>
  `Your payment is already on its way from your bank. When it arrives, ${listing} will be Featured${end ? ` until ${formatDeadline(end)}` : ""}. We won’t charge you after that.`;

/**
 * What happens to a payment that is on its way after its plan has ended: record_payments refunds
 * it.
 */
export const REFUNDED_ON_ARRIVAL =
  "A payment for the plan is already on its way from your bank. When it arrives, we’ll refund it.";

/** What a former owner reads of a plan whose first payment had failed: plans_to_stop ends it. */
export const NOT_TRIED_AGAIN = "Your payment for it didn’t go through, and we won’t try again.";

/** What is still charged for a plan that stops while the debit of its last bill is on its way. */
export const PAYMENT_ON_ITS_WAY =
  "A payment for the plan is already on its way from your bank. We won’t charge you after that.";

/**
 * Says what is still charged for a plan that stops: nothing, unless the debit of its last bill is
 * on its way.
 * @param text what happens to the plan, without a period @param promise what follows from it
 * otherwise
 */
export const withLastCharge = (
  text: string,
  isPaymentOnItsWay: boolean,
  promise = "and we won’t charge you again",
): string => (isPaymentOnItsWay ? `${text}. ${PAYMENT_ON_ITS_WAY}` : `${text}, ${promise}.`);
