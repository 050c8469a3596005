import type { Stripe } from "stripe";

import type { Account } from "./account";
import { endpoint, pageOf } from "./endpoint";
import { idOf, newId } from "./ids";
import {
  type Every,
  mergeMetadata,
  metadata,
  notHere,
  oneOf,
  paging,
  range,
  text,
  whole,
} from "./parameters";
import { missing, Refusal } from "./refusal";

const toCreate = {
  amount: whole({ min: 1 }),
  charge: text(),
  metadata,
  payment_intent: text(),
  reason: oneOf("duplicate", "fraudulent", "requested_by_customer"),
  ...notHere(
    "currency",
    "customer",
    "instructions_email",
    "origin",
    "refund_application_fee",
    "reverse_transfer",
  ),
} satisfies Every<Stripe.RefundCreateParams>;

const toList = {
  ...paging,
  charge: text(),
  created: range,
  payment_intent: text(),
} satisfies Every<Stripe.RefundListParams>;

const inDollars = (cents: number): string => `$${(cents / 100).toFixed(2)}`;

/** Gives money back: all that is left of a charge when no amount is said. */
export function refund(
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
    throw new Refusal(`Charge ${charge.id} has already been refunded.`, {
      code: "charge_already_refunded",
    });
  }
  if (
    account.store
      .all("dispute")
      .some((dispute) => dispute.charge === charge.id && dispute.status !== "won")
  ) {
    throw new Refusal(`Charge ${charge.id} has been charged back; cannot issue a refund.`, {
      code: "charge_disputed",
    });
  }
  if (!charge.paid)
    throw new Refusal(`Charge ${charge.id} has not been paid; cannot issue a refund.`);
  const amount = given.amount ?? left;
  if (amount > left) {
    throw new Refusal(
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
      metadata: mergeMetadata(null, given.metadata),
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

function chargeOf(
  account: Account,
  given: { charge?: string | undefined; payment_intent?: string | undefined },
): Stripe.Charge {
  if (given.charge !== undefined) return account.find("charge", given.charge, "charge");
  if (given.payment_intent === undefined) throw missing("payment_intent");
  const intent = account.find("payment_intent", given.payment_intent, "payment_intent");
  const id = idOf(intent.latest_charge);
  if (id === null || intent.status !== "succeeded") {
    throw new Refusal("This PaymentIntent does not have a successful charge to refund.", {
      param: "payment_intent",
    });
  }
  return account.find("charge", id);
}

export const refunds = [
  endpoint("POST /v1/refunds", toCreate, ({ account, given }) =>
    refund(account, chargeOf(account, given), given),
  ),
  endpoint("GET /v1/refunds", toList, ({ account, given }) => {
    const found = account.store
      .all("refund")
      .filter(
        (one) =>
          (given.charge === undefined || one.charge === given.charge) &&
          (given.payment_intent === undefined || one.payment_intent === given.payment_intent) &&
          (given.created?.(one.created) ?? true),
      );
    return pageOf(found, "/v1/refunds", given);
  }),
  endpoint("GET /v1/refunds/:id", {}, ({ account, id }) => account.find("refund", id)),
  endpoint(
    "POST /v1/refunds/:id",
    { metadata } satisfies Every<Stripe.RefundUpdateParams>,
    ({ account, id, given }) => {
      const old = account.find("refund", id);
      return account.save(
        "refund",
        { ...old, metadata: mergeMetadata(old.metadata, given.metadata) },
        "refund.updated",
      );
    },
  ),
];
