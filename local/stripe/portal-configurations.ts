import type { Stripe } from "stripe";

import { endpoint, pageOf } from "./endpoint";
import { newId } from "./ids";
import {
  defined,
  type Every,
  flag,
  type Given,
  list,
  mergeMetadata,
  metadata,
  notHere,
  object,
  oneOf,
  paging,
  required,
  text,
  unsettable,
  webAddress,
  whole,
} from "./parameters";
import { missing, noSuch, Refusal } from "./refusal";

const proration = oneOf("always_invoice", "create_prorations", "none");

const features = {
  customer_update: object({
    allowed_updates: list(oneOf("address", "email", "name", "phone", "shipping", "tax_id")),
    enabled: required(flag),
  } satisfies Every<Stripe.BillingPortal.ConfigurationCreateParams.Features.CustomerUpdate>),
  invoice_history: object({ enabled: required(flag) }),
  payment_method_update: object({
    enabled: required(flag),
    ...notHere("payment_method_configuration"),
  } satisfies Every<Stripe.BillingPortal.ConfigurationCreateParams.Features.PaymentMethodUpdate>),
  subscription_cancel: object({
    cancellation_reason: object({
      enabled: required(flag),
      options: list(
        oneOf(
          "customer_service",
          "low_quality",
          "missing_features",
          "other",
          "switched_service",
          "too_complex",
          "too_expensive",
          "unused",
        ),
      ),
      ...notHere("feedback_options"),
    } satisfies Every<Stripe.BillingPortal.ConfigurationCreateParams.Features.SubscriptionCancel.CancellationReason>),
    enabled: required(flag),
    mode: oneOf("at_period_end", "immediately"),
    proration_behavior: proration,
  } satisfies Every<Stripe.BillingPortal.ConfigurationCreateParams.Features.SubscriptionCancel>),
  subscription_update: object({
    default_allowed_updates: list(oneOf("price", "promotion_code", "quantity")),
    enabled: required(flag),
    products: list(
      object({
        product: required(text()),
        prices: required(list(text(), { max: 10 })),
        adjustable_quantity: object({
          enabled: required(flag),
          maximum: whole(),
          minimum: whole(),
        }),
      } satisfies Every<Stripe.BillingPortal.ConfigurationCreateParams.Features.SubscriptionUpdate.Product>),
      { max: 10 },
    ),
    proration_behavior: proration,
    ...notHere("billing_cycle_anchor", "schedule_at_period_end", "trial_update_behavior"),
  } satisfies Every<Stripe.BillingPortal.ConfigurationCreateParams.Features.SubscriptionUpdate>),
  ...notHere("subscription_pause"),
} satisfies Every<Stripe.BillingPortal.ConfigurationCreateParams.Features>;

const shared = {
  business_profile: object({
    headline: unsettable(text(60)),
    privacy_policy_url: webAddress,
    terms_of_service_url: webAddress,
  }),
  default_return_url: unsettable(webAddress),
  metadata,
  name: unsettable(text()),
  ...notHere("login_page"),
};

const toCreate = {
  ...shared,
  features: required(object(features)),
} satisfies Every<Stripe.BillingPortal.ConfigurationCreateParams>;

const toUpdate = {
  ...shared,
  active: flag,
  features: object(features),
} satisfies Every<Stripe.BillingPortal.ConfigurationUpdateParams>;

const toList = {
  ...paging,
  active: flag,
  is_default: flag,
} satisfies Every<Stripe.BillingPortal.ConfigurationListParams>;

type Features = Stripe.BillingPortal.Configuration.Features;
type GivenFeatures = Given<{
  features: ReturnType<typeof object<typeof features>> & { required: true };
}>["features"];

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

