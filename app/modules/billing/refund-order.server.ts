import { stripe } from "~/integrations/stripe/client.server";
import { nullIfMissing, withIdempotencyKey } from "~/integrations/stripe/stripe-error.server";
import { createServiceClient } from "~/integrations/supabase/clients.server";
import { unwrap } from "~/integrations/supabase/data.server";

import { listSubscriptionPayments } from "./payment-facts.server";

/**
 * Refunds an order in full, when the database has a reason for it (`refund_reason`). The subscription
 * that the order paid for ends at once. Safe to repeat.
 * @throws DataError, Stripe's errors
 */
export async function refundOrder(orderId: string): Promise<void> {
  const order = unwrap(
    await createServiceClient()
      .from("orders")
      .select("refund_reason, stripe_payment_intent_id, stripe_subscription_id")
      .eq("id", orderId)
      .single(),
  );
  if (order.refund_reason === null) return;
  const payments = order.stripe_subscription_id
    ? await endAndListPayments(order.stripe_subscription_id)
    : [order.stripe_payment_intent_id].filter((id) => id !== null);
  for (const payment of payments) {
    try {
      const reason = order.refund_reason === "paid-twice" ? "duplicate" : "requested_by_customer";
      await withIdempotencyKey(`refund-${orderId}-${payment}`, (options) =>
        stripe().refunds.create(
          { payment_intent: payment, reason, metadata: { order: orderId } },
          options,
        ),
      );
    } catch (error) {
      if ((error as { code?: string }).code !== "charge_already_refunded") throw error;
    }
  }
}

/** Ends a subscription now. @returns the ids of the payments of its latest invoice */
async function endAndListPayments(subscriptionId: string): Promise<string[]> {
  const subscription = await stripe().subscriptions.retrieve(subscriptionId);
  await endSubscription(subscription);
  return (await listSubscriptionPayments(subscription)).map(({ id }) => id);
}

const ENDED = new Set(["canceled", "incomplete_expired"]);

/** Whether a subscription with this status has ended for good. */
export function hasEnded(status: string): boolean {
  return ENDED.has(status);
}

/** Ends a subscription now, unless it has ended. @throws Stripe's errors */
export async function endSubscription({
  id,
  status,
}: {
  id: string;
  status: string;
}): Promise<void> {
  if (hasEnded(status)) return;
  // Missing when someone else ended it in the meantime.
  await nullIfMissing(stripe().subscriptions.cancel(id));
}
