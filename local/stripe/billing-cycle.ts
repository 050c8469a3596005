import type { Stripe } from "stripe";

import type { Account } from "./account";
import type { Presence } from "./payment-methods";
import { defaultCard } from "./customers";
import { leftAfterInvoice } from "./discounts";
import { idOf } from "./ids";
import { nextEnd } from "./interval";
import { collectInvoice, createInvoice, finalizeInvoice, type Line } from "./invoices";
import { endSubscription, periodEnd, periodLines } from "./subscriptions";

/** How long a renewal's invoice stays a draft. */
const DRAFT_S = 3600;
/** When a failed payment is tried again, in days after the first try. */
const RETRIES_AFTER_DAYS = [3, 5, 7];
const DAY_S = 86_400;

interface Billed {
  subscription: Stripe.Subscription;
  invoice: Stripe.Invoice;
}

/** The draft of an invoice for a subscription, which is its latest one from then on. */
function draftInvoice(
  account: Account,
  subscription: Stripe.Subscription,
  reason: Stripe.Invoice.BillingReason,
  lines: Line[],
  {
    finalizesAt = null,
    happened,
  }: { finalizesAt?: number | null; happened?: "customer.subscription.updated" } = {},
): Billed {
  const invoice = createInvoice(account, { subscription, reason, lines, finalizesAt });
  const discounts = leftAfterInvoice(
    account,
    subscription.discounts.map((one) => idOf(one)),
  );
  return {
    invoice,
    subscription: account.save(
      "subscription",
      { ...subscription, discounts, latest_invoice: invoice.id },
      happened,
    ),
  };
}

/** Bills these lines of a subscription at once. */
export function billNow(
  account: Account,
  subscription: Stripe.Subscription,
  reason: Stripe.Invoice.BillingReason,
  lines: Line[],
  person: Presence,
): Billed {
  const draft = draftInvoice(account, subscription, reason, lines);
  return collectFor(account, draft.subscription, finalizeInvoice(account, draft.invoice), person);
}

/** Begins the next period of a subscription, and the draft of its invoice. */
export function renew(
  account: Account,
  subscription: Stripe.Subscription,
  start = periodEnd(subscription),
): Stripe.Invoice {
  const item = subscription.items.data[0]!;
  const end = nextEnd(subscription.billing_cycle_anchor, item.price.recurring!, start);
  const data = subscription.items.data.map((one) => ({
    ...one,
    current_period_start: start,
    current_period_end: end,
  }));
  const renewed: Stripe.Subscription = { ...subscription, items: { ...subscription.items, data } };
  const pending = account.store.find("pending_lines", subscription.id)?.lines ?? [];
  account.store.remove("pending_lines", subscription.id);
  const lines = [...pending, ...periodLines(account, renewed)];
  // Of a subscription that was given up nothing is collected any more; its invoices stay drafts.
  const unpaid = subscription.status === "unpaid";
  const { invoice } = draftInvoice(account, renewed, "subscription_cycle", lines, {
    finalizesAt: unpaid ? null : account.now + DRAFT_S,
    happened: "customer.subscription.updated",
  });
  return unpaid
    ? account.store.put("invoice", invoice.id, { ...invoice, auto_advance: false })
    : invoice;
}

/** Begins the next period as though the running one ended now, and collects for it at once. */
export function renewNow(account: Account, subscription: Stripe.Subscription): Billed {
  const draft = renew(account, { ...subscription, billing_cycle_anchor: account.now }, account.now);
  return closeAndCollect(account, draft);
}

export function closeAndCollect(account: Account, draft: Stripe.Invoice): Billed {
  const subscription = subscriptionOf(account, draft)!;
  return collectFor(account, subscription, finalizeInvoice(account, draft), "away");
}

