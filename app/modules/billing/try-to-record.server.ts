import { redactSecrets, type Log } from "~/http/log.server";
import { isStripeConfigured } from "~/integrations/stripe/client.server";
import { classifyStripeError } from "~/integrations/stripe/stripe-error.server";

import { PaymentBusy } from "./payment-errors.server";
import type { PaymentReference } from "./payment-records.server";
import { recordPayment } from "./record-payment.server";

/**
 * Updates a payment to what Stripe says, for a page that can explain it when Stripe doesn't answer.
 * In that case, the next event or reconciliation does it. @param before what has to be done at
 * Stripe first
 * @returns whether Stripe answered
 * @throws DataError
 */
export async function tryToRecord(
  payment: PaymentReference,
  log: Log,
  before: () => Promise<void> = async () => {},
): Promise<boolean> {
  if (!isStripeConfigured()) return false;
  try {
    await before();
    await recordPayment(payment, { log });
    return true;
  } catch (error) {
    const failure = classifyStripeError(error);
    if (!failure && !(error instanceof PaymentBusy)) throw error;
    const { orderId: order, subscriptionId: subscription } = payment;
    const reason = redactSecrets(String(error));
    log.warn({ order, subscription, failure, reason }, "payment not checked");
    return false;
  }
}
