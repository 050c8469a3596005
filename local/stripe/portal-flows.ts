import type { Stripe } from "stripe";

import type { Account } from "./account";
import { ApiError, parameterMissing, resourceMissing } from "./api-error";
import { type Known, object, oneOf, required, text, url } from "./parameters";

const ofSubscription = object({
  subscription: required(text()),
} satisfies Known<Stripe.BillingPortal.SessionCreateParams.FlowData.SubscriptionUpdate>);

/** The one thing that a customer is to do in the portal. */
export const flowData = object({
  after_completion: object({
    hosted_confirmation: object({
      custom_message: text(500),
    } satisfies Known<Stripe.BillingPortal.SessionCreateParams.FlowData.AfterCompletion.HostedConfirmation>),
    redirect: object({
      return_url: required(url),
    } satisfies Known<Stripe.BillingPortal.SessionCreateParams.FlowData.AfterCompletion.Redirect>),
    type: required(oneOf("hosted_confirmation", "portal_homepage", "redirect")),
  } satisfies Known<Stripe.BillingPortal.SessionCreateParams.FlowData.AfterCompletion>),
  subscription_cancel: ofSubscription,
  subscription_update: ofSubscription,
  type: required(oneOf("payment_method_update", "subscription_cancel", "subscription_update")),
} satisfies Known<Stripe.BillingPortal.SessionCreateParams.FlowData>);

type FlowData = ReturnType<typeof flowData.parse>;
type Flow = Stripe.BillingPortal.Session.Flow;
type Features = Stripe.BillingPortal.Configuration.Features;

const ABOUT_SUBSCRIPTION = ["subscription_cancel", "subscription_update"] as const;

/** @throws ApiError when the customer could not do it in a portal with these features */
export function createFlow(
  account: Account,
  data: FlowData,
  customer: string,
  features: Features,
): Flow {
  for (const name of ABOUT_SUBSCRIPTION) {
    if (data[name] && data.type !== name) {
      throw new ApiError(`You can only pass \`${name}\` when the flow's type is \`${name}\`.`, {
        param: `flow_data[${name}]`,
      });
    }
  }
  if (data.type === "payment_method_update") {
    if (!features.payment_method_update.enabled) throw disabled("payment method update");
  } else {
    checkSubscription(account, data, customer, features);
  }
  return {
    after_completion: afterCompletion(data.after_completion),
    customer_update: null,
    subscription_cancel: data.subscription_cancel
      ? { retention: null, subscription: data.subscription_cancel.subscription }
      : null,
    subscription_pause: null,
    subscription_update: data.subscription_update ?? null,
    subscription_update_confirm: null,
    type: data.type,
  };
}

function disabled(feature: string): ApiError {
  return new ApiError(
    `This flow cannot be used because the ${feature} feature in the portal configuration is disabled.`,
    { param: "flow_data[type]" },
  );
}

function checkSubscription(
  account: Account,
  data: FlowData,
  customer: string,
  features: Features,
): void {
  const name = data.type === "subscription_cancel" ? "subscription_cancel" : "subscription_update";
  const id = data[name]?.subscription;
  if (id === undefined) throw parameterMissing(`flow_data[${name}]`);
  const param = `flow_data[${name}][subscription]`;
  const subscription = account.get("subscription", id, param);
  if (subscription.customer !== customer) throw resourceMissing("subscription", id, param);
  if (!features[name].enabled) throw disabled(name.replace("_", " "));
  if (
    subscription.cancel_at !== null ||
    ["canceled", "incomplete_expired"].includes(subscription.status)
  ) {
    const what = name === "subscription_cancel" ? "canceled" : "updated";
    const why = subscription.cancel_at === null ? "it has ended" : "it is set to be canceled";
    throw new ApiError(`This subscription cannot be ${what} because ${why}.`, { param });
  }
}

function afterCompletion(given: FlowData["after_completion"]): Flow["after_completion"] {
  const type = given?.type ?? "portal_homepage";
  if (type === "redirect" && !given?.redirect)
    throw parameterMissing("flow_data[after_completion][redirect]");
  return {
    hosted_confirmation:
      type === "hosted_confirmation"
        ? { custom_message: given?.hosted_confirmation?.custom_message ?? null }
        : null,
    redirect: type === "redirect" ? given!.redirect! : null,
    type,
  };
}
