import type { Stripe } from "stripe";

import { createdRange, paging } from "./endpoint";
import { metadata } from "./metadata";
import {
  boolean,
  integer,
  type Known,
  list,
  object,
  oneOf,
  type Parsed,
  required,
  text,
  timestamp,
  url,
} from "./parameters";
import { priceData } from "./products-and-prices";
import { statementSuffix } from "./statement-descriptor";

const lineItem = object({
  price: text(),
  price_data: priceData,
  quantity: required(integer({ min: 1, max: 999_999 })),
} satisfies Known<Stripe.Checkout.SessionCreateParams.LineItem>);

const invoiceData = object({
  custom_fields: list(
    object({
      name: required(text(40)),
      value: required(text(140)),
    } satisfies Known<Stripe.Checkout.SessionCreateParams.InvoiceCreation.InvoiceData.CustomField>),
    { max: 4 },
  ),
  description: text(1500),
  footer: text(),
  metadata,
} satisfies Known<Stripe.Checkout.SessionCreateParams.InvoiceCreation.InvoiceData>);

/** What a checkout session is created from. */
export const sessionParams = {
  adaptive_pricing: object({
    enabled: boolean,
  } satisfies Known<Stripe.Checkout.SessionCreateParams.AdaptivePricing>),
  allow_promotion_codes: boolean,
  // Since 2026-09-30.endive there is no `payment_method_types`: this filters what the account offers.
  allowed_payment_method_types: list(
    oneOf("amazon_pay", "card", "cashapp", "klarna", "link", "us_bank_account"),
  ),
  automatic_tax: object({
    enabled: required(boolean),
  } satisfies Known<Stripe.Checkout.SessionCreateParams.AutomaticTax>),
  billing_address_collection: oneOf("auto", "required"),
  cancel_url: url,
  client_reference_id: text(200),
  // Stripe can do without a customer; the dashboard always names one.
  customer: required(text()),
  customer_update: object({
    address: oneOf("auto", "never"),
    name: oneOf("auto", "never"),
  } satisfies Known<Stripe.Checkout.SessionCreateParams.CustomerUpdate>),
  discounts: list(
    object({
      coupon: required(text()),
    } satisfies Known<Stripe.Checkout.SessionCreateParams.Discount>),
    { max: 1 },
  ),
  expires_at: timestamp,
  invoice_creation: object({
    enabled: required(boolean),
    invoice_data: invoiceData,
  } satisfies Known<Stripe.Checkout.SessionCreateParams.InvoiceCreation>),
  line_items: required(list(lineItem, { max: 100 })),
  metadata,
  mode: required(oneOf("payment", "subscription")),
  payment_intent_data: object({
    description: text(1000),
    metadata,
    statement_descriptor_suffix: statementSuffix,
  } satisfies Known<Stripe.Checkout.SessionCreateParams.PaymentIntentData>),
  subscription_data: object({
    description: text(500),
    metadata,
  } satisfies Known<Stripe.Checkout.SessionCreateParams.SubscriptionData>),
  success_url: required(url),
  tax_id_collection: object({
    enabled: required(boolean),
    required: oneOf("if_supported", "never"),
  } satisfies Known<Stripe.Checkout.SessionCreateParams.TaxIdCollection>),
} satisfies Known<Stripe.Checkout.SessionCreateParams>;

/** By what checkout sessions are listed. */
export const sessionFilter = {
  ...paging,
  created: createdRange,
  customer: text(),
  payment_intent: text(),
  status: oneOf("complete", "expired", "open"),
  subscription: text(),
} satisfies Known<Stripe.Checkout.SessionListParams>;

export type SessionParams = Parsed<typeof sessionParams>;
