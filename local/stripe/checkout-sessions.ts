import type { Stripe } from "stripe";

import type { Account, DueTask } from "./account";
import { ApiError, mutuallyExclusive, parameterMissing } from "./api-error";
import { checkDiscount, lineItemsOf, totalsOf } from "./checkout-totals";
import { endpoint, pageOf, paging } from "./endpoint";
import { newId, randomString } from "./ids";
import {
  boolean,
  integer,
  type Known,
  list,
  metadata,
  object,
  oneOf,
  type Parsed,
  required,
  statementSuffix,
  text,
  timestamp,
  url,
} from "./parameters";
import { createPriceFromData, priceData } from "./products-and-prices";
import type { CheckoutDetails } from "./records";

const lineItem = object({
  price: text(),
  price_data: priceData,
  quantity: required(integer({ min: 1, max: 999_999 })),
} satisfies Known<Stripe.Checkout.SessionCreateParams.LineItem>);

const sessionParams = {
  allow_promotion_codes: boolean,
  cancel_url: url,
  client_reference_id: text(200),
  // Stripe can do without a customer; the dashboard always names one.
  customer: required(text()),
  discounts: list(
    object({
      coupon: required(text()),
    } satisfies Known<Stripe.Checkout.SessionCreateParams.Discount>),
    { max: 1 },
  ),
  expires_at: timestamp,
  line_items: required(list(lineItem, { max: 100 })),
  metadata,
  mode: required(oneOf("payment", "subscription")),
  payment_intent_data: object({
    metadata,
    statement_descriptor_suffix: statementSuffix,
  } satisfies Known<Stripe.Checkout.SessionCreateParams.PaymentIntentData>),
  subscription_data: object({
    metadata,
  } satisfies Known<Stripe.Checkout.SessionCreateParams.SubscriptionData>),
  success_url: required(url),
} satisfies Known<Stripe.Checkout.SessionCreateParams>;

const sessionFilter = {
  ...paging,
  created: object({ gte: required(timestamp) }),
  status: oneOf("complete", "expired", "open"),
  subscription: text(),
} satisfies Known<Stripe.Checkout.SessionListParams>;

type SessionParams = Parsed<typeof sessionParams>;

const MIN_LIFETIME_S = 30 * 60;
const MAX_LIFETIME_S = 24 * 3600;
/** A request takes time, so half an hour counted from when it was sent is accepted. */
const REQUEST_DURATION_S = 60;
const MIN_CENTS = 50;
const MAX_CENTS = 99_999_999;

/** Refuses what Stripe refuses whatever the prices are. */
function checkCombination(params: SessionParams): void {
  if (params.line_items.length === 0) throw parameterMissing("line_items");
  if (params.discounts && params.allow_promotion_codes !== undefined)
    throw mutuallyExclusive("allow_promotion_codes", "discounts");
  const [wrongParam, mode] =
    params.mode === "payment"
      ? (["subscription_data", "payment"] as const)
      : (["payment_intent_data", "subscription"] as const);
  if (params[wrongParam]) {
    throw new ApiError(`You can not pass \`${wrongParam}\` in \`${mode}\` mode.`, {
      param: wrongParam,
    });
  }
}

/** The items with their prices; those described by `price_data` are created. */
function createItems(account: Account, params: SessionParams): CheckoutDetails["items"] {
  const items = params.line_items.map((item, index) => {
    const param = `line_items[${index}]`;
    if (item.price !== undefined && item.price_data !== undefined)
      throw mutuallyExclusive(`${param}[price]`, `${param}[price_data]`);
    if (item.price === undefined && item.price_data === undefined)
      throw parameterMissing(`${param}[price]`);
    const price = item.price_data
      ? createPriceFromData(account, item.price_data, `${param}[price_data]`)
      : account.get("price", item.price!, `${param}[price]`);
    if (item.price !== undefined && !price.active) {
      throw new ApiError(
        "The price specified is inactive. This field only accepts active prices.",
        { param: `${param}[price]` },
      );
    }
    return { id: newId("li"), price, quantity: item.quantity };
  });
  const recurring = items.filter(({ price }) => price.type === "recurring");
  if (params.mode === "payment" && recurring.length > 0) {
    throw new ApiError(
      "You specified `payment` mode but passed a recurring price. Either switch to `subscription` mode or use only one-time prices.",
      { param: "mode" },
    );
  }
  if (params.mode === "subscription") {
    if (recurring.length === 0) {
      throw new ApiError(
        "You must provide at least one recurring price in `subscription` mode when using prices.",
        { param: "mode" },
      );
    }
    if (items.length > 1) {
      throw new ApiError("The local stand-in for Stripe takes one price for a subscription.", {
        param: "line_items",
      });
    }
  }
  return items.map(({ id, price, quantity }) => ({ id, price: price.id, quantity }));
}

