import type { Stripe } from "stripe";

import type { Account, DueTask } from "./account";
import { lastingDiscounts } from "./coupons";
import { defaultPaymentMethod } from "./customers";
import { idOf } from "./ids";
import { createInvoice } from "./invoice-drafts";
import {
  finalizeInvoice,
  isPaymentOnItsWay,
  payInvoice,
  recordFailure,
  recordPayment,
} from "./invoices";
import type { Presence } from "./payment-methods";
import { priceLabel, productName } from "./products-and-prices";
import type { InvoiceLine } from "./records";
import { endSubscription, nextPeriodEnd, periodEnd } from "./subscriptions";

/** How long the invoice of a renewal stays a draft. */
const DRAFT_DURATION_S = 3600;
/** When a failed payment is tried again, in days after the first attempt. */
const RETRIES_AFTER_DAYS = [3, 5, 7];
const DAY_S = 86_400;

interface Billed {
  subscription: Stripe.Subscription;
  invoice: Stripe.Invoice;
}

/** The lines that bill one period of each item. */
export function periodLines(account: Account, subscription: Stripe.Subscription): InvoiceLine[] {
  return subscription.items.data.map((item) => {
    const quantity = item.quantity ?? 1;
    return {
      description: `${quantity} × ${productName(account, item.price)} (at ${priceLabel(item.price)})`,
      amount: (item.price.unit_amount ?? 0) * quantity,
      quantity,
      price: item.price.id,
      subscriptionItem: item.id,
      period: { start: item.current_period_start, end: item.current_period_end },
      proration: false,
    };
  });
}

/** Creates the draft of an invoice, which becomes the subscription's latest one. */
function draftInvoice(
  account: Account,
  subscription: Stripe.Subscription,
  reason: Stripe.Invoice.BillingReason,
  lines: InvoiceLine[],
  {
    finalizesAt = null,
    event,
  }: { finalizesAt?: number | null; event?: "customer.subscription.updated" } = {},
): Billed {
  const invoice = createInvoice(account, {
    customer: idOf(subscription.customer),
    subscription,
    reason,
    lines,
    discounts: subscription.discounts.map((one) => idOf(one)),
    automaticTax: subscription.automatic_tax,
    finalizesAt,
  });
  const discounts = lastingDiscounts(
    account,
    subscription.discounts.map((one) => idOf(one)),
  );
  return {
    invoice,
    subscription: account.save(
      "subscription",
      { ...subscription, discounts, latest_invoice: invoice.id },
      event,
    ),
  };
}

/**
 * Bills the first period of a new subscription, whose first payment the customer has authenticated.
 */
export function billFirstPeriod(account: Account, subscription: Stripe.Subscription): Billed {
  const lines = periodLines(account, subscription);
  return billNow(account, subscription, "subscription_create", lines, "authenticated");
}

/** Invoices these lines, and tries to collect the payment at once. */
export function billNow(
  account: Account,
  subscription: Stripe.Subscription,
  reason: Stripe.Invoice.BillingReason,
  lines: InvoiceLine[],
  presence: Presence,
): Billed {
  const draft = draftInvoice(account, subscription, reason, lines);
  const invoice = finalizeInvoice(account, draft.invoice);
  return collectPayment(account, draft.subscription, invoice, presence);
}

/** Begins the next period of a subscription, and drafts its invoice. */
function startNextPeriod(
  account: Account,
  subscription: Stripe.Subscription,
  start = periodEnd(subscription),
): Stripe.Invoice {
  const { price } = subscription.items.data[0]!;
  const end = nextPeriodEnd(subscription.billing_cycle_anchor, price, start);
  const data = subscription.items.data.map((item) => ({
    ...item,
    current_period_start: start,
    current_period_end: end,
  }));
  const renewed: Stripe.Subscription = { ...subscription, items: { ...subscription.items, data } };
  // The invoices of an unpaid subscription stay drafts: nothing more is collected.
  const unpaid = subscription.status === "unpaid";
  const lines = periodLines(account, renewed);
  const { invoice } = draftInvoice(account, renewed, "subscription_cycle", lines, {
    finalizesAt: unpaid ? null : account.now + DRAFT_DURATION_S,
    event: "customer.subscription.updated",
  });
  return unpaid
    ? account.store.put("invoice", invoice.id, { ...invoice, auto_advance: false })
    : invoice;
}

/** Renews a subscription as though its period ended now, and collects the payment at once. */
export function renewNow(account: Account, subscription: Stripe.Subscription): Billed {
  const anchored = { ...subscription, billing_cycle_anchor: account.now };
  return finalizeAndCollect(account, startNextPeriod(account, anchored, account.now));
}

function finalizeAndCollect(account: Account, draft: Stripe.Invoice): Billed {
  const subscription = subscriptionOf(account, draft)!;
  return collectPayment(account, subscription, finalizeInvoice(account, draft), "off_session");
}

