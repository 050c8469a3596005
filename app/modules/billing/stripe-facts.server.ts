import type Stripe from "stripe";

import { stripe } from "~/integrations/stripe/client.server";
import { nullIfMissing } from "~/integrations/stripe/stripe-error.server";

import { checkoutState, disputeState, endsAt, type CheckoutState } from "./rules";

/** What Stripe says of an order, in the words that `settle_payment` takes. What is left out is not changed. */
export interface PaymentFacts {
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
    /** When the period that is paid for began: one letter for each that was not paid. */
    period: string | null;
  };
  refunded_cents?: number;
  dispute?: "open" | "won" | "lost" | null;
}

interface Asked {
  session: string | null;
  subscription: string | null;
  /** Whether its payments count though it is a subscription: what was given back of them. */
  withPayments: boolean;
}

/** The id of something that Stripe gives either by its id or whole. */
export function idOf(thing: string | { id: string } | null | undefined): string | null {
  return typeof thing === "string" ? thing : (thing?.id ?? null);
}

const whole = <T extends object>(thing: string | T | null | undefined): T | null =>
  typeof thing === "object" ? thing : null;
const moment = (seconds: number) => new Date(seconds * 1000).toISOString();

/**
 * Asks Stripe how an order stands now. A checkout that Stripe does not know (of another account, or from testing) can't
 * be paid any more: it is over.
 * @returns null when there is no checkout, and Stripe does not know the subscription
 * @throws Stripe's failures
 */
export async function askStripe({
  session: sessionId,
  subscription: subscriptionId,
  withPayments,
}: Asked): Promise<PaymentFacts | null> {
  const session =
    sessionId &&
    (await nullIfMissing(
      stripe().checkout.sessions.retrieve(sessionId, {
        expand: ["payment_intent.latest_charge", "invoice"],
      }),
    ));
  const boughtId = (session && idOf(session.subscription)) ?? subscriptionId;
  const subscription = boughtId
    ? await nullIfMissing(stripe().subscriptions.retrieve(boughtId))
    : null;
  if (!sessionId && !subscription) return null;

  const intent = session ? whole(session.payment_intent) : null;
  const payments =
    subscription && withPayments ? await paymentsOf(subscription) : intent ? [intent] : [];
  return {
    ...(sessionId
      ? {
          session: session
            ? sessionFacts(session, intent, subscription)
            : unknownSession(sessionId),
        }
      : {}),
    ...(subscription ? { subscription: subscriptionFacts(subscription) } : {}),
    ...(payments.length > 0 ? await returnedOf(payments) : {}),
  };
}

function sessionFacts(
  session: Stripe.Checkout.Session,
  intent: Stripe.PaymentIntent | null,
  subscription: Stripe.Subscription | null,
) {
  return {
    id: session.id,
    state: checkoutState(session, intent?.status ?? null, subscription?.status ?? null),
    subtotal_cents: session.amount_subtotal ?? 0,
    paid_cents: session.amount_total ?? 0,
    currency: session.currency,
    payment_intent: intent?.id ?? null,
    customer: idOf(session.customer),
    receipt_url:
      whole(intent?.latest_charge)?.receipt_url ??
      whole(session.invoice)?.hosted_invoice_url ??
      null,
  };
}

function unknownSession(id: string) {
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

function subscriptionFacts(subscription: Stripe.Subscription) {
  const ends = endsAt(subscription);
  const [item] = subscription.items.data;
  return {
    id: subscription.id,
    status: subscription.status,
    customer: idOf(subscription.customer)!,
    started_at: moment(subscription.start_date),
    ends_at: ends === null ? null : moment(ends),
    period: item ? moment(item.current_period_start) : null,
  };
}

async function returnedOf(
  payments: readonly Stripe.PaymentIntent[],
): Promise<Pick<PaymentFacts, "refunded_cents" | "dispute">> {
  const charges = payments
    .map((payment) => whole(payment.latest_charge))
    .filter((charge) => charge !== null);
  const disputes = await Promise.all(
    charges
      .filter((charge) => charge.disputed && charge.payment_intent)
      .map((charge) =>
        stripe().disputes.list({ payment_intent: idOf(charge.payment_intent)!, limit: 100 }),
      ),
  );
  return {
    refunded_cents: charges.reduce((sum, charge) => sum + charge.amount_refunded, 0),
    dispute: disputeState(disputes.flatMap(({ data }) => data)),
  };
}

/** The payments of a subscription's newest invoice that went through. */
export async function paymentsOf(
  subscription: Stripe.Subscription,
): Promise<Stripe.PaymentIntent[]> {
  const invoice = idOf(subscription.latest_invoice);
  if (!invoice) return [];
  const { data } = await stripe().invoicePayments.list({
    invoice,
    limit: 100,
    expand: ["data.payment.payment_intent.latest_charge"],
  });
  return data.flatMap(({ status, payment }) => {
    const intent = whole(payment.payment_intent);
    return status === "paid" && intent ? [intent] : [];
  });
}

/** The checkout that a subscription came from, when it came from one. */
export async function checkoutOf(subscriptionId: string): Promise<string | null> {
  const { data } = await stripe().checkout.sessions.list({
    subscription: subscriptionId,
    limit: 1,
  });
  return data[0]?.id ?? null;
}