/** When a session expires, by the client's clock: within 24 hours, and not before 30 minutes. */
function expiryOf({ expires_at }: SessionParams): number {
  const now = Math.floor(Date.now() / 1000);
  const expiry = expires_at ?? now + MAX_LIFETIME_S;
  if (expiry < now + MIN_LIFETIME_S - REQUEST_DURATION_S) {
    throw new ApiError(
      "The `expires_at` timestamp must be at least 30 minutes from Checkout Session creation.",
      { param: "expires_at" },
    );
  }
  if (expiry > now + MAX_LIFETIME_S + REQUEST_DURATION_S) {
    throw new ApiError(
      "The `expires_at` timestamp must be less than 24 hours from Checkout Session creation.",
      { param: "expires_at" },
    );
  }
  return expiry;
}

function createSession(account: Account, params: SessionParams): Stripe.Checkout.Session {
  checkCombination(params);
  const customer = account.customer(params.customer, "customer");
  const expiresAt = expiryOf(params);
  const [discount] = params.discounts ?? [];
  const details: CheckoutDetails = {
    items: createItems(account, params),
    discount: discount ? { coupon: discount.coupon, promotionCode: null } : null,
    expiresAt: expiresAt + Math.floor(account.settings.clockOffsetMs / 1000),
    paymentIntentData: params.payment_intent_data ?? {},
    subscriptionData: params.subscription_data ?? {},
    authenticating: null,
    error: null,
  };
  checkDiscount(account, details, "discounts[0][coupon]");
  const { total } = totalsOf(account, details);
  if (total > 0 && total < MIN_CENTS) {
    throw new ApiError(
      "The Checkout Session's total amount due must add up to at least $0.50 usd",
      { code: "amount_too_small" },
    );
  }
  if (total > MAX_CENTS) {
    throw new ApiError("The Checkout Session's total amount due must be no more than $999,999.99", {
      code: "amount_too_large",
    });
  }
  const id = `cs_test_${params.mode === "payment" ? "a1" : "b1"}${randomString(56)}`;
  account.store.put("checkout_details", id, details);
  const session: Stripe.Checkout.Session = {
    id,
    object: "checkout.session",
    adaptive_pricing: { enabled: false },
    after_expiration: null,
    allow_promotion_codes: params.allow_promotion_codes ?? null,
    allowed_payment_method_types: null,
    amount_subtotal: null,
    amount_total: null,
    automatic_tax: { enabled: false, liability: null, provider: null, status: null },
    billing_address_collection: null,
    cancel_url: params.cancel_url ?? null,
    client_reference_id: params.client_reference_id ?? null,
    client_secret: null,
    collected_information: null,
    consent: null,
    consent_collection: null,
    created: account.now,
    currency: "usd",
    currency_conversion: null,
    custom_fields: [],
    custom_text: {
      after_submit: null,
      shipping_address: null,
      submit: null,
      terms_of_service_acceptance: null,
    },
    customer: customer.id,
    customer_account: null,
    customer_creation: null,
    customer_details: customerDetails(customer.email, null),
    customer_email: null,
    discounts: [],
    expires_at: expiresAt,
    integration_identifier: null,
    invoice: null,
    invoice_creation:
      params.mode === "payment" ? { enabled: false, invoice_data: NO_INVOICE_DATA } : null,
    livemode: false,
    locale: null,
    managed_payments: null,
    metadata: params.metadata ?? {},
    mode: params.mode,
    origin_context: null,
    payment_intent: null,
    payment_link: null,
    payment_method_collection: params.mode === "payment" ? "if_required" : "always",
    payment_method_configuration_details: null,
    payment_method_options: {},
    payment_method_types: ["card"],
    payment_status: "unpaid",
    permissions: null,
    phone_number_collection: { enabled: false },
    recovered_from: null,
    saved_payment_method_options: null,
    setup_intent: null,
    shipping_address_collection: null,
    shipping_cost: null,
    shipping_options: [],
    status: "open",
    submit_type: null,
    subscription: null,
    success_url: params.success_url,
    total_details: null,
    ui_mode: "hosted_page",
    url: `${account.origin}/c/pay/${id}`,
    wallet_options: null,
  };
  return account.save("checkout.session", withTotals(account, session));
}

