import type { Stripe } from "stripe";

import type { Account } from "./account";
import { ApiError } from "./api-error";
import { createdRange, endpoint, isCreatedWithin, matches, pageOf, paging } from "./endpoint";
import { idOf, newId } from "./ids";
import { metadata, changeMetadata, newMetadata } from "./metadata";
import { integer, type Known, oneOf, type Parsed, text } from "./parameters";
import { planOutcome } from "./refund-outcomes";

const refundParams = {
  amount: integer({ min: 1, max: 99_999_999 }),
  charge: text(),
  metadata,
  payment_intent: text(),
  reason: oneOf("duplicate", "requested_by_customer"),
} satisfies Known<Stripe.RefundCreateParams>;

const refundChanges = { metadata } satisfies Known<Stripe.RefundUpdateParams>;

const refundFilter = {
  ...paging,
  charge: text(),
  created: createdRange,
  payment_intent: text(),
} satisfies Known<Stripe.RefundListParams>;

const inDollars = (cents: number): string => `$${(cents / 100).toFixed(2)}`;

/** Refunds a charge: an amount in cents, or all that is left of it. */
export function createRefund(
  account: Account,
  charge: Stripe.Charge,
  given: {
    amount?: number | undefined;
    reason?: Stripe.Refund.Reason | undefined;
    metadata?: Record<string, string> | null | undefined;
  } = {},
): Stripe.Refund {
  const left = charge.amount_captured - charge.amount_refunded;
  if (charge.refunded) {
    throw new ApiError(`Charge ${charge.id} has already been refunded.`, {
      code: "charge_already_refunded",
    });
  }
  if (isChargedBack(account, charge)) {
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
  const id = newId("re");
  const status = planOutcome(account, id, charge);
  return account.save(
    "refund",
    {
      id,
      object: "refund",
      amount,
      balance_transaction: null,
      charge: charge.id,
      created: account.now,
      currency: charge.currency,
      customer: charge.customer,
      customer_account: null,
      destination_details: destinationOf(charge),
      metadata: newMetadata(given.metadata),
      payment_intent: charge.payment_intent,
      payment_method: charge.payment_method,
      ...(status === "pending" ? { pending_reason: "processing" } : {}),
      reason: given.reason ?? null,
      receipt_number: null,
      source_transfer_reversal: null,
      status,
      transfer_reversal: null,
    },
    "refund.created",
  );
}

/** Whether the customer's bank has taken the payment back, or may do so. */
function isChargedBack(account: Account, charge: Stripe.Charge): boolean {
  return account.store
    .all("dispute")
    .some(
      (dispute) =>
        dispute.charge === charge.id && dispute.status !== "won" && !dispute.is_charge_refundable,
    );
}

function destinationOf(charge: Stripe.Charge): Stripe.Refund.DestinationDetails {
  if (charge.payment_method_details?.us_bank_account) {
    return {
      type: "us_bank_transfer",
      us_bank_transfer: { reference: null, reference_status: "pending" },
    };
  }
  return {
    card: {
      reference_status: "pending",
      reference_type: "acquirer_reference_number",
      type: "refund",
    },
    type: "card",
  };
}

/** The charge that a request names, or the one of the payment intent that it names. */
function chargeToRefund(account: Account, params: Parsed<typeof refundParams>): Stripe.Charge {
  const named = params.charge && account.get("charge", params.charge, "charge");
  if (params.payment_intent === undefined) {
    if (named) return named;
    throw new ApiError(
      "One of the following params should be provided for this request: payment_intent or charge.",
    );
  }
  const intent = account.get("payment_intent", params.payment_intent, "payment_intent");
  const charge = idOf(intent.latest_charge);
  if (charge === null || intent.status !== "succeeded") {
    throw new ApiError("This PaymentIntent does not have a successful charge to refund.", {
      param: "payment_intent",
    });
  }
  if (named && named.id !== charge) {
    throw new ApiError(`The charge ${named.id} is not one of the payment ${intent.id}.`, {
      param: "charge",
    });
  }
  return account.get("charge", charge);
}

export const refundEndpoints = [
  endpoint("POST /v1/refunds", refundParams, ({ account, params }) =>
    createRefund(account, chargeToRefund(account, params), params),
  ),
  endpoint("GET /v1/refunds", refundFilter, ({ account, params }) => {
    const { charge, created, payment_intent } = params;
    const found = account.store
      .all("refund")
      .filter((one) => isCreatedWithin(one, created) && matches(one, { charge, payment_intent }));
    return pageOf(found, "/v1/refunds", params);
  }),
  endpoint("GET /v1/refunds/:id", {}, ({ account, id }) => account.get("refund", id)),
  endpoint("POST /v1/refunds/:id", refundChanges, ({ account, id, params }) => {
    const old = account.get("refund", id);
    return account.save(
      "refund",
      { ...old, metadata: changeMetadata(old.metadata, params.metadata) },
      "refund.updated",
    );
  }),
];
