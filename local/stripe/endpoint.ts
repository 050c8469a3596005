import type { Stripe } from "stripe";

import type { Account } from "./account";
import { resourceMissing } from "./api-error";
import {
  integer,
  type Parameters,
  type Parsed,
  parseParameters,
  type Raw,
  text,
} from "./parameters";

type Method = "GET" | "POST" | "DELETE";

interface Call<P extends Parameters> {
  account: Account;
  /** The id in the URL; "" when the URL has none. */
  id: string;
  params: Parsed<P>;
}

/** One operation of the API. */
export interface Endpoint {
  method: Method;
  path: RegExp;
  run(account: Account, id: string, raw: { [name: string]: Raw }): object;
}

/**
 * Declares an operation: its method and path (`POST /v1/customers/:id`), the parameters it takes,
 * and what answers it.
 */
export function endpoint<P extends Parameters>(
  route: `${Method} /v1/${string}`,
  parameters: P,
  answer: (call: Call<P>) => object,
): Endpoint {
  const [method, path] = route.split(" ") as [Method, string];
  return {
    method,
    path: new RegExp(`^${path.replace(":id", "(?<id>[^/]+)")}$`),
    run: (account, id, raw) => answer({ account, id, params: parseParameters(parameters, raw) }),
  };
}

/** The parameters of every list. */
export const paging = { limit: integer({ min: 1, max: 100 }), starting_after: text() };

/** One page of a list. `items` are all that match, newest first. */
export function pageOf<T extends { id: string }>(
  items: T[],
  url: string,
  { limit = 10, starting_after: after }: Parsed<typeof paging>,
): Stripe.ApiList<T> {
  const last = after === undefined ? -1 : items.findIndex(({ id }) => id === after);
  if (after !== undefined && last === -1) throw resourceMissing("object", after, "starting_after");
  const from = last + 1;
  const data = items.slice(from, from + limit);
  return { object: "list", data, has_more: from + limit < items.length, url };
}

/** A complete list inside of another object. */
export function listWithin<T>(data: T[], url: string): Stripe.ApiList<T> {
  return { object: "list", data, has_more: false, url };
}