const NO_INVOICE_DATA: Stripe.Checkout.Session.InvoiceCreation.InvoiceData = {
  account_tax_ids: null,
  custom_fields: null,
  description: null,
  footer: null,
  issuer: null,
  metadata: {},
  rendering_options: null,
};

export function customerDetails(
  email: string | null,
  name: string | null,
): Stripe.Checkout.Session.CustomerDetails {
  return {
    address: null,
    business_name: null,
    email,
    individual_name: null,
    name,
    phone: null,
    tax_exempt: "none",
    tax_ids: [],
  };
}

/** A session with the amounts and discounts that follow from its details. */
export function withTotals(
  account: Account,
  session: Stripe.Checkout.Session,
): Stripe.Checkout.Session {
  const details = account.get("checkout_details", session.id);
  const totals = totalsOf(account, details);
  const { discount } = details;
  return {
    ...session,
    amount_subtotal: totals.subtotal,
    amount_total: totals.total,
    discounts: discount
      ? [
          {
            coupon: discount.promotionCode === null ? discount.coupon : null,
            promotion_code: discount.promotionCode,
          },
        ]
      : [],
    total_details: { amount_discount: totals.discount, amount_shipping: 0, amount_tax: 0 },
  };
}

export function expireSession(
  account: Account,
  session: Stripe.Checkout.Session,
): Stripe.Checkout.Session {
  if (session.status !== "open") {
    throw new ApiError(
      `Only Checkout Sessions with a status in ["open"] can be expired. This Checkout Session has a status of \`${session.status}\`.`,
    );
  }
  return account.save(
    "checkout.session",
    { ...session, status: "expired", url: null },
    "checkout.session.expired",
  );
}

/** Open sessions expire by themselves. */
export function dueExpirations(account: Account): DueTask[] {
  return account.store
    .all("checkout.session")
    .filter((session) => session.status === "open")
    .map((session) => ({
      at: account.get("checkout_details", session.id).expiresAt,
      run: () => expireSession(account, session),
    }));
}

export const checkoutSessionEndpoints = [
  endpoint("POST /v1/checkout/sessions", sessionParams, ({ account, params }) =>
    createSession(account, params),
  ),
  endpoint("GET /v1/checkout/sessions", sessionFilter, ({ account, params }) => {
    const { created, status, subscription } = params;
    const found = account.store
      .all("checkout.session")
      .filter(
        (session) =>
          (created === undefined || session.created >= created.gte) &&
          (status === undefined || session.status === status) &&
          (subscription === undefined || session.subscription === subscription),
      );
    return pageOf(found, "/v1/checkout/sessions", params);
  }),
  endpoint("GET /v1/checkout/sessions/:id", {}, ({ account, id }) =>
    account.get("checkout.session", id),
  ),
  endpoint("POST /v1/checkout/sessions/:id/expire", {}, ({ account, id }) =>
    expireSession(account, account.get("checkout.session", id)),
  ),
  endpoint("GET /v1/checkout/sessions/:id/line_items", paging, ({ account, id, params }) =>
    pageOf(
      lineItemsOf(account, account.get("checkout.session", id)).data,
      `/v1/checkout/sessions/${id}/line_items`,
      params,
    ),
  ),
];
