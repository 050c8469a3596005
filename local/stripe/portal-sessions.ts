import type { Stripe } from "stripe";

import type { Account } from "./account";
import { ApiError } from "./api-error";
import { endpoint } from "./endpoint";
import { newId, randomString } from "./ids";
import { type Known, required, text, url } from "./parameters";
import { createFlow, flowData } from "./portal-flows";

const sessionParams = {
  configuration: text(),
  customer: required(text()),
  flow_data: flowData,
  return_url: required(url),
} satisfies Known<Stripe.BillingPortal.SessionCreateParams>;

/**
 * No configuration is the default one: only Stripe's dashboard, where it is saved, can make it
 * that.
 */
function findConfiguration(
  account: Account,
  id: string | undefined,
): Stripe.BillingPortal.Configuration {
  if (id === undefined) {
    throw new ApiError(
      "No configuration provided and your test mode default configuration has not been created. Provide a configuration or create " +
        "your default by saving your customer portal settings in test mode at https://dashboard.stripe.com/test/settings/billing/portal.",
    );
  }
  const configuration = account.get("billing_portal.configuration", id, "configuration");
  if (configuration.active) return configuration;
  throw new ApiError(`The configuration ${id} is inactive.`, { param: "configuration" });
}

export const portalSessionEndpoints = [
  endpoint("POST /v1/billing_portal/sessions", sessionParams, ({ account, params }) => {
    const customer = account.customer(params.customer, "customer");
    const configuration = findConfiguration(account, params.configuration);
    const id = newId("bps");
    return account.save(
      "billing_portal.session",
      {
        id,
        object: "billing_portal.session",
        configuration: configuration.id,
        created: account.now,
        customer: customer.id,
        customer_account: null,
        flow: params.flow_data
          ? createFlow(account, params.flow_data, customer.id, configuration.features)
          : null,
        livemode: false,
        locale: null,
        on_behalf_of: null,
        return_url: params.return_url,
        url: `${account.origin}/p/session/${id}_${randomString(16)}`,
      },
      "billing_portal.session.created",
    );
  }),
];
