import type Stripe from "stripe";

import { stripe } from "~/integrations/stripe/client.server";
import { nullIfMissing } from "~/integrations/stripe/stripe-error.server";

import {
  findInvoicePlans,
  findPlanOfPrice,
  readCharge,
  readInvoicePayment,
  type PaidFacts,
} from "./paid-facts.server";
import {
  getCheckoutState,
  getSubscriptionEnd,
  goesOnAfterPeriod,
  type CheckoutState,
} from "./rules";
import { getExpanded, getStripeId, toIsoTime } from "./stripe-fields";
import { endedBy, hasEnded, isPaidUp } from "./subscription-end.server";

/** What Stripe says about a payment at one moment, as `record_payment` takes it. Omitted: unchanged. */
export type PaymentFacts = {
  session?: {
    id: string;
    state: CheckoutState;
    subtotal_cents: number;
    paid_cents: number;
    currency: string | null;
    payment_intent: string | null;
    customer: string | null;
    receipt_url: string | null;
  };
  subscription?: {
    id: string;
    status: string;
    customer: string;
    started_at: string;
    ends_at: string | null;
    canceled_at: string | null;
    ended_at: string | null;
    /** Whether its customer ended it, rather than a failed payment. */
    by_customer: boolean;
    /** Whether we ended it: our team, or because it should not have been paid. */
    by_us: boolean;
    /** The id of the plan; null for a price that is not in our catalog. */
    plan: string | null;
    cents: number | null;
    months: number | null;
    period_from: string | null;
    period_to: string | null;
    next_attempt_at: string | null;
    /** What its customer has in credit, which pays for the next bills first. */
    credit_cents: number;
    /** Whether tax is added to `cents`. */
    plus_tax: boolean;
    /** Whether its last bill is on its way from a bank. */
    awaits_payment: boolean;
  };
  payments?: PaidFacts[];
};

/** A payment that is recorded: the id of its invoice, and whether its refunds may have changed. */
export interface KnownPayment {
  id: string;
  invoice: string | null;
  read: boolean;
}

interface PaymentQuery {
  /** The ids at Stripe, as far as they are known. */
  session: string | null;
  subscription: string | null;
  /** What is recorded already. */
  recorded: readonly KnownPayment[];
}

/** How many invoices of a subscription are read at a time. The reconciliation reads the others. */
const MAX_INVOICES_READ = 12;

/**
 * Reads from Stripe what it says about a payment now. A checkout session that Stripe does not know
 * (from another account, or from a test) can't be paid anymore and counts as expired.
 * @returns null when no session is given and Stripe does not know the subscription
 * @throws Stripe's errors
 */
export async function readPaymentFacts({
  session: sessionId,
  subscription: subscriptionId,
  recorded,
}: PaymentQuery): Promise<PaymentFacts | null> {
  const session =
    sessionId &&
    (await nullIfMissing(
      stripe().checkout.sessions.retrieve(sessionId, {
        expand: ["payment_intent.latest_charge", "invoice"],
      }),
    ));
  const currentSubscriptionId = (session && getStripeId(session.subscription)) ?? subscriptionId;
  const [subscription, invoices] = currentSubscriptionId
    ? await Promise.all([
        nullIfMissing(
          stripe().subscriptions.retrieve(currentSubscriptionId, {
            expand: ["latest_invoice", "customer", "discounts.source.coupon.applies_to"],
          }),
        ),
        listChargedInvoices(currentSubscriptionId),
      ])
    : [null, []];
  if (!sessionId && !subscription) return null;

  const intent = session ? getExpanded(session.payment_intent) : null;
  const selected = selectInvoices(invoices, recorded);
  const planOf = await findInvoicePlans(selected, subscription?.items.data[0]?.price);
  const read = await Promise.all([
    ...(session && !currentSubscriptionId ? [readSessionPayment(session, intent, recorded)] : []),
    ...selected.map((invoice) => readInvoicePayment(invoice, planOf(invoice))),
  ]);
  const payments = read.filter((payment) => payment !== null);
  return {
    ...(sessionId
      ? {
          session: session
            ? toSessionFacts(session, intent, subscription, payments)
            : toUnknownSessionFacts(sessionId),
        }
      : {}),
    ...(subscription
      ? { subscription: toSubscriptionFacts(subscription, await awaitsPayment(subscription)) }
      : {}),
    payments,
  };
}

/**
 * The paid invoices of a subscription, newest first, and then the voided ones, since a bank debit
 * for one of these may have been on its way. None when Stripe does not know it.
 */
async function listChargedInvoices(subscription: string): Promise<Stripe.Invoice[]> {
  const list = await nullIfMissing(stripe().invoices.list({ subscription, limit: 100 }));
  const having = (wanted: Stripe.Invoice.Status) =>
    (list?.data ?? []).filter(({ status }) => status === wanted);
  return [...having("paid"), ...having("void")];
}

/** Those that are not recorded yet, and those whose refunds may have changed. */
function selectInvoices(
  invoices: readonly Stripe.Invoice[],
  recorded: readonly KnownPayment[],
): Stripe.Invoice[] {
  const known = new Map(recorded.map(({ invoice, read }) => [invoice, read]));
  const isWanted = ({ id }: Stripe.Invoice) => known.get(id) ?? true;
  return invoices.filter(isWanted).slice(0, MAX_INVOICES_READ);
}

