import type Stripe from "stripe";

import { stripe } from "~/integrations/stripe/client.server";

import { PLANS } from "./catalog";
import { getDisputeState, getRefundState } from "./rules";
import { getExpanded, getStripeId, toIsoTime } from "./stripe-fields";
import { getUsedCredit } from "./unpaid-credit.server";

/** A payment that arrived, with its refunds and disputes, as `record_payments` takes it. */
export type PaidFacts = {
  /**
   * The id of the payment intent; where nothing had to be charged, that of the checkout session or
   * invoice.
   */
  id: string;
  reason: "purchase" | "renewal" | "plan-change";
  cents: number;
  tax_cents: number;
  /** What the customer's credit has paid of an invoice, besides. */
  credit_cents?: number;
  currency: string;
  invoice: string | null;
  number: string | null;
  /**
   * The id of the plan that it paid for; null when it wasn't for a plan, or the plan isn't in our
   * catalog.
   */
  plan: string | null;
  /** When it was charged, as the provider's balance has it. */
  paid_at: string;
  /** When the money of an invoice arrived. With a bank debit, that is days after it was charged. */
  arrived_at?: string;
  /** The time that a payment of a subscription is for. */
  period_from: string | null;
  period_to: string | null;
  dispute: {
    state: "open" | "won" | "lost";
    cents: number;
    opened_at: string;
  } | null;
  /** Null when they were not read. */
  refunds:
    | {
        id: string;
        cents: number;
        status: "pending" | "succeeded" | "failed" | "canceled";
        made_at: string;
        /** Which of our own refunds it is, and which attempt at it. */
        refund: string | null;
        attempt: number;
      }[]
    | null;
};

/** The metadata of a refund of ours: the id of its row, and which attempt it is. */
export const REFUND_MARKS = { refund: "refund", attempt: "attempt" } as const;

const REASONS: Partial<Record<Stripe.Invoice.BillingReason, PaidFacts["reason"]>> = {
  subscription_create: "purchase",
  subscription_cycle: "renewal",
};

/**
 * What an invoice of a subscription is for. With several lines, as after a change of plan, the
 * first one is what is credited and the last one what begins.
 */
const lastLineOf = (invoice: Stripe.Invoice) => invoice.lines.data.at(-1);

/**
 * Finds the plans that invoices of a subscription were for, by their prices at Stripe: its plan may have changed since.
 * @param current the price of the subscription now
 * @throws Stripe's errors
 */
export async function findInvoicePlans(
  invoices: readonly Stripe.Invoice[],
  current: Pick<Stripe.Price, "id" | "lookup_key"> | undefined,
): Promise<(invoice: Stripe.Invoice) => string | null> {
  const priceOf = (invoice: Stripe.Invoice) =>
    getStripeId(lastLineOf(invoice)?.pricing?.price_details?.price);
  const prices = current ? [current] : [];
  if (invoices.some((invoice) => priceOf(invoice) !== current?.id)) {
    const lookup_keys = PLANS.map(({ lookupKey }) => lookupKey);
    prices.push(...(await stripe().prices.list({ lookup_keys, limit: 100 })).data);
  }
  return (invoice) => findPlanOfPrice(prices.find(({ id }) => id === priceOf(invoice)));
}

/** The id of the plan with a price; null for a price that is not in our catalog. */
export const findPlanOfPrice = (
  price: Pick<Stripe.Price, "lookup_key"> | undefined,
): string | null => PLANS.find(({ lookupKey }) => lookupKey === price?.lookup_key)?.id ?? null;

/**
 * Reads what was paid for an invoice of a subscription; null for a voided one without a payment.
 * @throws Stripe's errors
 */
export async function readInvoicePayment(
  invoice: Stripe.Invoice,
  plan: string | null,
): Promise<PaidFacts | null> {
  const period = lastLineOf(invoice)?.period;
  const shared = {
    reason: REASONS[invoice.billing_reason ?? "subscription_update"] ?? "plan-change",
    currency: invoice.currency,
    tax_cents: (invoice.total_taxes ?? []).reduce((sum, { amount }) => sum + amount, 0),
    credit_cents: getUsedCredit(invoice),
    invoice: invoice.id,
    number: invoice.number,
    plan,
    period_from: period ? toIsoTime(period.start) : null,
    period_to: period ? toIsoTime(period.end) : null,
  };
  const isVoid = invoice.status === "void";
  const intent = isVoid || invoice.amount_paid > 0 ? await findInvoiceIntent(invoice.id) : null;
  const charge = getExpanded(intent?.latest_charge);
  if (intent && charge) {
    const paid = await readCharge(intent.id, charge, true);
    const { paid_at: paidAt, voided_at: voidedAt } = invoice.status_transitions;
    // For a voided invoice, all we know is that the money arrived later than that.
    const arrivedAt = paidAt ?? (voidedAt === null ? charge.created : voidedAt + 1);
    // A customer's credit may have paid for all but a part of the tax.
    return {
      ...shared,
      ...paid,
      arrived_at: toIsoTime(arrivedAt),
      tax_cents: Math.min(shared.tax_cents, paid.cents),
    };
  }
  if (isVoid) return null;
  const paidAt = invoice.status_transitions.paid_at ?? invoice.created;
  return {
    ...shared,
    id: invoice.id,
    // Paid outside of Stripe, or with the customer's credit.
    cents: 0,
    tax_cents: 0,
    paid_at: toIsoTime(paidAt),
    dispute: null,
    refunds: null,
  };
}

async function findInvoiceIntent(invoice: string): Promise<Stripe.PaymentIntent | null> {
  const { data } = await stripe().invoicePayments.list({
    invoice,
    limit: 100,
    expand: ["data.payment.payment_intent.latest_charge"],
  });
  const intentOf = (one: Stripe.InvoicePayment | undefined) =>
    getExpanded(one?.payment.payment_intent);
  const paid =
    data.find(({ status }) => status === "paid") ??
    // Of an invoice that was voided while a debit was on its way.
    data.find((one) => intentOf(one)?.status === "succeeded");
  return intentOf(paid);
}

/**
 * Reads what happened to a charge.
 * @param withRefunds whether to ask for refunds even if the charge shows none: a refund that failed
 *   leaves no trace there
 * @throws Stripe's errors
 */
export async function readCharge(intent: string, charge: Stripe.Charge, withRefunds: boolean) {
  const [refunds, disputes] = await Promise.all([
    withRefunds || charge.amount_refunded > 0
      ? stripe().refunds.list({ payment_intent: intent, limit: 100 })
      : null,
    charge.disputed ? stripe().disputes.list({ payment_intent: intent, limit: 100 }) : null,
  ]);
  return {
    id: intent,
    cents: charge.amount_captured,
    paid_at: toIsoTime(charge.created),
    dispute: toDisputeFacts(disputes?.data ?? []),
    refunds: refunds?.data.map(toRefundFacts) ?? null,
  };
}

function toDisputeFacts(disputes: readonly Stripe.Dispute[]): PaidFacts["dispute"] {
  const state = getDisputeState(disputes);
  if (state === null) return null;
  return {
    state,
    cents: Math.max(...disputes.map(({ amount }) => amount)),
    opened_at: toIsoTime(Math.min(...disputes.map(({ created }) => created))),
  };
}

function toRefundFacts(refund: Stripe.Refund) {
  return {
    id: refund.id,
    cents: refund.amount,
    status: getRefundState(refund.status),
    made_at: toIsoTime(refund.created),
    refund: refund.metadata?.[REFUND_MARKS.refund] ?? null,
    attempt: Number(refund.metadata?.[REFUND_MARKS.attempt] ?? 1) || 1,
  };
}
