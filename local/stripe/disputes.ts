import type { Stripe } from "stripe";

import type { Account } from "./account";
import { ApiError } from "./api-error";
import { endpoint, pageOf, paging } from "./endpoint";
import { newId } from "./ids";
import { type Known, required, text } from "./parameters";

const disputeFilter = {
  ...paging,
  payment_intent: required(text()),
} satisfies Known<Stripe.DisputeListParams>;

const DAYS_TO_RESPOND = 7;
const NO_EVIDENCE: Stripe.Dispute.Evidence = {
  access_activity_log: null,
  billing_address: null,
  cancellation_policy: null,
  cancellation_policy_disclosure: null,
  cancellation_rebuttal: null,
  customer_communication: null,
  customer_email_address: null,
  customer_name: null,
  customer_purchase_ip: null,
  customer_signature: null,
  duplicate_charge_documentation: null,
  duplicate_charge_explanation: null,
  duplicate_charge_id: null,
  enhanced_evidence: {},
  product_description: null,
  receipt: null,
  refund_policy: null,
  refund_policy_disclosure: null,
  refund_refusal_explanation: null,
  service_date: null,
  service_documentation: null,
  shipping_address: null,
  shipping_carrier: null,
  shipping_date: null,
  shipping_documentation: null,
  shipping_tracking_number: null,
  uncategorized_file: null,
  uncategorized_text: null,
};

/** The bank of a customer takes a payment back, and asks for evidence. */
export function openDispute(account: Account, charge: Stripe.Charge): Stripe.Dispute {
  if (!charge.paid || charge.disputed || charge.refunded) {
    throw new ApiError(
      "Only a payment that was made, and neither refunded nor disputed, can be disputed.",
    );
  }
  account.save("charge", { ...charge, disputed: true }, "charge.updated");
  const dispute = account.save(
    "dispute",
    {
      id: newId("du"),
      object: "dispute",
      amount: charge.amount,
      balance_transactions: [],
      charge: charge.id,
      created: account.now,
      currency: charge.currency,
      enhanced_eligibility_types: [],
      evidence: NO_EVIDENCE,
      evidence_details: {
        due_by: account.now + DAYS_TO_RESPOND * 86_400,
        enhanced_eligibility: {},
        has_evidence: false,
        past_due: false,
        submission_count: 0,
        submission_method: "not_submitted",
      },
      intended_submission_method: null,
      is_charge_refundable: false,
      livemode: false,
      metadata: {},
      payment_intent: charge.payment_intent,
      payment_method_details: {
        card: {
          brand: "visa",
          case_type: "chargeback",
          network: "visa",
          network_reason_code: "10.4",
        },
        type: "card",
      },
      reason: "fraudulent",
      status: "needs_response",
    },
    "charge.dispute.created",
  );
  account.recordEvent("charge.dispute.funds_withdrawn", dispute);
  return dispute;
}

/** The bank decides a dispute. */
export function closeDispute(
  account: Account,
  dispute: Stripe.Dispute,
  won: boolean,
): Stripe.Dispute {
  if (dispute.status !== "needs_response") throw new ApiError("This dispute is closed already.");
  const closed = account.save(
    "dispute",
    { ...dispute, status: won ? "won" : "lost" },
    "charge.dispute.closed",
  );
  if (won) account.recordEvent("charge.dispute.funds_reinstated", closed);
  return closed;
}

export const disputeEndpoints = [
  endpoint("GET /v1/disputes", disputeFilter, ({ account, params }) => {
    const found = account.store
      .all("dispute")
      .filter((dispute) => dispute.payment_intent === params.payment_intent);
    return pageOf(found, "/v1/disputes", params);
  }),
];