/** Tries to pay an open invoice, and updates the status of its subscription. */
export function collectPayment(
  account: Account,
  subscription: Stripe.Subscription,
  invoice: Stripe.Invoice,
  presence: Presence,
): Billed {
  const customer = account.customer(idOf(subscription.customer));
  const own = idOf(subscription.default_payment_method);
  const method =
    own === null
      ? defaultPaymentMethod(account, customer)
      : account.store.find("payment_method", own);
  const retryAt = presence === "off_session" ? nextRetryAt(invoice) : invoice.next_payment_attempt;
  const after = payInvoice(account, invoice, method, presence, retryAt);
  return { invoice: after, subscription: updateStatus(account, subscription, after) };
}

/** When a failed payment is tried again by itself, in seconds; null after the last retry. */
function nextRetryAt(invoice: Stripe.Invoice): number | null {
  const days = RETRIES_AFTER_DAYS[invoice.attempt_count];
  return days === undefined ? null : invoice.status_transitions.finalized_at! + days * DAY_S;
}

/** Gives a subscription the status that follows from an attempt to pay its invoice. */
function updateStatus(
  account: Account,
  subscription: Stripe.Subscription,
  invoice: Stripe.Invoice,
): Stripe.Subscription {
  if (subscription.status === "canceled") return subscription;
  if (isPaymentOnItsWay(account, invoice)) {
    // Stripe does not wait for a debit: its subscription is active until the debit fails.
    return subscription.status === "incomplete"
      ? account.save(
          "subscription",
          { ...subscription, status: "active" },
          "customer.subscription.updated",
        )
      : subscription;
  }
  if (invoice.status === "paid") {
    // Stripe goes by the latest invoice. Others may be open.
    const { latest_invoice: latest, status: before } = account.get("subscription", subscription.id);
    const othersOpen = openInvoices(account, subscription).length > 0;
    const isLatest = idOf(latest) === invoice.id;
    const status = othersOpen && !isLatest && before !== "incomplete" ? before : "active";
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

function openInvoices(account: Account, { id }: Stripe.Subscription): Stripe.Invoice[] {
  return account.store
    .all("invoice")
    .filter(
      ({ status, parent }) =>
        status === "open" && parent?.subscription_details?.subscription === id,
    );
}

/** Pays all open invoices of a subscription, oldest first, as a customer does. */
export function payOpenInvoices(
  account: Account,
  subscription: Stripe.Subscription,
): Stripe.Subscription {
  let current = subscription;
  const open = openInvoices(account, subscription).filter(
    (invoice) => !isPaymentOnItsWay(account, invoice),
  );
  for (const invoice of open.reverse())
    current = collectPayment(account, current, invoice, "authenticated").subscription;
  return current;
}

/**
 * The bank debit of an invoice has arrived or failed. Returns the id of the invoice; null when the debit
 * is not for one.
 */
export function settleDebit(account: Account, intent: Stripe.PaymentIntent): string | null {
  const payment = account.store
    .all("invoice_payment")
    .find((one) => one.status === "open" && one.payment.payment_intent === intent.id);
  if (!payment) return null;
  const invoice = account.get("invoice", idOf(payment.invoice));
  const days = RETRIES_AFTER_DAYS[invoice.attempt_count - 1];
  const after =
    intent.status === "succeeded"
      ? recordPayment(account, invoice, payment)
      : recordFailure(account, invoice, days === undefined ? null : account.now + days * DAY_S);
  const subscription = subscriptionOf(account, invoice);
  if (subscription) updateStatus(account, subscription, after);
  return invoice.id;
}

/** What happens to subscriptions and invoices as time passes. */
export function dueBilling(account: Account): DueTask[] {
  const ofSubscriptions = account.store
    .all("subscription")
    .filter(({ status }) => ["active", "past_due", "unpaid"].includes(status))
    .map((one): DueTask => {
      const end = periodEnd(one);
      return one.cancel_at !== null && one.cancel_at <= end
        ? {
            at: one.cancel_at,
            run: () =>
              endSubscription(
                account,
                one,
                "cancellation_requested",
                one.cancellation_details?.comment,
              ),
          }
        : { at: end, run: () => startNextPeriod(account, one) };
    });
  const ofInvoices = account.store.all("invoice").flatMap((one): DueTask[] => {
    const subscription = subscriptionOf(account, one);
    if (!subscription) return [];
    // Canceling a subscription stops the collection of finalized invoices, Stripe says. It says nothing of drafts.
    if (one.status === "draft" && one.automatically_finalizes_at !== null)
      return [{ at: one.automatically_finalizes_at, run: () => finalizeAndCollect(account, one) }];
    if (subscription.status === "canceled") return [];
    if (one.status === "open" && one.next_payment_attempt !== null) {
      return [
        {
          at: one.next_payment_attempt,
          run: () => collectPayment(account, subscription, one, "off_session"),
        },
      ];
    }
    return [];
  });
  return [...ofSubscriptions, ...ofInvoices];
}
