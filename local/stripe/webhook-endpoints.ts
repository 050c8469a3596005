import type { Stripe } from "stripe";

import { type Account, API_VERSION } from "./account";
import { endpoint, pageOf } from "./endpoint";
import { isEventName } from "./event-names";
import { newId } from "./ids";
import {
  type Every,
  flag,
  type Kind,
  list,
  mergeMetadata,
  metadata,
  oneOf,
  paging,
  required,
  text,
  unsettable,
  webAddress,
  withoutEffect,
} from "./parameters";
import { Refusal } from "./refusal";

const eventName: Kind<string> = {
  read(raw, param) {
    const value = text().read(raw, param);
    if (isEventName(value)) return value;
    throw new Refusal(`Invalid ${param}: ${value} is no event that Stripe sends.`, { param });
  },
};

const toCreate = {
  api_version: oneOf(API_VERSION),
  description: unsettable(text()),
  enabled_events: required(list(eventName, { max: 500 })),
  metadata,
  url: required(webAddress),
  connect: withoutEffect,
} satisfies Every<Stripe.WebhookEndpointCreateParams>;

const toUpdate = {
  description: unsettable(text()),
  disabled: flag,
  enabled_events: list(eventName, { max: 500 }),
  metadata,
  url: webAddress,
} satisfies Every<Stripe.WebhookEndpointUpdateParams>;

interface NewEndpoint {
  url: string;
  enabled_events: string[];
  api_version?: string | undefined;
  description?: string | null | undefined;
  metadata?: Record<string, string> | null | undefined;
  secret?: string;
}

/** An endpoint, whose signing secret is told this once. */
export function createWebhookEndpoint(
  account: Account,
  given: NewEndpoint,
): Stripe.WebhookEndpoint {
  if (given.enabled_events.length === 0)
    throw new Refusal("You must pass at least one event type.", { param: "enabled_events" });
  const secret = given.secret ?? newId("whsec", 32);
  const endpoint = account.save("webhook_endpoint", {
    id: newId("we"),
    object: "webhook_endpoint",
    api_version: given.api_version ?? null,
    application: null,
    created: account.now,
    description: given.description ?? null,
    enabled_events: given.enabled_events,
    livemode: false,
    metadata: mergeMetadata(null, given.metadata),
    status: "enabled",
    url: given.url,
  });
  account.store.put("signing_secret", endpoint.id, { secret });
  return { ...endpoint, secret };
}

export const webhookEndpoints = [
  endpoint("POST /v1/webhook_endpoints", toCreate, ({ account, given }) =>
    createWebhookEndpoint(account, given),
  ),
  endpoint("GET /v1/webhook_endpoints", paging, ({ account, given }) =>
    pageOf(account.store.all("webhook_endpoint"), "/v1/webhook_endpoints", given),
  ),
  endpoint("GET /v1/webhook_endpoints/:id", {}, ({ account, id }) =>
    account.find("webhook_endpoint", id, undefined, "webhook endpoint"),
  ),
  endpoint("POST /v1/webhook_endpoints/:id", toUpdate, ({ account, id, given }) => {
    const old = account.find("webhook_endpoint", id, undefined, "webhook endpoint");
    return account.save("webhook_endpoint", {
      ...old,
      description: given.description === undefined ? old.description : given.description,
      enabled_events: given.enabled_events ?? old.enabled_events,
      metadata: mergeMetadata(old.metadata, given.metadata),
      status: given.disabled === undefined ? old.status : given.disabled ? "disabled" : "enabled",
      url: given.url ?? old.url,
    });
  }),
  endpoint("DELETE /v1/webhook_endpoints/:id", {}, ({ account, id }) => {
    account.find("webhook_endpoint", id, undefined, "webhook endpoint");
    account.store.remove("webhook_endpoint", id);
    account.store.remove("signing_secret", id);
    return { id, object: "webhook_endpoint", deleted: true };
  }),
];
