import type { Stripe } from "stripe";

import type { Account } from "./account";
import { endpoint, pageOf } from "./endpoint";
import { newId } from "./ids";
import { type Every, notHere, oneOf, paging, text } from "./parameters";

interface TestMethod {
  type: "card" | "us_bank_account";
  last4: string;
  /** What it does, as the hosted pages say it. */
  words: string;
}

/** What people choose between on the hosted pages; Stripe's own test cards end in the same digits. */
export const TEST_METHODS = {
  ok: { type: "card", last4: "4242", words: "A card that works" },
  authenticate: {
    type: "card",
    last4: "3155",
    words: "A card whose bank asks to confirm (3-D Secure)",
  },
  declined: { type: "card", last4: "0002", words: "A card that is declined" },
  insufficient_funds: { type: "card", last4: "9995", words: "A card without enough money on it" },
  fails_later: {
    type: "card",
    last4: "0341",
    words: "A card that works now and is declined when a plan renews",
  },
  debit: { type: "us_bank_account", last4: "6789", words: "A bank account, debited within days" },
  debit_fails: {
    type: "us_bank_account",
    last4: "1116",
    words: "A bank account whose debit fails after days",
  },
} as const satisfies Record<string, TestMethod>;

export type TestMethodName = keyof typeof TEST_METHODS;

/** The test method of this name, if there is one. */
export function testMethod(name: string | null | undefined): TestMethodName | undefined {
  return name && Object.hasOwn(TEST_METHODS, name) ? (name as TestMethodName) : undefined;
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

/** Whether the person is there to be asked: not at a renewal, and no more once they have answered. */
export type Presence = "away" | "there" | "has confirmed";

const DECLINED: Decline = {
  code: "card_declined",
  decline_code: "generic_decline",
  message: "Your card was declined.",
};

/** What the bank says: charged, charged within days, the person's word wanted first, or declined. */
export function askBank(
  method: Stripe.PaymentMethod,
  person: Presence,
): "charged" | "under way" | "asks" | Decline {
  if (method.us_bank_account) return "under way";
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
      return person === "away" ? DECLINED : "charged";
    case TEST_METHODS.authenticate.last4:
      return person === "there" ? "asks" : "charged";
    default:
      return "charged";
  }
}

/** What becomes of a debit after its days. */
export function debitOutcome(method: Stripe.PaymentMethod): "charged" | Decline {
  if (method.us_bank_account?.last4 !== TEST_METHODS.debit_fails.last4) return "charged";
  return {
    code: "payment_intent_payment_attempt_failed",
    decline_code: "insufficient_funds",
    message: "The customer's account has insufficient funds to cover this payment.",
  };
}

export const NOT_AUTHENTICATED: Decline = {
  code: "payment_intent_authentication_failure",
  decline_code: "authentication_required",
  message:
    "We are unable to authenticate your payment method. Please choose a different payment method and try again.",
};

const EXPIRES_IN_YEARS = 3;

export function createMethod(
  account: Account,
  name: TestMethodName,
  person: { name?: string | null | undefined; email?: string | null | undefined },
): Stripe.PaymentMethod {
  const { type, last4 } = TEST_METHODS[name];
  return account.save("payment_method", {
    id: newId("pm"),
    object: "payment_method",
    allow_redisplay: "limited",
    billing_details: {
      address: null,
      email: person.email ?? null,
      name: person.name ?? null,
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

/** Gives a payment method to a customer, for the payments of the future. */
export function attachMethod(
  account: Account,
  method: Stripe.PaymentMethod,
  customer: string,
): Stripe.PaymentMethod {
  return account.save("payment_method", { ...method, customer }, "payment_method.attached");
}

/** "Visa ending in 4242". */
export function methodInWords(method: Stripe.PaymentMethod | undefined): string {
  if (method?.us_bank_account) return `Bank account ending in ${method.us_bank_account.last4}`;
  return method?.card ? `Visa ending in ${method.card.last4}` : "None";
}

const toList = {
  ...paging,
  customer: text(),
  type: oneOf("card", "us_bank_account"),
  ...notHere("allow_redisplay", "customer_account"),
} satisfies Every<Stripe.PaymentMethodListParams>;

export const paymentMethods = [
  endpoint("GET /v1/payment_methods", toList, ({ account, given }) => {
    const found = account.store
      .all("payment_method")
      .filter(
        (one) =>
          (given.customer === undefined || one.customer === given.customer) &&
          (given.type === undefined || one.type === given.type),
      );
    return pageOf(found, "/v1/payment_methods", given);
  }),
  endpoint("GET /v1/payment_methods/:id", {}, ({ account, id }) =>
    account.find("payment_method", id, undefined, "PaymentMethod"),
  ),
];
