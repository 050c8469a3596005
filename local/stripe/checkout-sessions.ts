import type { Stripe } from "stripe";

import { type Account, wrongState } from "./account";
import { type CheckoutDetails, lineItems, proveDiscount, sumOf } from "./checkout-details";
import { endpoint, pageOf } from "./endpoint";
import { idOf, newId, randomSigns } from "./ids";
import {
  email,
  type Every,
  flag,
  type Given,
  list,
  mergeMetadata,
  metadata,
  moment,
  notHere,
  object,
  oneOf,
  paging,
  range,
  required,
  statementSuffix,
  text,
  webAddress,
  whole,
  withoutEffect,
} from "./parameters";
import { createPriceFromData, priceData } from "./prices";
import { missing, onlyOneOf, Refusal } from "./refusal";

const lineItem = object({
  price: text(),
  price_data: priceData,
  quantity: whole({ min: 1, max: 999_999 }),
  ...notHere("adjustable_quantity", "metadata", "tax_rates"),
} satisfies Every<Stripe.Checkout.SessionCreateParams.LineItem>);

const toCreate = {
  allow_promotion_codes: flag,
  billing_address_collection: oneOf("auto", "required"),
  cancel_url: webAddress,
  client_reference_id: text(200),
  currency: text(3),
  customer: text(),
  customer_creation: oneOf("always", "if_required"),
  customer_email: email,
  customer_update: withoutEffect,
  discounts: list(
    object({
      coupon: text(),
      promotion_code: text(),
    } satisfies Every<Stripe.Checkout.SessionCreateParams.Discount>),
  ),
  expires_at: moment,
  line_items: list(lineItem, { max: 100 }),
  locale: text(),
  metadata,
  mode: required(oneOf("payment", "setup", "subscription")),
  payment_intent_data: object({
    description: text(1000),
    metadata,
    receipt_email: email,
    setup_future_usage: oneOf("off_session", "on_session"),
    statement_descriptor_suffix: statementSuffix,
    ...notHere(
      "application_fee_amount",
      "capture_method",
      "on_behalf_of",
      "shipping",
      "statement_descriptor",
      "transfer_data",
      "transfer_group",
    ),
  } satisfies Every<Stripe.Checkout.SessionCreateParams.PaymentIntentData>),
  payment_method_collection: oneOf("always", "if_required"),
  submit_type: oneOf("auto", "book", "donate", "pay", "subscribe"),
  subscription_data: object({
    description: text(500),
    metadata,
    ...notHere(
      "application_fee_percent",
      "billing_cycle_anchor",
      "billing_cycle_anchor_config",
      "billing_mode",
      "default_tax_rates",
      "invoice_settings",
      "on_behalf_of",
      "pending_invoice_item_interval",
      "proration_behavior",
      "transfer_data",
      "trial_end",
      "trial_period_days",
      "trial_settings",
    ),
  } satisfies Every<Stripe.Checkout.SessionCreateParams.SubscriptionData>),
  success_url: webAddress,
  ui_mode: oneOf("elements", "embedded_page", "form", "hosted_page"),
  ...notHere(
    "adaptive_pricing",
    "after_expiration",
    "allowed_payment_method_types",
    "automatic_tax",
    "branding_settings",
    "consent_collection",
    "custom_fields",
    "custom_text",
    "customer_account",
    "excluded_payment_method_types",
    "integration_identifier",
    "invoice_creation",
    "managed_payments",
    "name_collection",
    "optional_items",
    "origin_context",
    "payment_method_configuration",
    "payment_method_data",
    "payment_method_options",
    "permissions",
    "phone_number_collection",
    "redirect_on_completion",
    "return_url",
    "saved_payment_method_options",
    "setup_intent_data",
    "shipping_address_collection",
    "shipping_options",
    "tax_id_collection",
    "wallet_options",
  ),
} satisfies Every<Stripe.Checkout.SessionCreateParams>;

const toUpdate = {
  metadata,
  ...notHere("collected_information", "line_items", "payment_intent_data", "shipping_options"),
} satisfies Every<Stripe.Checkout.SessionUpdateParams>;