/** Tries to collect an invoice of a subscription, and lets the subscription's status follow. */
export function collectFor(
  account: Account,
  subscription: Stripe.Subscription,
  invoice: Stripe.Invoice,
  person: Presence,
): Billed {
  const customer = account.customer(idOf(subscription.customer));
  const own = idOf(subscription.default_payment_method);
  const card =
    own === null ? defaultCard(account, customer) : account.store.find("payment_method", own);
  const after = collectInvoice(
    account,
    invoice,
    card,
    person,
    person === "away" ? nextTry(invoice) : invoice.next_payment_attempt,
  );
  return { invoice: after, subscription: follow(account, subscription, after) };
}

/** When a failed payment is tried again by itself; null when it has been often enough. */
function nextTry(invoice: Stripe.Invoice): number | null {
  const days = RETRIES_AFTER_DAYS[invoice.attempt_count];
  return days === undefined ? null : invoice.status_transitions.finalized_at! + days * DAY_S;
}

/** The status that a subscription has after its invoice was paid, or was not. */
function follow(
  account: Account,
  subscription: Stripe.Subscription,
  invoice: Stripe.Invoice,
): Stripe.Subscription {
  if (subscription.status === "canceled") return subscription;
  if (invoice.status === "paid") {
    const othersOpen = account.store
      .all("invoice")
      .some(
        (one) =>
          one.status === "open" &&
          one.parent?.subscription_details?.subscription === subscription.id,
      );
    const status =
      othersOpen && subscription.status !== "incomplete" ? subscription.status : "active";
    return status === subscription.status
      ? subscription
      : account.save("subscription", { ...subscription, status }, "customer.subscription.updated");
  }
  if (invoice.next_payment_attempt !== null) {
    if (subscription.status === "past_due" || subscription.status === "unpaid") return subscription;
    return account.save(
      "subscription",
      { ...subscription, status: "past_due" },
      "customer.subscription.updated",
    );
  }
  if (subscription.status === "unpaid") return subscription;
  if (account.settings.afterRetries === "cancel")
    return endSubscription(account, subscription, "payment_failed");
  return account.save(
    "subscription",
    { ...subscription, status: "unpaid" },
    "customer.subscription.updated",
  );
}

function subscriptionOf(
  account: Account,
  invoice: Stripe.Invoice,
): Stripe.Subscription | undefined {
  const id = idOf(invoice.parent?.subscription_details?.subscription);
  return id === null ? undefined : account.store.find("subscription", id);
}

/** Pays whatever a subscription still owes, as somebody does who has mended their card. */
export function payWhatIsOwed(
  account: Account,
  subscription: Stripe.Subscription,
): Stripe.Subscription {
  const open = account.store
    .all("invoice")
    .filter(
      (one) =>
        one.status === "open" && one.parent?.subscription_details?.subscription === subscription.id,
    );
  for (const invoice of open.reverse()) {
    collectFor(account, account.find("subscription", subscription.id), invoice, "has confirmed");
  }
  return account.find("subscription", subscription.id);
}

/** Something that happens by itself when its time has come. */
export interface Due {
  at: number;
  happen: () => void;
}

/** What the passing of time does to subscriptions and invoices. */
export function billingDue(account: Account): Due[] {
  const ofSubscriptions = account.store
    .all("subscription")
    .filter(({ status }) => ["active", "past_due", "unpaid"].includes(status))
    .map((one): Due => {
      const end = periodEnd(one);
      return one.cancel_at !== null && one.cancel_at <= end
        ? {
            at: one.cancel_at,
            happen: () => endSubscription(account, one, "cancellation_requested"),
          }
        : { at: end, happen: () => renew(account, one) };
    });
  const ofInvoices = account.store.all("invoice").flatMap((one): Due[] => {
    const subscription = subscriptionOf(account, one);
    if (!subscription || subscription.status === "canceled") return [];
    if (one.status === "draft" && one.automatically_finalizes_at !== null) {
      return [{ at: one.automatically_finalizes_at, happen: () => closeAndCollect(account, one) }];
    }
    if (one.status === "open" && one.next_payment_attempt !== null) {
      return [
        {
          at: one.next_payment_attempt,
          happen: () => collectFor(account, subscription, one, "away"),
        },
      ];
    }
    return [];
  });
  return [...ofSubscriptions, ...ofInvoices];
}
