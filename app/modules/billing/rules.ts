/** What Stripe's answers mean to an order. Pure. */

import type Stripe from "stripe";

/**
 * A checkout, as an order sees it:
 * - `open`: can be paid
 * - `processing`: gone through; the money is on its way, for days with some ways to pay
 * - `paid`: paid, or there was nothing to pay
 * - `failed`: the money did not come
 * - `expired`: over, unpaid
 */
export type CheckoutState = "open" | "processing" | "paid" | "failed" | "expired";

/** What a checkout has come to. `paymentStatus` is that of its payment intent, `subscription` of its subscription. */
export function checkoutState(
  session: Pick<Stripe.Checkout.Session, "status" | "payment_status">,
  paymentStatus: Stripe.PaymentIntent.Status | null,
  subscription: Stripe.Subscription.Status | null,
): CheckoutState {
  if (session.status === "expired") return "expired";
  if (session.status !== "complete") return "open";
  if (session.payment_status === "paid" || session.payment_status === "no_payment_required")
    return "paid";
  const failed =
    paymentStatus === "requires_payment_method" ||
    paymentStatus === "canceled" ||
    subscription === "incomplete_expired";
  return failed ? "failed" : "processing";
}

const DISPUTE_OPEN = new Set<string>(["needs_response", "under_review"]);

/**
 * How the disputes about one payment stand: one that was lost counts, then one that runs. An inquiry
 * (`warning_…`) takes no money and is none.
 */
export function disputeState(
  disputes: readonly Pick<Stripe.Dispute, "status">[],
): "lost" | "open" | "won" | null {
  if (disputes.some(({ status }) => status === "lost")) return "lost";
  if (disputes.some(({ status }) => DISPUTE_OPEN.has(status))) return "open";
  return disputes.some(({ status }) => status === "won") ? "won" : null;
}

/** When a subscription ends by itself, in seconds; null while it goes on, and once it has ended. */
export function endsAt(
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

/** What an order looks like to whoever made it. */
export type OrderState =
  "open" | "confirming" | "failed" | "paid" | "returning" | "returned" | "disputed";

/**
 * The state of an order in the words of the pages.
 * @param order its row: `refund_reason` says why the payment is given back
 */
export function orderState(order: { status: string; refund_reason: string | null }): OrderState {
  if (order.status === "refunded") return "returned";
  if (order.refund_reason !== null) return "returning";
  if (order.status === "paid" || order.status === "disputed" || order.status === "failed")
    return order.status;
  return order.status === "processing" ? "confirming" : "open";
}
