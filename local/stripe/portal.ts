import type { Stripe } from "stripe";

import type { Account } from "./account";
import { ApiError } from "./api-error";
import { endpoint, pageOf, paging } from "./endpoint";
import { newId } from "./ids";
import { changeMetadata, metadata, newMetadata } from "./metadata";
import {
  boolean,
  type Known,
  list,
  object,
  oneOf,
  type Parsed,
  required,
  text,
} from "./parameters";

const enabled = required(boolean);

const features = object({
  customer_update: object({
    allowed_updates: required(list(oneOf("address", "name", "tax_id"))),
    enabled,
  } satisfies Known<Stripe.BillingPortal.ConfigurationCreateParams.Features.CustomerUpdate>),
  invoice_history: object({
    enabled,
  } satisfies Known<Stripe.BillingPortal.ConfigurationCreateParams.Features.InvoiceHistory>),
  payment_method_update: object({
    enabled,
  } satisfies Known<Stripe.BillingPortal.ConfigurationCreateParams.Features.PaymentMethodUpdate>),
  subscription_cancel: object({
    enabled,
    mode: required(oneOf("at_period_end")),
  } satisfies Known<Stripe.BillingPortal.ConfigurationCreateParams.Features.SubscriptionCancel>),
  subscription_update: object({
    default_allowed_updates: required(list(oneOf("price"))),
    enabled,
    products: required(
      list(
        object({
          product: required(text()),
          prices: required(list(text(), { max: 10 })),
        } satisfies Known<Stripe.BillingPortal.ConfigurationCreateParams.Features.SubscriptionUpdate.Product>),
        { max: 10 },
      ),
    ),
    proration_behavior: required(oneOf("always_invoice", "none")),
  } satisfies Known<Stripe.BillingPortal.ConfigurationCreateParams.Features.SubscriptionUpdate>),
} satisfies Known<Stripe.BillingPortal.ConfigurationCreateParams.Features>);

const configurationParams = {
  features: required(features),
  metadata,
} satisfies Known<Stripe.BillingPortal.ConfigurationCreateParams>;

const configurationFilter = {
  ...paging,
  active: boolean,
} satisfies Known<Stripe.BillingPortal.ConfigurationListParams>;

type ConfigurationParams = Parsed<typeof configurationParams>;
type Features = Stripe.BillingPortal.Configuration.Features;

const NO_FEATURES: Features = {
  customer_update: { allowed_updates: [], enabled: false },
  invoice_history: { enabled: false },
  payment_method_update: { enabled: false, payment_method_configuration: null },
  subscription_cancel: {
    cancellation_reason: { enabled: false, feedback_options: null, options: [] },
    enabled: false,
    mode: "at_period_end",
    proration_behavior: "none",
  },
  subscription_pause: { duration: { interval_options: [], type: "indefinite" }, enabled: false },
  subscription_update: {
    billing_cycle_anchor: null,
    default_allowed_updates: [],
    enabled: false,
    products: null,
    proration_behavior: "none",
    schedule_at_period_end: { conditions: [] },
    trial_update_behavior: "end_trial",
  },
};

/** The features after a request: those that it names are replaced. */
function applyFeatures(
  account: Account,
  old: Features,
  { features: changes }: ConfigurationParams,
): Features {
  const { products, ...update } = changes.subscription_update ?? {};
  products?.forEach(({ product, prices }, index) => {
    const param = `features[subscription_update][products][${index}]`;
    account.get("product", product, `${param}[product]`);
    for (const price of prices) {
      if (account.get("price", price, `${param}[prices]`).product !== product) {
        throw new ApiError(`The price ${price} does not belong to the product ${product}.`, {
          param: `${param}[prices]`,
        });
      }
    }
  });
  const after: Features = {
    ...old,
    customer_update: changes.customer_update ?? old.customer_update,
    invoice_history: changes.invoice_history ?? old.invoice_history,
    payment_method_update: { ...old.payment_method_update, ...changes.payment_method_update },
    subscription_cancel: { ...old.subscription_cancel, ...changes.subscription_cancel },
    subscription_update: {
      ...old.subscription_update,
      ...update,
      products:
        products?.map((one) => ({
          ...one,
          adjustable_quantity: { enabled: false, maximum: null, minimum: 1 },
        })) ??
        old.subscription_update.products ??
        null,
    },
  };
  if (after.subscription_update.enabled && !after.payment_method_update.enabled) {
    throw new ApiError(
      "Cannot enable subscription updates while payment method update is disabled.",
    );
  }
  return after;
}

export const portalEndpoints = [
  endpoint("POST /v1/billing_portal/configurations", configurationParams, ({ account, params }) =>
    account.save(
      "billing_portal.configuration",
      {
        id: newId("bpc"),
        object: "billing_portal.configuration",
        active: true,
        application: null,
        business_profile: {
          headline: null,
          privacy_policy_url: null,
          terms_of_service_url: null,
        },
        created: account.now,
        default_return_url: null,
        features: applyFeatures(account, NO_FEATURES, params),
        is_default: false,
        livemode: false,
        login_page: { enabled: false, url: null },
        metadata: newMetadata(params.metadata),
        name: null,
        updated: account.now,
      },
      "billing_portal.configuration.created",
    ),
  ),
  endpoint("GET /v1/billing_portal/configurations", configurationFilter, ({ account, params }) => {
    const found = account.store
      .all("billing_portal.configuration")
      .filter(({ active }) => params.active === undefined || active === params.active);
    return pageOf(found, "/v1/billing_portal/configurations", params);
  }),
  endpoint(
    "POST /v1/billing_portal/configurations/:id",
    configurationParams,
    ({ account, id, params }) => {
      const old = account.get("billing_portal.configuration", id);
      return account.save(
        "billing_portal.configuration",
        {
          ...old,
          features: applyFeatures(account, old.features, params),
          metadata: changeMetadata(old.metadata, params.metadata),
          updated: account.now,
        },
        "billing_portal.configuration.updated",
      );
    },
  ),
];
