import type { Stripe } from "stripe";

import type { Account } from "./account";
import { resourceMissing } from "./api-error";
import {
  integer,
  object,
  type Known,
  type Parameters,
  type Parsed,
  parseParameters,
  type Raw,
  text,
  timestamp,
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
  /** The path as it was declared, and what it takes: for the comparison with the SDK. */
  route: `${Method} /v1/${string}`;
  parameters: Parameters;
  /** Parses a request; what is returned runs it. */
  prepare(account: Account, id: string, raw: { [name: string]: Raw }): () => object;
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
    route,
    parameters,
    path: new RegExp(`^${path.replace(":id", "(?<id>[^/]+)")}$`),
    prepare: (account, id, raw) => {
      const params = parseParameters(parameters, raw);
      return () => answer({ account, id, params });
    },
  };
}

/** The parameters of every list. */
export const paging = { limit: integer({ min: 1, max: 100 }), starting_after: text() };

/** The times between which the objects of a list were created. */
export const createdRange = object({
  gt: timestamp,
  gte: timestamp,
  lt: timestamp,
  lte: timestamp,
} satisfies Known<Stripe.RangeQueryParam>);

type CreatedRange = ReturnType<typeof createdRange.parse>;

/** Whether an object was created in a range; without a range it was. */
export function isCreatedWithin({ created }: { created: number }, range?: CreatedRange): boolean {
  const { gt = -1, gte = 0, lt = Infinity, lte = Infinity } = range ?? {};
  return created > gt && created >= gte && created < lt && created <= lte;
}

/** Whether an object has these values; one that is not given does not matter. */
export function matches<T extends object>(one: T, wanted: Partial<T>): boolean {
  return Object.entries(wanted).every(
    ([name, value]) => value === undefined || one[name as keyof T] === value,
  );
}

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
