import type { Stripe } from "stripe";

import type { Account } from "./account";
import { createdRange, endpoint, isCreatedWithin, pageOf, paging } from "./endpoint";
import { EVENT_TYPES } from "./event-types";
import { boolean, type Known, list, oneOf } from "./parameters";

/** Stripe lists events of the last 30 days only. */
const LISTED_FOR_S = 30 * 86_400;
const MAX_TYPES = 20;

const eventFilter = {
  ...paging,
  created: createdRange,
  delivery_success: boolean,
  types: list(oneOf(...EVENT_TYPES), { max: MAX_TYPES }),
} satisfies Known<Stripe.EventListParams>;

/** The events that some endpoint has not confirmed: they wait, or every attempt has failed. */
function undeliveredEvents(account: Account): Set<string> {
  const open = new Map<string, string>();
  // An event that was sent again has several deliveries for an endpoint, and one has to arrive.
  const deliveries = account.store.all("delivery");
  for (const { event, endpoint: to } of deliveries) open.set(`${event} ${to}`, event);
  for (const { event, endpoint: to, state } of deliveries)
    if (state === "delivered") open.delete(`${event} ${to}`);
  return new Set(open.values());
}

export const eventEndpoints = [
  endpoint("GET /v1/events", eventFilter, ({ account, params }) => {
    const { created, delivery_success: delivered, types } = params;
    const undelivered = delivered === undefined ? new Set() : undeliveredEvents(account);
    const found = account.store
      .all("event")
      .filter(
        (event) =>
          event.created > account.now - LISTED_FOR_S &&
          isCreatedWithin(event, created) &&
          (types === undefined || types.includes(event.type as (typeof types)[number])) &&
          (delivered === undefined || undelivered.has(event.id) !== delivered),
      );
    return pageOf(found, "/v1/events", params);
  }),
  endpoint("GET /v1/events/:id", {}, ({ account, id }) => account.get("event", id)),
];
