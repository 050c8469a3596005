import type { Stripe } from "stripe";

import type { Account } from "./account";
import { type Fields, type Given, type paging, readFields, type Raw } from "./parameters";
import { noSuch } from "./refusal";

type Method = "GET" | "POST" | "DELETE";

/** What an endpoint gets: whose account, the id in its address ("" where there is none), its parameters. */
export interface Call<F extends Fields> {
  account: Account;
  id: string;
  given: Given<F>;
}

/** One operation of the API. */
export interface Endpoint {
  method: Method;
  path: RegExp;
  run(account: Account, id: string, parameters: { [name: string]: Raw }): object;
}

/**
 * Declares an operation: `POST /v1/customers/:id`, its parameters, and its answer. What the answer writes is
 * one change; when it throws, there is none.
 */
export function endpoint<F extends Fields>(
  route: `${Method} /v1/${string}`,
  parameters: F,
  answer: (call: Call<F>) => object,
): Endpoint {
  const [method, path] = route.split(" ") as [Method, string];
  return {
    method,
    path: new RegExp(`^${path.replace(":id", "(?<id>[^/]+)")}$`),
    run: (account, id, raw) => answer({ account, id, given: readFields(parameters, raw) }),
  };
}

type Paging = Given<typeof paging>;

/** A page of what was found, which is to come newest first. */
export function pageOf<T extends { id: string }>(
  found: T[],
  url: string,
  given: Paging,
): Stripe.ApiList<T> {
  const { limit = 10, starting_after: after, ending_before: before } = given;
  let from = 0;
  let to = found.length;
  if (after !== undefined) from = positionOf(found, after, "starting_after") + 1;
  if (before !== undefined) to = positionOf(found, before, "ending_before");
  const start = before === undefined ? from : Math.max(from, to - limit);
  const data = found.slice(start, Math.min(to, start + limit));
  const hasMore = before === undefined ? start + limit < to : start > from;
  return { object: "list", data, has_more: hasMore, url };
}

function positionOf(found: { id: string }[], id: string, param: string): number {
  const position = found.findIndex((one) => one.id === id);
  if (position === -1) throw noSuch("object", id, param);
  return position;
}

/** A short list that stands inside of another object. */
export function listWithin<T>(data: T[], url: string): Stripe.ApiList<T> {
  return { object: "list", data, has_more: false, url };
}
