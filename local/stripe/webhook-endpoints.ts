import type { Stripe } from "stripe";

import { type Account, API_VERSION } from "./account";
import { ApiError } from "./api-error";
import { endpoint, pageOf, paging } from "./endpoint";
import { EVENT_TYPES } from "./event-types";
import { newId } from "./ids";
import { boolean, type Known, list, oneOf, required, text, url } from "./parameters";

const eventTypes = list(oneOf(...EVENT_TYPES));

const endpointParams = {
  api_version: oneOf(API_VERSION),
  description: text(),
  enabled_events: required(eventTypes),
  url: required(url),
} satisfies Known<Stripe.WebhookEndpointCreateParams>;

const endpointChanges = {
  disabled: boolean,
  enabled_events: eventTypes,
} satisfies Known<Stripe.WebhookEndpointUpdateParams>;

/** Creates an endpoint. Only this answer contains its signing secret. */
export function createWebhookEndpoint(
  account: Account,
  given: {
    url: string;
    enabled_events: string[];
    api_version?: string | undefined;
    description?: string | undefined;
    secret?: string;
  },
): Stripe.WebhookEndpoint {
  if (given.enabled_events.length === 0)
    throw new ApiError("You must pass at least one event type.", { param: "enabled_events" });
  const secret = given.secret ?? newId("whsec", 32);
  const created = account.save("webhook_endpoint", {
    id: newId("we"),
    object: "webhook_endpoint",
    api_version: given.api_version ?? null,
    application: null,
    created: account.now,
    description: given.description ?? null,
    enabled_events: given.enabled_events,
    livemode: false,
    metadata: {},
    status: "enabled",
    url: given.url,
  });
  account.store.put("signing_secret", created.id, { secret });
  return { ...created, secret };
}

export const webhookEndpointEndpoints = [
  endpoint("POST /v1/webhook_endpoints", endpointParams, ({ account, params }) =>
    createWebhookEndpoint(account, params),
  ),
  endpoint("GET /v1/webhook_endpoints", paging, ({ account, params }) =>
    pageOf(account.store.all("webhook_endpoint"), "/v1/webhook_endpoints", params),
  ),
  endpoint("POST /v1/webhook_endpoints/:id", endpointChanges, ({ account, id, params }) => {
    const old = account.get("webhook_endpoint", id);
    const { disabled, enabled_events = old.enabled_events } = params;
    const status = disabled === undefined ? old.status : disabled ? "disabled" : "enabled";
    return account.save("webhook_endpoint", { ...old, enabled_events, status });
  }),
];
