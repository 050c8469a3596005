import type { Stripe } from "stripe";

import type { Account } from "./account";
import { ApiError } from "./api-error";
import { endpoint } from "./endpoint";
import { type Known, required, text } from "./parameters";
import {
  attachPaymentMethod,
  createPaymentMethod,
  type Decline,
  type TestMethodName,
} from "./payment-methods";

const attachParams = {
  customer: required(text()),
} satisfies Known<Stripe.PaymentMethodAttachParams>;

/** Stripe's names of test cards. Each use makes a payment method of its own. */
const TEST_IDS: Record<string, TestMethodName> = {
  pm_card_visa: "ok",
  pm_card_chargeDeclined: "declined",
  pm_card_chargeDeclinedInsufficientFunds: "insufficient_funds",
  pm_card_chargeCustomerFail: "fails_later",
  pm_card_pendingRefund: "refund_pending",
  pm_card_refundFail: "refund_fails",
};

/** The payment method that a parameter names, or a new one of a test card. */
export function namedPaymentMethod(
  account: Account,
  id: string,
  param?: string,
): Stripe.PaymentMethod {
  const name = Object.hasOwn(TEST_IDS, id) ? TEST_IDS[id] : undefined;
  return name === undefined
    ? account.get("payment_method", id, param)
    : createPaymentMethod(account, name, { email: null });
}

/** A bank's refusal, as the API reports it. */
export function cardError(
  { code, decline_code, message }: Decline,
  intent?: Stripe.PaymentIntent,
): ApiError {
  return new ApiError(message, {
    type: "card_error",
    status: 402,
    code,
    decline_code,
    ...(intent ? { payment_intent: intent } : {}),
  });
}

export const paymentMethodEndpoints = [
  endpoint("POST /v1/payment_methods/:id/attach", attachParams, ({ account, id, params }) => {
    const customer = account.customer(params.customer, "customer");
    return attachPaymentMethod(account, namedPaymentMethod(account, id), customer.id);
  }),
];
