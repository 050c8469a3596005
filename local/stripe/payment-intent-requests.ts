import type { Stripe } from "stripe";

import type { Account } from "./account";
import { ApiError } from "./api-error";
import { createdRange, endpoint, isCreatedWithin, matches, pageOf, paging } from "./endpoint";
import { metadata } from "./metadata";
import {
  amount,
  boolean,
  currency,
  type Known,
  object,
  oneOf,
  type Parsed,
  required,
  text,
} from "./parameters";
import { confirmPaymentIntent, createPaymentIntent } from "./payment-intents";
import { cardError, namedPaymentMethod } from "./payment-method-requests";
import { authorizeCharge } from "./payment-methods";
import { statementSuffix } from "./statement-descriptor";

const intentParams = {
  amount: required(amount),
  automatic_payment_methods: object({
    allow_redirects: oneOf("never"),
    enabled: required(boolean),
  } satisfies Known<Stripe.PaymentIntentCreateParams.AutomaticPaymentMethods>),
  confirm: boolean,
  currency: required(currency),
  customer: text(),
  description: text(1000),
  metadata,
  payment_method: text(),
  statement_descriptor_suffix: statementSuffix,
} satisfies Known<Stripe.PaymentIntentCreateParams>;

const intentFilter = {
  ...paging,
  created: createdRange,
  customer: text(),
} satisfies Known<Stripe.PaymentIntentListParams>;

const MIN_CENTS = 50;

/** Creates a payment and, when asked to, makes it at once. A decline leaves it unpaid. */
function startPayment(
  account: Account,
  params: Parsed<typeof intentParams>,
): Stripe.PaymentIntent | ApiError {
  if (params.amount < MIN_CENTS) {
    throw new ApiError("Amount must be at least $0.50 usd", {
      code: "amount_too_small",
      param: "amount",
    });
  }
  const customer =
    params.customer === undefined ? null : account.customer(params.customer, "customer").id;
  const intent = createPaymentIntent(account, { ...params, customer });
  if (params.payment_method === undefined || !params.confirm) return intent;
  const method = namedPaymentMethod(account, params.payment_method, "payment_method");
  const bank = authorizeCharge(method, "off_session");
  const after = confirmPaymentIntent(account, intent, method, "off_session");
  // Returned and not thrown: the payment and its failed charge stay.
  return typeof bank === "object" ? cardError(bank, after) : after;
}

export const paymentIntentEndpoints = [
  endpoint("POST /v1/payment_intents", intentParams, ({ account, params }) =>
    startPayment(account, params),
  ),
  endpoint("GET /v1/payment_intents", intentFilter, ({ account, params }) => {
    const { created, customer } = params;
    const found = account.store
      .all("payment_intent")
      .filter((one) => isCreatedWithin(one, created) && matches(one, { customer }));
    return pageOf(found, "/v1/payment_intents", params);
  }),
  endpoint("GET /v1/payment_intents/:id", {}, ({ account, id }) =>
    account.get("payment_intent", id),
  ),
];
