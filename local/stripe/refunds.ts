import type { Stripe } from "stripe";

import type { Account } from "./account";
import { ApiError } from "./api-error";
import { endpoint } from "./endpoint";
import { idOf, newId } from "./ids";
import { type Known, metadata, oneOf, required, text } from "./parameters";

const refundParams = {
  metadata,
  payment_intent: required(text()),
  reason: oneOf("duplicate", "requested_by_customer"),
} satisfies Known<Stripe.RefundCreateParams>;

const inDollars = (cents: number): string => `$${(cents / 100).toFixed(2)}`;

/** Refunds a charge: an amount in cents, or all that is left of it. */
export function createRefund(
  account: Account,
  charge: Stripe.Charge,
  given: {
    amount?: number | undefined;
    reason?: Stripe.Refund.Reason | undefined;
    metadata?: Record<string, string> | undefined;
  } = {},
): Stripe.Refund {
  const left = charge.amount_captured - charge.amount_refunded;
  if (charge.refunded) {
    throw new ApiError(`Charge ${charge.id} has already been refunded.`, {
      code: "charge_already_refunded",
    });
  }
  if (
    account.store
      .all("dispute")
      .some((dispute) => dispute.charge === charge.id && dispute.status !== "won")
  ) {
    throw new ApiError(`Charge ${charge.id} has been charged back; cannot issue a refund.`, {
      code: "charge_disputed",
    });
  }
  if (!charge.paid)
    throw new ApiError(`Charge ${charge.id} has not been paid; cannot issue a refund.`);
  const amount = given.amount ?? left;
  if (amount > left) {
    throw new ApiError(
      `Refund amount (${inDollars(amount)}) is greater than unrefunded amount on charge (${inDollars(left)})`,
      { param: "amount" },
    );
  }
  const refunded = charge.amount_refunded + amount;
  account.save(
    "charge",
    { ...charge, amount_refunded: refunded, refunded: refunded === charge.amount_captured },
    "charge.refunded",
  );
  return account.save(
    "refund",
    {
      id: newId("re"),
      object: "refund",
      amount,
      balance_transaction: null,
      charge: charge.id,
      created: account.now,
      currency: charge.currency,
      customer: charge.customer,
      customer_account: null,
      destination_details: {
        card: {
          reference_status: "pending",
          reference_type: "acquirer_reference_number",
          type: "refund",
        },
        type: "card",
      },
      metadata: given.metadata ?? {},
      payment_intent: charge.payment_intent,
      payment_method: charge.payment_method,
      reason: given.reason ?? null,
      receipt_number: null,
      source_transfer_reversal: null,
      status: "succeeded",
      transfer_reversal: null,
    },
    "refund.created",
  );
}

export const refundEndpoints = [
  endpoint("POST /v1/refunds", refundParams, ({ account, params }) => {
    const intent = account.get("payment_intent", params.payment_intent, "payment_intent");
    const charge = idOf(intent.latest_charge);
    if (charge === null || intent.status !== "succeeded") {
      throw new ApiError("This PaymentIntent does not have a successful charge to refund.", {
        param: "payment_intent",
      });
    }
    return createRefund(account, account.get("charge", charge), params);
  }),
];
