import type { Stripe } from "stripe";

import type { Account } from "./account";
import { endpoint, pageOf } from "./endpoint";
import { newId } from "./ids";
import {
  amount,
  currency,
  defined,
  type Every,
  flag,
  type Given,
  list,
  mergeMetadata,
  metadata,
  notHere,
  object,
  oneOf,
  paging,
  range,
  required,
  text,
  whole,
  withoutEffect,
} from "./parameters";
import { createProduct } from "./products";
import { missing, onlyOneOf, Refusal } from "./refusal";

const interval = oneOf("day", "week", "month", "year");
const taxBehavior = oneOf("exclusive", "inclusive", "unspecified");

const toCreate = {
  active: flag,
  billing_scheme: oneOf("per_unit"),
  currency: required(currency),
  lookup_key: text(200),
  metadata,
  nickname: text(),
  product: text(),
  product_data: object({
    name: required(text()),
    active: flag,
    id: text(),
    metadata,
    statement_descriptor: text(22),
    unit_label: text(12),
    ...notHere("tax_code", "tax_details"),
  } satisfies Every<Stripe.PriceCreateParams.ProductData>),
  recurring: object({
    interval: required(interval),
    interval_count: whole({ min: 1, max: 1095 }),
    usage_type: oneOf("licensed"),
    ...notHere("meter", "trial_period_days"),
  } satisfies Every<Stripe.PriceCreateParams.Recurring>),
  tax_behavior: taxBehavior,
  transfer_lookup_key: flag,
  unit_amount: amount,
  ...notHere(
    "currency_options",
    "custom_unit_amount",
    "tiers",
    "tiers_mode",
    "transform_quantity",
    "unit_amount_decimal",
  ),
} satisfies Every<Stripe.PriceCreateParams>;

const toUpdate = {
  active: flag,
  lookup_key: text(200),
  metadata,
  nickname: text(),
  tax_behavior: taxBehavior,
  transfer_lookup_key: flag,
  ...notHere("currency_options"),
} satisfies Every<Stripe.PriceUpdateParams>;

const toList = {
  ...paging,
  active: flag,
  created: range,
  currency,
  lookup_keys: list(text(), { max: 10 }),
  product: text(),
  recurring: object({ interval, usage_type: oneOf("licensed"), meter: withoutEffect }),
  type: oneOf("one_time", "recurring"),
} satisfies Every<Stripe.PriceListParams>;

/** A price that a checkout makes for itself: `price_data`. */
export const priceData = object({
  currency: required(currency),
  product: text(),
  product_data: object({
    name: required(text()),
    description: text(40_000),
    images: list(text(), { max: 8 }),
    metadata,
    unit_label: text(12),
    ...notHere("tax_code", "tax_details"),
  } satisfies Every<Stripe.Checkout.SessionCreateParams.LineItem.PriceData.ProductData>),
  recurring: object({ interval: required(interval), interval_count: whole({ min: 1, max: 1095 }) }),
  tax_behavior: taxBehavior,
  unit_amount: amount,
  ...notHere("unit_amount_decimal"),
} satisfies Every<Stripe.Checkout.SessionCreateParams.LineItem.PriceData>);

type PriceData = Given<{ data: typeof priceData & { required: true } }>["data"];

/** The price of a `price_data`, with the product that it describes. It can be bought this once. */
export function createPriceFromData(
  account: Account,
  given: PriceData,
  param: string,
): Stripe.Price {
  if (given.product !== undefined && given.product_data !== undefined)
    throw onlyOneOf(`${param}[product]`, `${param}[product_data]`);
  if (given.unit_amount === undefined) throw missing(`${param}[unit_amount]`);
  let product: string;
  if (given.product_data) {
    const { name, description, metadata: pairs, unit_label } = given.product_data;
    product = createProduct(account, {
      name,
      description,
      metadata: pairs,
      unit_label,
      active: false,
    }).id;
  } else {
    if (given.product === undefined) throw missing(`${param}[product]`);
    product = account.find("product", given.product, `${param}[product]`).id;
  }
  return savePrice(account, { ...given, active: false, product }, "price.created");
}

