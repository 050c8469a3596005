import type { Stripe } from "stripe";

import type { Account } from "./account";
import { endpoint } from "./endpoint";
import { newId, randomSigns } from "./ids";
import { type Every, notHere, object, oneOf, required, text, webAddress } from "./parameters";
import { missing, noSuch, Refusal } from "./refusal";

const ofSubscription = object({ subscription: required(text()), ...notHere("retention") });

const toCreate = {
  configuration: text(),
  customer: text(),
  flow_data: object({
    type: required(oneOf("payment_method_update", "subscription_cancel", "subscription_update")),
    subscription_cancel: ofSubscription,
    subscription_update: object({ subscription: required(text()) }),
    ...notHere("after_completion", "subscription_pause", "subscription_update_confirm"),
  } satisfies Every<Stripe.BillingPortal.SessionCreateParams.FlowData>),
  locale: text(),
  return_url: webAddress,
  ...notHere("after_expiration", "customer_account", "on_behalf_of"),
} satisfies Every<Stripe.BillingPortal.SessionCreateParams>;

function configurationOf(
  account: Account,
  id: string | undefined,
): Stripe.BillingPortal.Configuration {
  if (id === undefined) {
    const usual = account.store.all("billing_portal.configuration").find((one) => one.is_default);
    if (usual) return usual;
    throw new Refusal(
      "No configuration provided and your test mode default configuration has not been created. Provide a configuration or create " +
        "your default by saving your customer portal settings in test mode at https://dashboard.stripe.com/test/settings/billing/portal.",
    );
  }
  const found = account.find("billing_portal.configuration", id, "configuration", "configuration");
  if (!found.active)
    throw new Refusal(`The configuration ${id} is not active.`, { param: "configuration" });
  return found;
}

export const portalSessions = [
  endpoint("POST /v1/billing_portal/sessions", toCreate, ({ account, given }) => {
    if (given.customer === undefined) throw missing("customer");
    const customer = account.customer(given.customer, "customer");
    const configuration = configurationOf(account, given.configuration);
    const flow = given.flow_data;
    if (flow && flow.type !== "payment_method_update") {
      const named = flow[flow.type]?.subscription;
      if (named === undefined) throw missing(`flow_data[${flow.type}]`);
      const subscription = account.find(
        "subscription",
        named,
        `flow_data[${flow.type}][subscription]`,
      );
      if (subscription.customer !== customer.id)
        throw noSuch("subscription", named, `flow_data[${flow.type}][subscription]`);
    }
    const returnUrl = given.return_url ?? configuration.default_return_url;
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
        flow: flow
          ? {
              after_completion: {
                hosted_confirmation: null,
                redirect: null,
                type: "portal_homepage",
              },
              customer_update: null,
              subscription_cancel: flow.subscription_cancel
                ? { retention: null, subscription: flow.subscription_cancel.subscription }
                : null,
              subscription_pause: null,
              subscription_update: flow.subscription_update ?? null,
              subscription_update_confirm: null,
              type: flow.type,
            }
          : null,
        livemode: false,
        locale: given.locale ?? null,
        on_behalf_of: null,
        return_url: returnUrl,
        url: `${account.origin}/p/session/${id}_${randomSigns(16)}`,
      },
      "billing_portal.session.created",
    );
  }),
];