const toList = {
  ...paging,
  created: range,
  customer: text(),
  customer_details: object({ email: required(email) }),
  payment_intent: text(),
  status: oneOf("complete", "expired", "open"),
  subscription: text(),
  ...notHere("customer_account", "payment_link"),
} satisfies Every<Stripe.Checkout.SessionListParams>;

type ToCreate = Given<typeof toCreate>;

const SHORTEST_S = 30 * 60;
const LONGEST_S = 24 * 3600;
/** A request takes its time: what was half an hour when it was sent is still taken for it. */
const UNDER_WAY_S = 60;
const LEAST_CENTS = 50;

/** What Stripe refuses whatever the prices are. */
function proveTogether(given: ToCreate): void {
  if (given.mode === "setup")
    throw new Refusal("The local stand-in for Stripe does not do the mode 'setup'.", {
      param: "mode",
    });
  if (given.ui_mode !== undefined && given.ui_mode !== "hosted_page") {
    throw new Refusal("The local stand-in for Stripe has the hosted page alone.", {
      param: "ui_mode",
    });
  }
  if (given.success_url === undefined) throw missing("success_url");
  if (given.line_items === undefined || given.line_items.length === 0) throw missing("line_items");
  if (given.customer !== undefined && given.customer_email !== undefined)
    throw onlyOneOf("customer", "customer_email");
  if (given.customer !== undefined && given.customer_creation !== undefined)
    throw onlyOneOf("customer", "customer_creation");
  if (given.customer_update !== undefined && given.customer === undefined) {
    throw new Refusal("`customer_update` can only be used with `customer`.", {
      param: "customer_update",
    });
  }
  if (given.discounts && given.discounts.length > 0 && given.allow_promotion_codes !== undefined) {
    throw onlyOneOf("allow_promotion_codes", "discounts");
  }
  if (given.discounts && given.discounts.length > 1) {
    throw new Refusal("A Checkout Session takes one discount at most.", { param: "discounts" });
  }
  if (given.mode === "payment" && given.subscription_data) {
    throw new Refusal("You can not pass `subscription_data` in `payment` mode.", {
      param: "subscription_data",
    });
  }
  if (given.mode === "subscription") {
    for (const param of ["payment_intent_data", "customer_creation", "submit_type"] as const) {
      if (
        given[param] !== undefined &&
        !(param === "submit_type" && given[param] === "subscribe")
      ) {
        throw new Refusal(`You can not pass \`${param}\` in \`subscription\` mode.`, { param });
      }
    }
  }
  if (given.payment_method_collection !== undefined && given.mode !== "subscription") {
    throw new Refusal("`payment_method_collection` can only be used in `subscription` mode.", {
      param: "payment_method_collection",
    });
  }
}

/** The prices of the line items, those described in `price_data` made for it. */
function itemsOf(account: Account, given: ToCreate): CheckoutDetails["items"] {
  const items = given.line_items!.map((item, index) => {
    const param = `line_items[${index}]`;
    if (item.price !== undefined && item.price_data !== undefined)
      throw onlyOneOf(`${param}[price]`, `${param}[price_data]`);
    if (item.price === undefined && item.price_data === undefined) throw missing(`${param}[price]`);
    if (item.quantity === undefined) throw missing(`${param}[quantity]`);
    const price = item.price_data
      ? createPriceFromData(account, item.price_data, `${param}[price_data]`)
      : account.find("price", item.price!, `${param}[price]`);
    if (item.price !== undefined && !price.active) {
      throw new Refusal("The price specified is inactive. This field only accepts active prices.", {
        param: `${param}[price]`,
      });
    }
    const product = account.find("product", idOf(price.product));
    if (!product.active && item.price !== undefined) {
      throw new Refusal(
        "The price specified belongs to a product that is inactive. This field only accepts active products.",
        { param: `${param}[price]` },
      );
    }
    return { id: newId("li"), price, quantity: item.quantity };
  });
  const recurring = items.filter(({ price }) => price.type === "recurring");
  if (given.mode === "payment" && recurring.length > 0) {
    throw new Refusal(
      "You specified `payment` mode but passed a recurring price. Either switch to `subscription` mode or use only one-time prices.",
      { param: "mode" },
    );
  }
  if (given.mode === "subscription") {
    if (recurring.length === 0)
      throw new Refusal(
        "You must provide at least one recurring price in `subscription` mode when using prices.",
        { param: "mode" },
      );
    if (items.length > 1)
      throw new Refusal("The local stand-in for Stripe takes one price for a subscription.", {
        param: "line_items",
      });
  }
  return items.map(({ id, price, quantity }) => ({ id, price: price.id, quantity }));
}

