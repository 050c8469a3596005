import type { Stripe } from "stripe";

import { endpoint, pageOf } from "./endpoint";
import { type Every, flag, list, paging, range, text } from "./parameters";
import { onlyOneOf } from "./refusal";

const toList = {
  ...paging,
  created: range,
  delivery_success: flag,
  type: text(),
  types: list(text(), { max: 20 }),
} satisfies Every<Stripe.EventListParams>;

/** "invoice.*" stands for all events of invoices. */
function isOfType(type: string, wanted: string): boolean {
  return wanted.endsWith("*") ? type.startsWith(wanted.slice(0, -1)) : type === wanted;
}

export const events = [
  endpoint("GET /v1/events", toList, ({ account, given }) => {
    if (given.type !== undefined && given.types !== undefined) throw onlyOneOf("type", "types");
    const wanted = given.types ?? (given.type === undefined ? undefined : [given.type]);
    const found = account.store
      .all("event")
      .filter(
        (one) =>
          (wanted === undefined || wanted.some((type) => isOfType(one.type, type))) &&
          (given.created?.(one.created) ?? true) &&
          (given.delivery_success === undefined ||
            (one.pending_webhooks === 0) === given.delivery_success),
      );
    return pageOf(found, "/v1/events", given);
  }),
  endpoint("GET /v1/events/:id", {}, ({ account, id }) => account.find("event", id)),
];
