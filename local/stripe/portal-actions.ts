import type { Stripe } from "stripe";

import type { Account } from "./account";
import { ApiError } from "./api-error";
import { billNow, payOpenInvoices, periodLines, renewNow } from "./billing";
import { idOf } from "./ids";
import {
  attachPaymentMethod,
  createPaymentMethod,
  TEST_METHODS,
  type TestMethodName,
} from "./payment-methods";
import { productName } from "./products-and-prices";
import type { InvoiceLine } from "./records";
import { addMonths, endSubscription, toPlan } from "./subscriptions";

type Subscription = Stripe.Subscription;

/** Charges all of a customer's subscriptions to another card from now on. */
export function changeCard(account: Account, customerId: string, name: TestMethodName): void {
  if (TEST_METHODS[name].type !== "card")
    throw new ApiError("The local stand-in for Stripe takes cards alone for a plan.");
  const customer = account.customer(customerId);
  const card = attachPaymentMethod(
    account,
    createPaymentMethod(account, name, customer),
    customer.id,
  );
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

/** Ends the current period now: the subscription renews or, when that was scheduled, ends. */
export function endPeriodNow(
  account: Account,
  subscription: Subscription,
  card?: TestMethodName,
): Subscription {
  if (card) changeCard(account, idOf(subscription.customer), card);
  const current = account.get("subscription", subscription.id);
  if (current.cancel_at !== null)
    return endSubscription(
      account,
      current,
      "cancellation_requested",
      current.cancellation_details?.comment,
    );
  return renewNow(account, current).subscription;
}

/** Replaces a declined card by one that works, and pays the open invoices with it. */
export function fixCard(account: Account, subscription: Subscription): Subscription {
  changeCard(account, idOf(subscription.customer), "ok");
  return payOpenInvoices(account, account.get("subscription", subscription.id));
}

/**
 * Changes the price of a subscription. With the same interval the period stays, and the rest of it
 * is credited and charged in proportion; with another interval a new period begins now and is
 * billed at once.
 */
export function changePrice(
  account: Account,
  subscription: Subscription,
  price: Stripe.Price,
  proration: "always_invoice" | "none",
): Subscription {
  const item = subscription.items.data[0]!;
  if (item.price.id === price.id) return subscription;
  const months = price.recurring!.interval_count;
  const sameInterval = item.price.recurring!.interval_count === months;

  const start = sameInterval ? item.current_period_start : account.now;
  const end = sameInterval ? item.current_period_end : addMonths(account.now, months);
  const changed = account.save(
    "subscription",
    {
      ...subscription,
      billing_cycle_anchor: sameInterval ? subscription.billing_cycle_anchor : account.now,
      items: {
        ...subscription.items,
        data: [
          {
            ...item,
            price,
            plan: toPlan(price),
            current_period_start: start,
            current_period_end: end,
          },
        ],
      },
    },
    "customer.subscription.updated",
  );

  const lines: InvoiceLine[] = [];
  if (proration === "always_invoice") {
    lines.push(prorationLine(account, item, item.price, -netPrice(account, subscription)));
    if (sameInterval) lines.push(prorationLine(account, item, price, price.unit_amount ?? 0));
  }
  if (!sameInterval) lines.push(...periodLines(account, changed));
  if (lines.length === 0) return changed;
  return billNow(account, changed, "subscription_update", lines, "off_session").subscription;
}

/**
 * What the current period was billed at: less its discount, such as that of a first month, because prorations of
 * flexible billing include discounts.
 */
function netPrice(account: Account, subscription: Subscription): number {
  const { id, price, current_period_start: start } = subscription.items.data[0]!;
  const bill = account.store
    .all("invoice")
    .find(({ lines }) =>
      lines.data.some(
        (line) =>
          line.parent?.subscription_item_details?.subscription_item === id &&
          !line.parent.subscription_item_details.proration &&
          idOf(line.pricing!.price_details!.price) === price.id &&
          line.period.start === start,
      ),
    );
  const off = (bill?.total_discount_amounts ?? []).reduce((sum, { amount }) => sum + amount, 0);
  return (price.unit_amount ?? 0) - off;
}

/** A line for the rest of the current period; its credit for a negative amount. @param cents for the whole period */
function prorationLine(
  account: Account,
  item: Stripe.SubscriptionItem,
  price: Stripe.Price,
  cents: number,
): InvoiceLine {
  const { current_period_start: start, current_period_end: end } = item;
  const left = Math.max(0, end - account.now) / (end - start);
  return {
    description: `${cents < 0 ? "Unused" : "Remaining"} time on ${productName(account, price)}`,
    amount: Math.round(cents * left),
    quantity: 1,
    price: price.id,
    subscriptionItem: item.id,
    period: { start: account.now, end },
    proration: true,
  };
}