function discountIn(account: Account, given: ToCreate): CheckoutDetails["discount"] {
  const [discount] = given.discounts ?? [];
  if (!discount) return null;
  const { coupon, promotion_code: code } = discount;
  if (coupon !== undefined && code !== undefined)
    throw onlyOneOf("discounts[0][coupon]", "discounts[0][promotion_code]");
  if (coupon !== undefined)
    return {
      coupon: account.find("coupon", coupon, "discounts[0][coupon]").id,
      promotionCode: null,
    };
  if (code === undefined) throw missing("discounts[0][coupon]");
  const found = account.find(
    "promotion_code",
    code,
    "discounts[0][promotion_code]",
    "promotion code",
  );
  return { coupon: idOf(found.promotion.coupon)!, promotionCode: found.id };
}

/** When a session ends, in the caller's time: within 24 hours, and not before 30 minutes are over. */
function endOf(given: ToCreate): number {
  const now = Math.floor(Date.now() / 1000);
  const ends = given.expires_at ?? now + LONGEST_S;
  if (ends < now + SHORTEST_S - UNDER_WAY_S) {
    throw new Refusal(
      "The `expires_at` timestamp must be at least 30 minutes from Checkout Session creation.",
      { param: "expires_at" },
    );
  }
  if (ends > now + LONGEST_S + UNDER_WAY_S) {
    throw new Refusal(
      "The `expires_at` timestamp must be less than 24 hours from Checkout Session creation.",
      { param: "expires_at" },
    );
  }
  return ends;
}