interface PriceFields {
  active?: boolean | undefined;
  currency: string;
  lookup_key?: string | undefined;
  metadata?: Record<string, string> | null | undefined;
  nickname?: string | undefined;
  product: string;
  recurring?:
    { interval: Stripe.Price.Recurring.Interval; interval_count?: number | undefined } | undefined;
  tax_behavior?: Stripe.Price.TaxBehavior | undefined;
  unit_amount?: number | undefined;
}

function savePrice(account: Account, given: PriceFields, happened: "price.created"): Stripe.Price {
  return account.save(
    "price",
    {
      id: newId("price"),
      object: "price",
      active: given.active ?? true,
      billing_scheme: "per_unit",
      created: account.now,
      currency: given.currency,
      custom_unit_amount: null,
      livemode: false,
      lookup_key: given.lookup_key ?? null,
      metadata: mergeMetadata(null, given.metadata),
      nickname: given.nickname ?? null,
      product: given.product,
      recurring: given.recurring
        ? {
            interval: given.recurring.interval,
            interval_count: given.recurring.interval_count ?? 1,
            meter: null,
            trial_period_days: null,
            usage_type: "licensed",
          }
        : null,
      tax_behavior: given.tax_behavior ?? "unspecified",
      tiers_mode: null,
      transform_quantity: null,
      type: given.recurring ? "recurring" : "one_time",
      unit_amount: given.unit_amount!,
      unit_amount_decimal: decimal(given.unit_amount!),
    },
    happened,
  );
}

/** A decimal as it goes over the wire, where the SDK makes its own type of it. */
export function decimal(value: number): Stripe.Decimal {
  return String(value) as unknown as Stripe.Decimal;
}

/** Makes a lookup key free, or refuses when another price has it and it is not to be taken over. */
function claimLookupKey(
  account: Account,
  key: string | undefined,
  transfer: boolean | undefined,
  self?: string,
): void {
  const holder = account.store
    .all("price")
    .find((price) => key !== undefined && price.lookup_key === key && price.id !== self);
  if (!holder) return;
  if (!transfer) {
    throw new Refusal(
      `The lookup key '${key}' is already in use by the price '${holder.id}'. Pass transfer_lookup_key=true to move it.`,
      { code: "resource_already_exists", param: "lookup_key" },
    );
  }
  account.save("price", { ...holder, lookup_key: null }, "price.updated");
}

export const prices = [
  endpoint("POST /v1/prices", toCreate, ({ account, given }) => {
    if (given.product !== undefined && given.product_data !== undefined)
      throw onlyOneOf("product", "product_data");
    if (given.unit_amount === undefined) throw missing("unit_amount");
    claimLookupKey(account, given.lookup_key, given.transfer_lookup_key);
    const product = given.product_data
      ? createProduct(account, given.product_data)
      : account.find("product", given.product ?? throwMissing("product"), "product");
    return savePrice(account, { ...given, product: product.id }, "price.created");
  }),
  endpoint("GET /v1/prices", toList, ({ account, given }) => {
    const found = account.store
      .all("price")
      .filter(
        (one) =>
          (given.active === undefined || one.active === given.active) &&
          (given.currency === undefined || one.currency === given.currency) &&
          (given.lookup_keys === undefined ||
            (one.lookup_key !== null && given.lookup_keys.includes(one.lookup_key))) &&
          (given.product === undefined || one.product === given.product) &&
          (given.type === undefined || one.type === given.type) &&
          (given.recurring?.interval === undefined ||
            one.recurring?.interval === given.recurring.interval) &&
          (given.created?.(one.created) ?? true),
      );
    return pageOf(found, "/v1/prices", given);
  }),
  endpoint("GET /v1/prices/:id", {}, ({ account, id }) => account.find("price", id)),
  endpoint("POST /v1/prices/:id", toUpdate, ({ account, id, given }) => {
    const old = account.find("price", id);
    const { metadata: pairs, transfer_lookup_key: transfer, ...changes } = given;
    claimLookupKey(account, changes.lookup_key, transfer, id);
    return account.save(
      "price",
      { ...old, ...defined(changes), metadata: mergeMetadata(old.metadata, pairs) },
      "price.updated",
    );
  }),
];

function throwMissing(param: string): never {
  throw missing(param);
}
