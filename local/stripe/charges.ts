import type { Stripe } from "stripe";

import type { Account } from "./account";
import { createdRange, endpoint, isCreatedWithin, matches, pageOf, paging } from "./endpoint";
import { idOf, newId } from "./ids";
import { type Known, text } from "./parameters";
import type { Decline } from "./payment-methods";
import { statementDescriptor } from "./statement-descriptor";

const chargeFilter = {
  ...paging,
  created: createdRange,
  customer: text(),
  payment_intent: text(),
} satisfies Known<Stripe.ChargeListParams>;

/**
 * One attempt to charge for a payment: it succeeded, failed (with a decline), or is pending, as a
 * bank debit that was sent. A debit keeps the same charge, made when it was sent, once it has
 * arrived or failed.
 */
export function createCharge(
  account: Account,
  intent: Stripe.PaymentIntent,
  method: Stripe.PaymentMethod,
  outcome: Decline | "pending" | "succeeded",
): Stripe.Charge {
  const decline = typeof outcome === "string" ? undefined : outcome;
  const status = typeof outcome === "string" ? outcome : "failed";
  const latest = intent.latest_charge && account.get("charge", idOf(intent.latest_charge));
  const sent = latest && latest.status === "pending" ? latest : undefined;
  const id = sent?.id ?? newId("ch");
  return account.save(
    "charge",
    {
      id,
      object: "charge",
      amount: intent.amount,
      amount_captured: decline ? 0 : intent.amount,
      amount_refunded: 0,
      application: null,
      application_fee: null,
      application_fee_amount: null,
      balance_transaction: null,
      billing_details: method.billing_details,
      calculated_statement_descriptor: statementDescriptor(intent.statement_descriptor_suffix),
      captured: !decline,
      created: sent?.created ?? account.now,
      currency: intent.currency,
      customer: intent.customer,
      description: intent.description,
      disputed: false,
      failure_balance_transaction: null,
      failure_code: decline?.code ?? null,
      failure_message: decline?.message ?? null,
      fraud_details: {},
      livemode: false,
      metadata: intent.metadata,
      on_behalf_of: null,
      outcome: {
        advice_code: null,
        network_advice_code: null,
        network_decline_code: decline ? "05" : null,
        network_status: decline ? "declined_by_network" : "approved_by_network",
        reason: decline?.decline_code ?? null,
        risk_level: "normal",
        risk_score: 20,
        seller_message: decline
          ? "The bank did not return any further details with this decline."
          : "Payment complete.",
        type: decline ? "issuer_declined" : "authorized",
      },
      paid: status === "succeeded",
      payment_intent: intent.id,
      payment_method: method.id,
      payment_method_details: paymentMethodDetails(method, decline ? null : intent.amount),
      receipt_email: intent.receipt_email,
      receipt_number: null,
      receipt_url: status === "succeeded" ? `${account.origin}/receipts/${id}` : null,
      refunded: false,
      review: null,
      shipping: null,
      source: null,
      source_transfer: null,
      statement_descriptor: null,
      statement_descriptor_suffix: intent.statement_descriptor_suffix,
      status,
      transfer_data: null,
      transfer_group: null,
    },
    `charge.${status}`,
  );
}

function paymentMethodDetails(
  { card, us_bank_account: bank }: Stripe.PaymentMethod,
  amountAuthorized: number | null,
): Stripe.Charge.PaymentMethodDetails {
  if (bank) {
    return {
      type: "us_bank_account",
      us_bank_account: {
        account_holder_type: bank.account_holder_type,
        account_type: bank.account_type,
        bank_name: bank.bank_name,
        fingerprint: bank.fingerprint,
        last4: bank.last4,
        payment_reference: null,
        routing_number: bank.routing_number,
      },
    };
  }
  return {
    type: "card",
    card: {
      amount_authorized: amountAuthorized,
      authorization_code: null,
      brand: card!.brand,
      checks: card!.checks,
      country: card!.country,
      electronic_commerce_indicator: null,
      exp_month: card!.exp_month,
      exp_year: card!.exp_year,
      fingerprint: card!.fingerprint ?? null,
      funding: card!.funding,
      installments: null,
      last4: card!.last4,
      mandate: null,
      network: card!.brand,
      network_transaction_id: null,
      regulated_status: card!.regulated_status,
      three_d_secure: null,
      transaction_link_id: null,
      wallet: null,
    },
  };
}

export const chargeEndpoints = [
  endpoint("GET /v1/charges", chargeFilter, ({ account, params }) => {
    const { created, customer, payment_intent } = params;
    const found = account.store
      .all("charge")
      .filter((one) => isCreatedWithin(one, created) && matches(one, { customer, payment_intent }));
    return pageOf(found, "/v1/charges", params);
  }),
  endpoint("GET /v1/charges/:id", {}, ({ account, id }) => account.get("charge", id)),
];
