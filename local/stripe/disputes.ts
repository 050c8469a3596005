import type { Stripe } from "stripe";

import type { Account } from "./account";
import { ApiError } from "./api-error";
import { createdRange, endpoint, isCreatedWithin, matches, pageOf, paging } from "./endpoint";
import { newId } from "./ids";
import { type Known, text } from "./parameters";

const disputeFilter = {
  ...paging,
  charge: text(),
  created: createdRange,
  payment_intent: text(),
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

/**
 * The bank of a customer takes a payment back, and asks for evidence. An inquiry only asks: no money
 * moves.
 */
export function openDispute(
  account: Account,
  charge: Stripe.Charge,
  { inquiry = false } = {},
): Stripe.Dispute {
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
      amount: charge.amount_captured - charge.amount_refunded,
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
      is_charge_refundable: inquiry,
      livemode: false,
      metadata: {},
      payment_intent: charge.payment_intent,
      payment_method_details: {
        card: {
          brand: "visa",
          case_type: inquiry ? "inquiry" : "chargeback",
          network: "visa",
          network_reason_code: "10.4",
        },
        type: "card",
      },
      reason: "fraudulent",
      status: inquiry ? "warning_needs_response" : "needs_response",
    },
    "charge.dispute.created",
  );
  if (!inquiry) account.recordEvent("charge.dispute.funds_withdrawn", dispute);
  return dispute;
}

/** The team sends its evidence; the bank reviews it. */
export function respondToDispute(account: Account, dispute: Stripe.Dispute): Stripe.Dispute {
  if (!isOpen(dispute)) throw new ApiError("This dispute is closed already.");
  return account.save(
    "dispute",
    {
      ...dispute,
      evidence_details: {
        ...dispute.evidence_details,
        has_evidence: true,
        submission_count: dispute.evidence_details.submission_count + 1,
        submission_method: "manual",
      },
      status: isInquiry(dispute) ? "warning_under_review" : "under_review",
    },
    "charge.dispute.updated",
  );
}

const OPEN = ["needs_response", "under_review", "warning_needs_response", "warning_under_review"];

function isOpen({ status }: Stripe.Dispute): boolean {
  return OPEN.includes(status);
}

function isInquiry({ status }: Stripe.Dispute): boolean {
  return status.startsWith("warning_");
}

/** The bank decides a dispute, or the time for an inquiry passes. */
export function closeDispute(
  account: Account,
  dispute: Stripe.Dispute,
  won: boolean,
): Stripe.Dispute {
  if (!isOpen(dispute)) throw new ApiError("This dispute is closed already.");
  const inquiry = isInquiry(dispute);
  const status = inquiry ? "warning_closed" : won ? "won" : "lost";
  const closed = account.save("dispute", { ...dispute, status }, "charge.dispute.closed");
  if (won && !inquiry) account.recordEvent("charge.dispute.funds_reinstated", closed);
  return closed;
}

export const disputeEndpoints = [
  endpoint("GET /v1/disputes", disputeFilter, ({ account, params }) => {
    const { charge, created, payment_intent } = params;
    const found = account.store
      .all("dispute")
      .filter((one) => isCreatedWithin(one, created) && matches(one, { charge, payment_intent }));
    return pageOf(found, "/v1/disputes", params);
  }),
  endpoint("GET /v1/disputes/:id", {}, ({ account, id }) => account.get("dispute", id)),
];