function createSession(account: Account, given: ToCreate): Stripe.Checkout.Session {
  proveTogether(given);
  const customer =
    given.customer === undefined ? null : account.customer(given.customer, "customer");
  const expiresAt = endOf(given);
  const details: CheckoutDetails = {
    items: itemsOf(account, given),
    discount: discountIn(account, given),
    endsAt: expiresAt + Math.floor(account.settings.aheadMs / 1000),
    paymentIntentData: given.payment_intent_data ?? {},
    subscriptionData: given.subscription_data ?? {},
    awaiting: null,
    trouble: null,
  };
  proveDiscount(account, details, customer?.id ?? null, "discounts[0]");
  const { total } = sumOf(account, details);
  if (total > 0 && total < LEAST_CENTS) {
    throw new Refusal("The Checkout Session's total amount due must add up to at least $0.50 usd", {
      code: "amount_too_small",
    });
  }
  if (total > 99_999_999) {
    throw new Refusal("The Checkout Session's total amount due must be no more than $999,999.99", {
      code: "amount_too_large",
    });
  }
  const id = `cs_test_${given.mode === "payment" ? "a1" : "b1"}${randomSigns(56)}`;
  account.store.put("checkout", id, details);
  const session: Stripe.Checkout.Session = {
    id,
    object: "checkout.session",
    adaptive_pricing: { enabled: false },
    after_expiration: null,
    allow_promotion_codes: given.allow_promotion_codes ?? null,
    allowed_payment_method_types: null,
    amount_subtotal: null,
    amount_total: null,
    automatic_tax: { enabled: false, liability: null, provider: null, status: null },
    billing_address_collection: given.billing_address_collection ?? null,
    cancel_url: given.cancel_url ?? null,
    client_reference_id: given.client_reference_id ?? null,
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
    customer: customer?.id ?? null,
    customer_account: null,
    customer_creation: customer
      ? null
      : given.mode === "payment"
        ? (given.customer_creation ?? "if_required")
        : "always",
    customer_details: detailsOf(
      customer?.email ?? given.customer_email ?? null,
      customer?.name ?? null,
    ),
    customer_email: given.customer_email ?? null,
    discounts: [],
    expires_at: expiresAt,
    integration_identifier: null,
    invoice: null,
    invoice_creation:
      given.mode === "payment" ? { enabled: false, invoice_data: NO_INVOICE_DATA } : null,
    livemode: false,
    locale: given.locale ?? null,
    managed_payments: null,
    metadata: mergeMetadata(null, given.metadata),
    mode: given.mode,
    origin_context: null,
    payment_intent: null,
    payment_link: null,
    payment_method_collection:
      given.payment_method_collection ?? (given.mode === "payment" ? "if_required" : "always"),
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
    submit_type: given.submit_type ?? null,
    subscription: null,
    success_url: given.success_url!,
    total_details: null,
    ui_mode: "hosted_page",
    url: `${account.origin}/c/pay/${id}`,
    wallet_options: null,
  };
  return account.save("checkout.session", withSum(account, session));
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

/** What is known of the person who pays; null while nothing is. */
export function detailsOf(
  email: string | null,
  name: string | null,
): Stripe.Checkout.Session.CustomerDetails | null {
  if (email === null && name === null) return null;
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

/** The session with the amounts of what it holds now. */
export function withSum(
  account: Account,
  session: Stripe.Checkout.Session,
): Stripe.Checkout.Session {
  const details = account.find("checkout", session.id);
  const { subtotal, off, total } = sumOf(account, details);
  const { discount } = details;
  return {
    ...session,
    amount_subtotal: subtotal,
    amount_total: total,
    discounts: discount
      ? [
          {
            coupon: discount.promotionCode === null ? discount.coupon : null,
            promotion_code: discount.promotionCode,
          },
        ]
      : [],
    total_details: { amount_discount: off, amount_shipping: 0, amount_tax: 0 },
  };
}

export function expireSession(
  account: Account,
  session: Stripe.Checkout.Session,
): Stripe.Checkout.Session {
  if (session.status !== "open") {
    throw wrongState(
      `Only Checkout Sessions with a status in ["open"] can be expired. This Checkout Session has a status of \`${session.status}\`.`,
    );
  }
  return account.save(
    "checkout.session",
    { ...session, status: "expired", url: null },
    "checkout.session.expired",
  );
}

/** Sessions end by themselves. */
export function sessionsDue(account: Account): { at: number; happen: () => void }[] {
  return account.store
    .all("checkout.session")
    .filter((session) => session.status === "open")
    .map((session) => ({
      at: account.find("checkout", session.id).endsAt,
      happen: () => expireSession(account, session),
    }));
}

export const checkoutSessions = [
  endpoint("POST /v1/checkout/sessions", toCreate, ({ account, given }) =>
    createSession(account, given),
  ),
  endpoint("GET /v1/checkout/sessions", toList, ({ account, given }) => {
    const found = account.store
      .all("checkout.session")
      .filter(
        (one) =>
          (given.customer === undefined || one.customer === given.customer) &&
          (given.customer_details === undefined ||
            one.customer_details?.email === given.customer_details.email) &&
          (given.payment_intent === undefined || one.payment_intent === given.payment_intent) &&
          (given.status === undefined || one.status === given.status) &&
          (given.subscription === undefined || one.subscription === given.subscription) &&
          (given.created?.(one.created) ?? true),
      );
    return pageOf(found, "/v1/checkout/sessions", given);
  }),
  endpoint("GET /v1/checkout/sessions/:id", {}, ({ account, id }) =>
    account.find("checkout.session", id, undefined, "checkout.session"),
  ),
  endpoint("POST /v1/checkout/sessions/:id", toUpdate, ({ account, id, given }) => {
    const old = account.find("checkout.session", id);
    return account.save("checkout.session", {
      ...old,
      metadata: mergeMetadata(old.metadata, given.metadata),
    });
  }),
  endpoint("POST /v1/checkout/sessions/:id/expire", {}, ({ account, id }) =>
    expireSession(account, account.find("checkout.session", id)),
  ),
  endpoint("GET /v1/checkout/sessions/:id/line_items", paging, ({ account, id, given }) =>
    pageOf(
      lineItems(account, account.find("checkout.session", id)).data,
      `/v1/checkout/sessions/${id}/line_items`,
      given,
    ),
  ),
];
