import type { Stripe } from "stripe";

import type { Account, DueTask } from "./account";
import { ApiError, mutuallyExclusive, parameterMissing } from "./api-error";
import { customerDetails } from "./checkout-entries";
import { sessionFilter, sessionParams, type SessionParams } from "./checkout-parameters";
import { checkAmount, checkCombination, checkTax, expiryOf, methodTypesOf } from "./checkout-rules";
import { checkDiscount, lineItemsOf, totalsOf } from "./checkout-totals";
import { endpoint, isCreatedWithin, matches, pageOf, paging } from "./endpoint";
import { newId, randomString } from "./ids";
import { newMetadata } from "./metadata";
import { createPriceFromData } from "./products-and-prices";
import type { CheckoutDetails } from "./records";

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

/** A new checkout. @param id of the session; a new one, when omitted */
export function createSession(
  account: Account,
  params: SessionParams,
  id = `cs_test_${params.mode === "payment" ? "a1" : "b1"}${randomString(56)}`,
): Stripe.Checkout.Session {
  checkCombination(params);
  const customer = account.customer(params.customer, "customer");
  checkTax(params, customer);
  const expiresAt = expiryOf(params);
  const methodTypes = methodTypesOf(params);
  const [discount] = params.discounts ?? [];
  const details: CheckoutDetails = {
    items: createItems(account, params),
    discount: discount ? { coupon: discount.coupon, promotionCode: null } : null,
    expiresAt: expiresAt + Math.floor(account.settings.clockOffsetMs / 1000),
    paymentIntentData: params.payment_intent_data ?? {},
    subscriptionData: params.subscription_data ?? {},
    saves: {
      address: params.customer_update?.address === "auto",
      name: params.customer_update?.name === "auto",
    },
    authenticating: null,
    error: null,
  };
  checkDiscount(account, details, "discounts[0][coupon]");
  checkAmount(totalsOf(account, details).total);
  account.store.put("checkout_details", id, details);
  const session: Stripe.Checkout.Session = {
    id,
    object: "checkout.session",
    // As in a new account, whose settings turn it on.
    adaptive_pricing: { enabled: params.adaptive_pricing?.enabled ?? true },
    after_expiration: null,
    allow_promotion_codes: params.allow_promotion_codes ?? null,
    allowed_payment_method_types: params.allowed_payment_method_types ?? null,
    amount_subtotal: null,
    amount_total: null,
    automatic_tax: automaticTax(params),
    billing_address_collection: params.billing_address_collection ?? null,
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
    customer_details: customerDetails(customer.email, { name: null, address: null, taxId: null }),
    customer_email: null,
    discounts: [],
    expires_at: expiresAt,
    integration_identifier: null,
    invoice: null,
    invoice_creation: params.mode === "payment" ? invoiceCreation(params) : null,
    livemode: false,
    locale: null,
    managed_payments: null,
    metadata: newMetadata(params.metadata),
    mode: params.mode,
    origin_context: null,
    payment_intent: null,
    payment_link: null,
    payment_method_collection: params.mode === "payment" ? "if_required" : "always",
    payment_method_configuration_details: null,
    payment_method_options: {},
    payment_method_types: methodTypes,
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
    ...(params.tax_id_collection
      ? {
          tax_id_collection: {
            enabled: params.tax_id_collection.enabled,
            required: params.tax_id_collection.required ?? "never",
          },
        }
      : {}),
    total_details: null,
    ui_mode: "hosted_page",
    url: `${account.origin}/c/pay/${id}`,
    wallet_options: null,
  };
  return account.save("checkout.session", withTotals(account, session));
}

function automaticTax({ automatic_tax: tax }: SessionParams): Stripe.Checkout.Session.AutomaticTax {
  if (!tax?.enabled) return { enabled: false, liability: null, provider: null, status: null };
  return {
    enabled: true,
    liability: { type: "self" },
    provider: "stripe",
    status: "requires_location_inputs",
  };
}

function invoiceCreation({
  invoice_creation: given,
}: SessionParams): Stripe.Checkout.Session.InvoiceCreation {
  const data = given?.invoice_data;
  return {
    enabled: given?.enabled ?? false,
    invoice_data: {
      account_tax_ids: null,
      custom_fields: data?.custom_fields ?? null,
      description: data?.description ?? null,
      footer: data?.footer ?? null,
      issuer: null,
      metadata: newMetadata(data?.metadata),
      rendering_options: null,
    },
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
    total_details: { amount_discount: totals.discount, amount_shipping: 0, amount_tax: totals.tax },
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
    const { created, customer, payment_intent, status, subscription } = params;
    const wanted = { customer, payment_intent, status, subscription };
    const found = account.store
      .all("checkout.session")
      .filter((one) => isCreatedWithin(one, created) && matches(one, wanted));
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
