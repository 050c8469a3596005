import type Stripe from "stripe";

import { redactSecrets, type Log } from "~/http/log.server";
import { stripe } from "~/integrations/stripe/client.server";
import { classifyStripeError, withIdempotencyKey } from "~/integrations/stripe/stripe-error.server";

import { getStripeId } from "./stripe-fields";

/**
 * Takes back the credit for a bill that is not collected anymore, as far as it is left. When a plan is changed to a
 * cheaper one, Stripe credits the rest of the old one, whether or not its bill was paid. That credit would pay for other
 * plans, and our team might return it. What can't be taken back is logged.
 * @param bill a draft or voided invoice of a subscription, as it was before
 */
export const takeBackCredit = (bill: Stripe.Invoice, log: Log): Promise<void> =>
  takeBack(bill.id, log, async () => ({
    bill,
    cents: bill.status === "draft" ? bill.total : bill.amount_remaining,
    returned: getUsedCredit(bill),
    description: "Credit for a bill that is not collected",
  }));

/**
 * The same for a bill whose payment was just refunded because nothing was to be bought with it: the credit for its unused
 * part would return that once more.
 * @param invoice the id of the bill
 * @param cents what was refunded
 */
export const takeBackRefundedCredit = (invoice: string, cents: number, log: Log): Promise<void> =>
  takeBack(invoice, log, async () => ({
    bill: await stripe().invoices.retrieve(invoice),
    cents,
    description: "Credit for a payment that was refunded",
  }));

/**
 * The same for a bill whose payment a bank has returned after a dispute, as far as the plan was changed in the period
 * that it had paid for: what a later payment has left in credit is its customer's.
 */
export const takeBackLostCredit = (
  lost: { invoice: string; cents: number; period_to: string | null },
  log: Log,
): Promise<void> =>
  takeBack(lost.invoice, log, async () => ({
    bill: await stripe().invoices.retrieve(lost.invoice),
    cents: lost.cents,
    description: "Credit for a payment that was returned after a dispute",
    ...(lost.period_to === null ? {} : { until: Date.parse(lost.period_to) / 1000 }),
  }));

interface Credited {
  bill: Stripe.Invoice;
  /** At most how much is taken back for it. */
  cents: number;
  /** The credit that had paid for a part of it. Stripe has returned it with the bill, and the change of the plan has, too. */
  returned?: number;
  description: string;
  /** Until when credit came from it, in seconds. */
  until?: number;
}

async function takeBack(invoice: string, log: Log, read: () => Promise<Credited>): Promise<void> {
  try {
    const { bill, cents, returned = 0, description, until } = await read();
    const customer = getStripeId(bill.customer);
    const { credited, left } = customer ? await findCredit(bill, customer, until) : NO_CREDIT;
    const amount = Math.min(Math.min(cents, credited) + returned, left);
    if (amount <= 0) return;
    await withIdempotencyKey(`credit-${invoice}`, (options) =>
      stripe().customers.createBalanceTransaction(
        customer!,
        { amount, currency: bill.currency, description },
        options,
      ),
    );
  } catch (error) {
    if (classifyStripeError(error) === null) throw error;
    log.warn({ invoice, reason: redactSecrets(String(error)) }, "credit not taken back");
  }
}

/** The metadata of a change of a customer's credit: the order whose payment it returns. */
const RETURNED_FOR = "returned_for";

/**
 * Returns the credit that has paid for bills of an order which should not have been paid: a refund returns what was
 * charged, and nothing else would give this back. Once, however often it is called. What Stripe doesn't take is logged.
 * @throws Stripe's errors when it does not answer: then it should be tried again
 */
export async function returnUsedCredit(
  order: string,
  invoices: readonly string[],
  log: Log,
): Promise<void> {
  try {
    const bills = await Promise.all(invoices.map((id) => stripe().invoices.retrieve(id)));
    const [bill] = bills;
    const customer = bill ? getStripeId(bill.customer) : null;
    // What a change of the plan has left in credit counts against it.
    const amount = bills.reduce((sum, one) => sum + changeOfCredit(one), 0);
    if (!bill || !customer || amount <= 0) return;
    const changes = stripe().customers.listBalanceTransactions(customer, { limit: 100 });
    for await (const { metadata } of changes) if (metadata?.[RETURNED_FOR] === order) return;
    await withIdempotencyKey(`credit-returned-${order}`, (options) =>
      stripe().customers.createBalanceTransaction(
        customer,
        {
          amount: -amount,
          currency: bill.currency,
          description: "Credit for a purchase that was refunded",
          metadata: { [RETURNED_FOR]: order },
        },
        options,
      ),
    );
  } catch (error) {
    const failure = classifyStripeError(error);
    if (failure === null || failure === "unavailable") throw error;
    // Of an account that was deleted, nothing is left to return it to.
    if (failure === "missing") return;
    log.error({ order, reason: redactSecrets(String(error)) }, "credit not returned");
  }
}

/** How much credit an invoice has used; below zero, how much it has left. Stripe itself returns that of a voided one. */
const changeOfCredit = ({ status, starting_balance: before, ending_balance }: Stripe.Invoice) =>
  status === "void" ? 0 : (ending_balance ?? before) - before;

/** What credit has paid of an invoice. */
export const getUsedCredit = (invoice: Stripe.Invoice): number =>
  Math.max(0, changeOfCredit(invoice));

/** Whether a change of the plan has left credit since a bill was made, and its customer still has some of it. */
export const isCreditedSince = async (bill: Stripe.Invoice): Promise<boolean> => {
  const customer = getStripeId(bill.customer);
  return customer !== null && (await findCredit(bill, customer)).left > 0;
};

const NO_CREDIT = { credited: 0, left: 0 };

/**
 * What changes of the plan have credited since a bill was made, and what its customer has in credit now: nothing that
 * concerns the bill, where they have credited nothing.
 */
async function findCredit(
  { parent, created }: Stripe.Invoice,
  customer: string,
  until?: number,
): Promise<typeof NO_CREDIT> {
  const subscription = getStripeId(parent?.subscription_details?.subscription);
  if (!subscription) return NO_CREDIT;
  const { data } = await stripe().invoices.list({
    subscription,
    status: "paid",
    created: { gte: created, ...(until === undefined ? {} : { lte: until }) },
    limit: 100,
  });
  const credited = data
    .filter(({ billing_reason }) => billing_reason === "subscription_update")
    .reduce((sum, { total }) => sum + Math.max(0, -total), 0);
  if (credited === 0) return NO_CREDIT;
  const found = await stripe().customers.retrieve(customer);
  return found.deleted ? NO_CREDIT : { credited, left: -found.balance };
}