/** The payment of a checkout session that is not for a subscription; null while there is none. */
async function readSessionPayment(
  session: Stripe.Checkout.Session,
  intent: Stripe.PaymentIntent | null,
  recorded: readonly KnownPayment[],
): Promise<PaidFacts | null> {
  const invoice = getExpanded(session.invoice);
  const shared = {
    reason: "purchase",
    currency: session.currency ?? "usd",
    tax_cents: session.total_details?.amount_tax ?? 0,
    invoice: getStripeId(session.invoice),
    number: invoice?.number ?? null,
    plan: null,
    period_from: null,
    period_to: null,
  } as const;
  if (session.payment_status === "no_payment_required")
    return {
      ...shared,
      id: session.id,
      cents: 0,
      paid_at: toIsoTime(session.created),
      dispute: null,
      refunds: null,
    };
  const charge = getExpanded(intent?.latest_charge);
  if (!intent || intent.status !== "succeeded" || !charge) return null;
  const isRead = recorded.some(({ id, read }) => id === intent.id && read);
  return { ...shared, ...(await readCharge(intent.id, charge, isRead)) };
}

function toSessionFacts(
  session: Stripe.Checkout.Session,
  intent: Stripe.PaymentIntent | null,
  subscription: Stripe.Subscription | null,
  payments: readonly PaidFacts[],
) {
  const invoice = getExpanded(session.invoice);
  const isPaid = payments.some((payment) => payment.invoice === invoice?.id);
  return {
    id: session.id,
    state: getCheckoutState(
      session,
      intent?.status ?? null,
      subscription?.status ?? null,
      isPaid ? "paid" : (invoice?.status ?? null),
    ),
    subtotal_cents: session.amount_subtotal ?? 0,
    paid_cents: session.amount_total ?? 0,
    currency: session.currency,
    payment_intent: intent?.id ?? null,
    customer: getStripeId(session.customer),
    receipt_url:
      getExpanded(intent?.latest_charge)?.receipt_url ?? invoice?.hosted_invoice_url ?? null,
  };
}

function toUnknownSessionFacts(id: string) {
  const nothing = {
    subtotal_cents: 0,
    paid_cents: 0,
    currency: null,
    payment_intent: null,
    customer: null,
    receipt_url: null,
  };
  return { id, state: "expired" as const, ...nothing };
}

/**
 * Whether a bill of a subscription is on its way from a bank. Stripe stores only the latest bill
 * with it, which is that of a change of plan when there was one meanwhile. (When a subscription has
 * ended, its other open bills are voided.)
 */
async function awaitsPayment({
  id,
  status,
  latest_invoice,
}: Stripe.Subscription): Promise<boolean> {
  const latest = getExpanded(latest_invoice);
  if (!(isPaidUp(status) || hasEnded(status)) || latest === null) return false;
  if (latest.status === "open" || latest.billing_reason !== "subscription_update")
    return latest.status === "open";
  const open = await stripe().invoices.list({ subscription: id, status: "open", limit: 1 });
  return open.data.length > 0;
}

function toSubscriptionFacts(subscription: Stripe.Subscription, awaitsPayment: boolean) {
  // Until its last period, a plan that is to end on a later day is one that renews: it is charged again before.
  const ends = goesOnAfterPeriod(subscription) ? null : getSubscriptionEnd(subscription);
  const [item] = subscription.items.data;
  const { price } = item ?? {};
  const toTime = (seconds: number | null | undefined) => (seconds ? toIsoTime(seconds) : null);
  return {
    id: subscription.id,
    status: subscription.status,
    customer: getStripeId(subscription.customer)!,
    started_at: toIsoTime(subscription.start_date),
    ends_at: toTime(ends),
    canceled_at: toTime(subscription.canceled_at),
    ended_at: toTime(subscription.ended_at),
    by_customer: endedBy(subscription) === "customer",
    by_us: endedBy(subscription) === "us",
    plan: findPlanOfPrice(price),
    cents: getNextBill(subscription),
    months: price?.recurring?.interval === "month" ? price.recurring.interval_count : null,
    period_from: toTime(item?.current_period_start),
    period_to: toTime(item?.current_period_end),
    next_attempt_at:
      subscription.status === "past_due"
        ? toTime(getExpanded(subscription.latest_invoice)?.next_payment_attempt)
        : null,
    credit_cents: getCredit(subscription.customer),
    plus_tax: subscription.automatic_tax.enabled,
    awaits_payment: awaitsPayment,
  };
}

/**
 * What a subscription charges next, before tax, in cents: its price, times a quantity that our team may have set at
 * Stripe, less the discounts that last until then. Null for a price that isn't a fixed amount.
 */
function getNextBill({ items, discounts }: Stripe.Subscription): number | null {
  const [item] = items.data;
  if (item?.price.unit_amount == null) return null;
  const { price, current_period_end: at } = item;
  let cents = price.unit_amount! * (item.quantity ?? 1);
  for (const discount of discounts.map(getExpanded)) {
    const coupon = getExpanded(discount?.source.coupon);
    // One that applies once has been used.
    if (!discount || !coupon || coupon.duration === "once") continue;
    if (discount.end !== null && discount.end <= at) continue;
    if (coupon.applies_to?.products.includes(getStripeId(price.product)!) === false) continue;
    const { percent_off: percent, amount_off: amount } = coupon;
    const off = percent ? Math.round((cents * percent) / 100) : (amount ?? 0);
    cents = Math.max(0, cents - off);
  }
  return cents;
}

/** At Stripe, a negative balance is what a customer is owed. */
function getCredit(customer: Stripe.Subscription["customer"]): number {
  const found = getExpanded(customer);
  return found && !found.deleted ? Math.max(0, -found.balance) : 0;
}

/** The id of the checkout session that created a subscription; null when there is none. */
export async function findSubscriptionSession(subscriptionId: string): Promise<string | null> {
  const { data } = await stripe().checkout.sessions.list({
    subscription: subscriptionId,
    limit: 1,
  });
  return data[0]?.id ?? null;
}
