import type { Stripe } from "stripe";

import type { Account } from "./account";
import { payWhatIsOwed, renewNow } from "./billing-cycle";
import { attachMethod, createMethod, TEST_METHODS, type TestMethodName } from "./payment-methods";
import { Refusal } from "./refusal";
import { idOf } from "./ids";
import { cancelLater, endSubscription, periodEnd } from "./subscriptions";

type Subscription = Stripe.Subscription;

/**
 * Cancels as the portal does: with the date alone. `cancel_at_period_end` stays false, which an app that
 * looks only there does not notice.
 */
export function cancelInPortal(
  account: Account,
  subscription: Subscription,
  mode: Stripe.BillingPortal.Configuration.Features.SubscriptionCancel.Mode,
): Subscription {
  if (mode === "immediately")
    return endSubscription(account, subscription, "cancellation_requested");
  return cancelLater(account, subscription, periodEnd(subscription));
}

/** From now on this card pays for the customer's plans. */
export function changeCard(account: Account, customerId: string, name: TestMethodName): void {
  if (TEST_METHODS[name].type !== "card")
    throw new Refusal("The local stand-in for Stripe takes cards alone for a plan.");
  const customer = account.customer(customerId);
  const card = attachMethod(account, createMethod(account, name, customer), customer.id);
  account.save(
    "customer",
    {
      ...customer,
      invoice_settings: { ...customer.invoice_settings, default_payment_method: card.id },
    },
    "customer.updated",
  );
  for (const subscription of account.store.all("subscription")) {
    if (subscription.customer !== customer.id || subscription.status === "canceled") continue;
    account.save(
      "subscription",
      { ...subscription, default_payment_method: card.id },
      "customer.subscription.updated",
    );
  }
}

/** The running period ends now: the plan renews, or ends when that was decided. */
export function endPeriodNow(
  account: Account,
  subscription: Subscription,
  card?: TestMethodName,
): Subscription {
  if (card) changeCard(account, idOf(subscription.customer), card);
  const now = account.find("subscription", subscription.id);
  if (now.cancel_at !== null) return endSubscription(account, now, "cancellation_requested");
  return renewNow(account, now).subscription;
}

/** A card that works takes the old one's place, and pays what is owed. */
export function mendCard(account: Account, subscription: Subscription): Subscription {
  changeCard(account, idOf(subscription.customer), "ok");
  return payWhatIsOwed(account, account.find("subscription", subscription.id));
}
