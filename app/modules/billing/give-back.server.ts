import { stripe } from "~/integrations/stripe/client.server";
import { found, underKey } from "~/integrations/stripe/failure.server";
import { createServiceClient } from "~/integrations/supabase/clients.server";
import { unwrap } from "~/integrations/supabase/data.server";

import { paymentsOf } from "./stripe-facts.server";

/**
 * Gives the payment of an order back, whole: it was paid twice, or what it was for is gone. The subscription it
 * paid for ends at once. Safe to repeat.
 * @throws DataError, Stripe's failures
 */
export async function giveBack(orderId: string): Promise<void> {
  const order = unwrap(
    await createServiceClient()
      .from("orders")
      .select("refund_reason, stripe_payment_intent_id, stripe_subscription_id")
      .eq("id", orderId)
      .single(),
  );
  if (order.refund_reason === null) return;
  const payments = order.stripe_subscription_id
    ? await endAtOnce(order.stripe_subscription_id)
    : [order.stripe_payment_intent_id].filter((id) => id !== null);
  for (const payment of payments) {
    try {
      const reason = order.refund_reason === "paid-twice" ? "duplicate" : "requested_by_customer";
      await underKey(`give-back-${orderId}-${payment}`, (options) =>
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

/** Ends a subscription now. Gives the payments of its newest invoice. */
async function endAtOnce(subscriptionId: string): Promise<string[]> {
  const subscription = await stripe().subscriptions.retrieve(subscriptionId);
  await endSubscription(subscription);
  return (await paymentsOf(subscription)).map(({ id }) => id);
}

const ENDED = new Set(["canceled", "incomplete_expired"]);

/** Whether a subscription in this state is over for good. */
export function hasEnded(status: string): boolean {
  return ENDED.has(status);
}

/** Ends a subscription now, unless it has ended. @throws Stripe's failures */
export async function endSubscription({
  id,
  status,
}: {
  id: string;
  status: string;
}): Promise<void> {
  if (hasEnded(status)) return;
  // Null when somebody else has ended it.
  await found(stripe().subscriptions.cancel(id));
}