/** The features after a request, each replaced where it was given. */
function merged(old: Features, given: GivenFeatures | undefined): Features {
  const {
    customer_update: customer,
    invoice_history,
    payment_method_update: card,
    subscription_cancel: cancel,
    subscription_update: update,
  } = given ?? {};
  if (
    update?.enabled &&
    (update.products ?? []).length === 0 &&
    (old.subscription_update.products ?? []).length === 0
  ) {
    throw missing("features[subscription_update][products]");
  }
  if (
    update?.enabled &&
    (update.default_allowed_updates ?? old.subscription_update.default_allowed_updates).length === 0
  ) {
    throw missing("features[subscription_update][default_allowed_updates]");
  }
  const { cancellation_reason: reason, ...cancelRest } = cancel ?? {};
  const { products, ...updateRest } = update ?? {};
  return {
    ...old,
    customer_update: { ...old.customer_update, ...defined(customer ?? {}) },
    invoice_history: invoice_history ?? old.invoice_history,
    payment_method_update: {
      ...old.payment_method_update,
      enabled: card?.enabled ?? old.payment_method_update.enabled,
    },
    subscription_cancel: {
      ...old.subscription_cancel,
      ...defined(cancelRest),
      cancellation_reason: {
        ...old.subscription_cancel.cancellation_reason,
        ...(reason ? { enabled: reason.enabled, options: reason.options ?? [] } : {}),
      },
    },
    subscription_update: {
      ...old.subscription_update,
      ...defined(updateRest),
      products: products
        ? products.map(({ product, prices }) => ({
            product,
            prices,
            adjustable_quantity: { enabled: false, maximum: null, minimum: 1 },
          }))
        : (old.subscription_update.products ?? null),
    },
  };
}

export const portalConfigurations = [
  endpoint("POST /v1/billing_portal/configurations", toCreate, ({ account, given }) => {
    const configured = merged(NO_FEATURES, given.features);
    for (const [at, { product, prices }] of (
      configured.subscription_update.products ?? []
    ).entries()) {
      const param = `features[subscription_update][products][${at}]`;
      if (!account.store.find("product", product))
        throw noSuch("product", product, `${param}[product]`);
      for (const price of prices) {
        if (account.find("price", price, `${param}[prices]`).product !== product) {
          throw new Refusal(`The price ${price} does not belong to the product ${product}.`, {
            param: `${param}[prices]`,
          });
        }
      }
    }
    return account.save(
      "billing_portal.configuration",
      {
        id: newId("bpc"),
        object: "billing_portal.configuration",
        active: true,
        application: null,
        business_profile: {
          headline: given.business_profile?.headline ?? null,
          privacy_policy_url: given.business_profile?.privacy_policy_url ?? null,
          terms_of_service_url: given.business_profile?.terms_of_service_url ?? null,
        },
        created: account.now,
        default_return_url: given.default_return_url ?? null,
        features: configured,
        // Only the one that is saved in Stripe's dashboard is the default.
        is_default: false,
        livemode: false,
        login_page: { enabled: false, url: null },
        metadata: mergeMetadata(null, given.metadata),
        name: given.name ?? null,
        updated: account.now,
      },
      "billing_portal.configuration.created",
    );
  }),
  endpoint("GET /v1/billing_portal/configurations", toList, ({ account, given }) => {
    const found = account.store
      .all("billing_portal.configuration")
      .filter(
        (one) =>
          (given.active === undefined || one.active === given.active) &&
          (given.is_default === undefined || one.is_default === given.is_default),
      );
    return pageOf(found, "/v1/billing_portal/configurations", given);
  }),
  endpoint("GET /v1/billing_portal/configurations/:id", {}, ({ account, id }) =>
    account.find("billing_portal.configuration", id, undefined, "configuration"),
  ),
  endpoint("POST /v1/billing_portal/configurations/:id", toUpdate, ({ account, id, given }) => {
    const old = account.find("billing_portal.configuration", id, undefined, "configuration");
    return account.save(
      "billing_portal.configuration",
      {
        ...old,
        active: given.active ?? old.active,
        business_profile: { ...old.business_profile, ...defined(given.business_profile ?? {}) },
        default_return_url:
          given.default_return_url === undefined
            ? old.default_return_url
            : given.default_return_url,
        features: merged(old.features, given.features),
        metadata: mergeMetadata(old.metadata, given.metadata),
        name: given.name === undefined ? old.name : given.name,
        updated: account.now,
      },
      "billing_portal.configuration.updated",
    );
  }),
];
