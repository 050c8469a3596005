import type { Stripe } from "stripe";

import type { Account } from "./account";
import { newId } from "./ids";

interface TestMethod {
  type: "card" | "us_bank_account";
  last4: string;
  /** What it does, as the hosted pages say it. */
  label: string;
}

/** What people choose from on the hosted pages; Stripe's own test cards end in the same digits. */
export const TEST_METHODS = {
  ok: { type: "card", last4: "4242", label: "A card that works" },
  authenticate: {
    type: "card",
    last4: "3155",
    label: "A card that asks for confirmation (3-D Secure)",
  },
  declined: { type: "card", last4: "0002", label: "A card that is declined" },
  insufficient_funds: { type: "card", last4: "9995", label: "A card with insufficient funds" },
  fails_later: {
    type: "card",
    last4: "0341",
    label: "A card that works now but is declined when a plan renews",
  },
  refund_pending: {
    type: "card",
    last4: "7726",
    label: "A card with slow refunds",
  },
  refund_fails: { type: "card", last4: "5126", label: "A card with refunds that fail later" },
  debit: { type: "us_bank_account", last4: "6789", label: "A bank account, debited within days" },
  debit_fails: {
    type: "us_bank_account",
    last4: "1116",
    label: "A bank account with a debit that fails days later",
  },
} as const satisfies Record<string, TestMethod>;

export type TestMethodName = keyof typeof TEST_METHODS;

/** The test method that a form names; the card that works when it names none. */
export function parseTestMethod(name: string | null): TestMethodName {
  return name && Object.hasOwn(TEST_METHODS, name) ? (name as TestMethodName) : "ok";
}

/** Why a payment method is not charged. */
export interface Decline {
  code:
    | "card_declined"
    | "payment_intent_authentication_failure"
    | "payment_intent_payment_attempt_failed";
  decline_code: string;
  message: string;
}

/** Whether the bank can ask the customer to authenticate the payment, or has done so already. */
export type Presence = "off_session" | "on_session" | "authenticated";

const DECLINED: Decline = {
  code: "card_declined",
  decline_code: "generic_decline",
  message: "Your card was declined.",
};

/** The bank's answer to a charge. "processing" is a debit that takes days. */
export function authorizeCharge(
  method: Stripe.PaymentMethod,
  presence: Presence,
): "approved" | "processing" | "authentication_required" | Decline {
  if (method.us_bank_account) return "processing";
  switch (method.card?.last4) {
    case TEST_METHODS.declined.last4:
      return DECLINED;
    case TEST_METHODS.insufficient_funds.last4:
      return {
        code: "card_declined",
        decline_code: "insufficient_funds",
        message: "Your card has insufficient funds.",
      };
    case TEST_METHODS.fails_later.last4:
      return presence === "off_session" ? DECLINED : "approved";
    case TEST_METHODS.authenticate.last4:
      return presence === "on_session" ? "authentication_required" : "approved";
    default:
      return "approved";
  }
}

/** How a bank debit ends after its days. */
export function debitOutcome(method: Stripe.PaymentMethod): "approved" | Decline {
  if (method.us_bank_account?.last4 !== TEST_METHODS.debit_fails.last4) return "approved";
  return {
    code: "payment_intent_payment_attempt_failed",
    decline_code: "insufficient_funds",
    message: "The customer's account has insufficient funds to cover this payment.",
  };
}

interface RefundOutcome {
  begins: "pending" | "succeeded";
  afterSeconds: number;
  fails: boolean;
}

const HOUR_S = 3600;
const TRANSFER_DURATION_S = 2 * 24 * HOUR_S;

/** How a refund goes on; null when it is over at once. Bank transfers take days. */
export function refundOutcome(method: Stripe.PaymentMethod): RefundOutcome | null {
  if (method.us_bank_account)
    return { begins: "pending", afterSeconds: TRANSFER_DURATION_S, fails: false };
  switch (method.card?.last4) {
    case TEST_METHODS.refund_pending.last4:
      return { begins: "pending", afterSeconds: HOUR_S, fails: false };
    case TEST_METHODS.refund_fails.last4:
      return { begins: "succeeded", afterSeconds: HOUR_S, fails: true };
    default:
      return null;
  }
}

export const NOT_AUTHENTICATED: Decline = {
  code: "payment_intent_authentication_failure",
  decline_code: "authentication_required",
  message:
    "We are unable to authenticate your payment method. Please choose a different payment method and try again.",
};

const EXPIRES_IN_YEARS = 3;

export function createPaymentMethod(
  account: Account,
  name: TestMethodName,
  billing: { name?: string | null | undefined; email: string | null },
): Stripe.PaymentMethod {
  const { type, last4 } = TEST_METHODS[name];
  return account.save("payment_method", {
    id: newId("pm"),
    object: "payment_method",
    allow_redisplay: "limited",
    billing_details: {
      address: null,
      email: billing.email,
      name: billing.name ?? null,
      phone: null,
      tax_id: null,
    },
    ...(type === "card" ? { card: card(account, last4) } : { us_bank_account: bankAccount(last4) }),
    created: account.now,
    customer: null,
    customer_account: null,
    livemode: false,
    metadata: {},
    type,
  });
}

function card(account: Account, last4: string): Stripe.PaymentMethod.Card {
  return {
    brand: "visa",
    checks: { address_line1_check: null, address_postal_code_check: null, cvc_check: "pass" },
    country: "US",
    display_brand: "visa",
    exp_month: 12,
    exp_year: new Date(account.nowMs).getUTCFullYear() + EXPIRES_IN_YEARS,
    fingerprint: newId("fp", 16),
    funding: "credit",
    generated_from: null,
    last4,
    networks: { available: ["visa"], preferred: null },
    regulated_status: "unregulated",
    three_d_secure_usage: { supported: true },
    wallet: null,
  };
}

function bankAccount(last4: string): Stripe.PaymentMethod.UsBankAccount {
  return {
    account_holder_type: "individual",
    account_type: "checking",
    bank_name: "STAND-IN BANK",
    financial_connections_account: null,
    fingerprint: newId("fp", 16),
    last4,
    networks: null,
    routing_number: "110000000",
    status_details: null,
  };
}

/** Attaches a payment method to a customer, so that it can be charged again. */
export function attachPaymentMethod(
  account: Account,
  method: Stripe.PaymentMethod,
  customer: string,
): Stripe.PaymentMethod {
  return account.save("payment_method", { ...method, customer }, "payment_method.attached");
}

/** "Visa ending in 4242". */
export function paymentMethodLabel(method: Stripe.PaymentMethod | undefined): string {
  if (method?.us_bank_account) return `Bank account ending in ${method.us_bank_account.last4}`;
  return method?.card ? `Visa ending in ${method.card.last4}` : "None";
}
