import type Stripe from "stripe";

import { stripe } from "~/integrations/stripe/client.server";
import { nullIfMissing } from "~/integrations/stripe/stripe-error.server";

import { getCheckoutState, getDisputeState, getSubscriptionEnd, type CheckoutState } from "./rules";

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
    /** When the billing period began: each unpaid period is reported in one email. */
    period: string | null;
  };
  refunded_cents?: number;
  dispute?: "open" | "won" | "lost" | null;
};

interface PaymentQuery {
  /** The ids at Stripe, as far as they are known. */
  session: string | null;
  subscription: string | null;
  /** Whether to read the payments of the subscription too, for what was refunded. */
  withPayments: boolean;
}

/** The id in a field that Stripe may have expanded to the object. */
export function getStripeId(field: string | { id: string } | null | undefined): string | null {
  return typeof field === "string" ? field : (field?.id ?? null);
}

/** The object in a field that Stripe expanded; null when the field is empty or holds an id. */
const getExpanded = <T extends object>(field: string | T | null | undefined): T | null =>
  typeof field === "object" ? field : null;
const toIsoTime = (seconds: number) => new Date(seconds * 1000).toISOString();

/**
 * Reads from Stripe what it says about a payment now. A checkout session that Stripe does not know
 * (from another account, or from a test) can't be paid any more and counts as expired.
 * @returns null when no session is given and Stripe does not know the subscription
 * @throws Stripe's errors
 */
export async function readPaymentFacts({
  session: sessionId,
  subscription: subscriptionId,
  withPayments,
}: PaymentQuery): Promise<PaymentFacts | null> {
  const session =
    sessionId &&
    (await nullIfMissing(
      stripe().checkout.sessions.retrieve(sessionId, {
        expand: ["payment_intent.latest_charge", "invoice"],
      }),
    ));
  const currentSubscriptionId = (session && getStripeId(session.subscription)) ?? subscriptionId;
  const subscription = currentSubscriptionId
    ? await nullIfMissing(stripe().subscriptions.retrieve(currentSubscriptionId))
    : null;
  if (!sessionId && !subscription) return null;

  const intent = session ? getExpanded(session.payment_intent) : null;
  const payments =
    subscription && withPayments
      ? await listSubscriptionPayments(subscription)
      : intent
        ? [intent]
        : [];
  return {
    ...(sessionId
      ? {
          session: session
            ? toSessionFacts(session, intent, subscription)
            : toUnknownSessionFacts(sessionId),
        }
      : {}),
    ...(subscription ? { subscription: toSubscriptionFacts(subscription) } : {}),
    ...(payments.length > 0 ? await readRefunds(payments) : {}),
  };
}

function toSessionFacts(
  session: Stripe.Checkout.Session,
  intent: Stripe.PaymentIntent | null,
  subscription: Stripe.Subscription | null,
) {
  return {
    id: session.id,
    state: getCheckoutState(session, intent?.status ?? null, subscription?.status ?? null),
    subtotal_cents: session.amount_subtotal ?? 0,
    paid_cents: session.amount_total ?? 0,
    currency: session.currency,
    payment_intent: intent?.id ?? null,
    customer: getStripeId(session.customer),
    receipt_url:
      getExpanded(intent?.latest_charge)?.receipt_url ??
      getExpanded(session.invoice)?.hosted_invoice_url ??
      null,
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

function toSubscriptionFacts(subscription: Stripe.Subscription) {
  const ends = getSubscriptionEnd(subscription);
  const [item] = subscription.items.data;
  return {
    id: subscription.id,
    status: subscription.status,
    customer: getStripeId(subscription.customer)!,
    started_at: toIsoTime(subscription.start_date),
    ends_at: ends === null ? null : toIsoTime(ends),
    period: item ? toIsoTime(item.current_period_start) : null,
  };
}

async function readRefunds(
  payments: readonly Stripe.PaymentIntent[],
): Promise<Pick<PaymentFacts, "refunded_cents" | "dispute">> {
  const charges = payments
    .map((payment) => getExpanded(payment.latest_charge))
    .filter((charge) => charge !== null);
  const disputes = await Promise.all(
    charges
      .filter((charge) => charge.disputed && charge.payment_intent)
      .map((charge) =>
        stripe().disputes.list({ payment_intent: getStripeId(charge.payment_intent)!, limit: 100 }),
      ),
  );
  return {
    refunded_cents: charges.reduce((sum, charge) => sum + charge.amount_refunded, 0),
    dispute: getDisputeState(disputes.flatMap(({ data }) => data)),
  };
}

/** The successful payments of a subscription's latest invoice. @throws Stripe's errors */
export async function listSubscriptionPayments(
  subscription: Stripe.Subscription,
): Promise<Stripe.PaymentIntent[]> {
  const invoice = getStripeId(subscription.latest_invoice);
  if (!invoice) return [];
  const { data } = await stripe().invoicePayments.list({
    invoice,
    limit: 100,
    expand: ["data.payment.payment_intent.latest_charge"],
  });
  return data.flatMap(({ status, payment }) => {
    const intent = getExpanded(payment.payment_intent);
    return status === "paid" && intent ? [intent] : [];
  });
}

/** The id of the checkout session that created a subscription; null when there is none. */
export async function findSubscriptionSession(subscriptionId: string): Promise<string | null> {
  const { data } = await stripe().checkout.sessions.list({
    subscription: subscriptionId,
    limit: 1,
  });
  return data[0]?.id ?? null;
}
