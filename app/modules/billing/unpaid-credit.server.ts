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
export async function takeBackCredit(bill: Stripe.Invoice, log: Log): Promise<void> {
  try {
    const customer = getStripeId(bill.customer);
    const unpaid = bill.status === "draft" ? bill.total : bill.amount_remaining;
    const amount = customer ? Math.min(unpaid, await findCredit(bill, customer)) : 0;
    if (amount <= 0) return;
    await withIdempotencyKey(`credit-${bill.id}`, (options) =>
      stripe().customers.createBalanceTransaction(
        customer!,
        { amount, currency: bill.currency, description: "Credit for a bill that is not collected" },
        options,
      ),
    );
  } catch (error) {
    if (classifyStripeError(error) === null) throw error;
    log.warn({ invoice: bill.id, reason: redactSecrets(String(error)) }, "credit not taken back");
  }
}

/** Whether a change of the plan has left credit since a bill was made, and its customer still has some of it. */
export const isCreditedSince = async (bill: Stripe.Invoice): Promise<boolean> => {
  const customer = getStripeId(bill.customer);
  return customer !== null && (await findCredit(bill, customer)) > 0;
};

/** What changes of the plan have credited since a bill was made, as far as its customer still has it. */
async function findCredit({ parent, created }: Stripe.Invoice, customer: string): Promise<number> {
  const subscription = getStripeId(parent?.subscription_details?.subscription);
  if (!subscription) return 0;
  const { data } = await stripe().invoices.list({
    subscription,
    status: "paid",
    created: { gte: created },
    limit: 100,
  });
  const credited = data
    .filter(({ billing_reason }) => billing_reason === "subscription_update")
    .reduce((sum, { total }) => sum + Math.max(0, -total), 0);
  if (credited === 0) return 0;
  const found = await stripe().customers.retrieve(customer);
  return found.deleted ? 0 : Math.min(credited, -found.balance);
}
