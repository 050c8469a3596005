import type { Stripe } from "stripe";

import type { Account } from "./account";
import { billNow } from "./billing-cycle";
import { after } from "./interval";
import type { Line } from "./invoices";
import { nameOf, periodLines, planOf } from "./subscriptions";

export type Proration = "always_invoice" | "create_prorations" | "none";

/**
 * Puts a subscription on another price. With the same interval the period stays, and what is left of it is
 * charged and credited in proportion; with another interval a new period begins now and is billed at once.
 */
export function changePrice(
  account: Account,
  subscription: Stripe.Subscription,
  price: Stripe.Price,
  proration: Proration,
): Stripe.Subscription {
  const item = subscription.items.data[0]!;
  if (item.price.id === price.id) return subscription;
  const old = item.price.recurring!;
  const sameInterval =
    old.interval === price.recurring!.interval &&
    old.interval_count === price.recurring!.interval_count;

  const start = sameInterval ? item.current_period_start : account.now;
  const end = sameInterval ? item.current_period_end : after(account.now, price.recurring!);
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
            plan: planOf(price),
            current_period_start: start,
            current_period_end: end,
          },
        ],
      },
    },
    "customer.subscription.updated",
  );

  const lines: Line[] = [];
  if (proration !== "none") {
    lines.push(share(account, item, item.price, -1));
    if (sameInterval) lines.push(share(account, item, price, 1));
  }
  if (sameInterval && proration !== "always_invoice") {
    keepForNextInvoice(account, changed.id, lines);
    return changed;
  }
  if (!sameInterval) lines.push(...periodLines(account, changed));
  if (lines.length === 0) return changed;
  return billNow(account, changed, "subscription_update", lines, "away").subscription;
}

/** What the rest of the running period is worth at a price; -1 gives it back. */
function share(
  account: Account,
  item: Stripe.SubscriptionItem,
  price: Stripe.Price,
  sign: 1 | -1,
): Line {
  const { current_period_start: start, current_period_end: end } = item;
  const left = Math.max(0, end - account.now) / (end - start);
  return {
    description: `${sign < 0 ? "Unused" : "Remaining"} time on ${nameOf(account, price)}`,
    amount: sign * Math.round((price.unit_amount ?? 0) * left),
    quantity: 1,
    price: price.id,
    subscriptionItem: item.id,
    period: { start: account.now, end },
    proration: true,
  };
}

function keepForNextInvoice(account: Account, subscription: string, lines: Line[]): void {
  if (lines.length === 0) return;
  const kept = account.store.find("pending_lines", subscription)?.lines ?? [];
  account.store.put("pending_lines", subscription, { lines: [...kept, ...lines] });
}
