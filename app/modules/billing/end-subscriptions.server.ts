import type { Log } from "~/http/log.server";
import { found } from "~/integrations/stripe/failure.server";
import { paymentsAreSetUp, stripe } from "~/integrations/stripe/client.server";
import { createServiceClient } from "~/integrations/supabase/clients.server";
import { unwrap } from "~/integrations/supabase/data.server";

import { explainedPayment, NOT_SET_UP } from "./checkout.server";
import { endSubscription, hasEnded } from "./give-back.server";
import { PaymentUnavailable } from "./payment-refusals.server";
import { expireCheckout, settle } from "./settle.server";

/**
 * Before somebody's account is deleted: ends what they pay for, so that nobody is charged for an account that is gone,
 * closes what they could still pay, and has Stripe forget them. Listings they paid for are no longer Featured.
 * Safe to repeat: what has ended stays ended. Nothing is refunded.
 * @throws PaymentUnavailable when Stripe does not answer: then the account must not be deleted yet; DataError
 */
export async function endSubscriptionsOf(userId: string, log: Log): Promise<void> {
  const db = createServiceClient();
  const [profile, recorded, older, orders] = await Promise.all([
    db.from("profiles").select("stripe_customer_id").eq("id", userId).maybeSingle(),
    db.from("subscriptions").select("id, status").eq("owner", userId),
    // Those that are older than the orders stand with the listing alone. What somebody else pays for goes on.
    db
      .from("places")
      .select("stripe_subscription_id, subscription_status")
      .eq("owner", userId)
      .not("stripe_subscription_id", "is", null),
    db
      .from("orders")
      .select("id, stripe_checkout_session_id")
      .eq("owner", userId)
      .is("paid_at", null)
      .not("stripe_checkout_session_id", "is", null)
      .gt("expires_at", new Date().toISOString()),
  ]);
  unwrap(profile);
  const customer = profile.data?.stripe_customer_id ?? null;
  const running = new Set<string>();
  for (const { id, status } of unwrap(recorded)) if (!hasEnded(status)) running.add(id);
  const listed = unwrap(older).flatMap(
    ({ stripe_subscription_id: id, subscription_status: status }) =>
      id && !hasEnded(status ?? "") ? [id] : [],
  );
  const others =
    listed.length > 0
      ? unwrap(await db.from("subscriptions").select("id").in("id", listed).neq("owner", userId))
      : [];
  for (const id of listed) if (!others.some((other) => other.id === id)) running.add(id);
  const open = unwrap(orders);
  if (!customer && running.size === 0 && open.length === 0) return;
  if (!paymentsAreSetUp()) throw new PaymentUnavailable(NOT_SET_UP);

  try {
    for (const { id, stripe_checkout_session_id: session } of open)
      await expireCheckout(id, session!, log);
    if (customer) {
      // Whatever we have not heard of yet.
      for await (const { id, status } of stripe().subscriptions.list({
        customer,
        status: "all",
        limit: 100,
      })) {
        if (!hasEnded(status)) running.add(id);
      }
    }
    for (const id of running) {
      const subscription = await found(stripe().subscriptions.retrieve(id));
      if (subscription) await endSubscription(subscription);
      await settle({ subscriptionId: id }, { log });
    }
    if (customer) {
      await found(stripe().customers.del(customer));
      unwrap(await db.from("profiles").update({ stripe_customer_id: null }).eq("id", userId));
    }
  } catch (error) {
    throw explainedPayment(error, log);
  }
  log.info({ user: userId, subscriptions: running.size }, "subscriptions ended");
}
