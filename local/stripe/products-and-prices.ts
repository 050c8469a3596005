import type { Stripe } from "stripe";

import type { Account } from "./account";
import { ApiError, mutuallyExclusive, parameterMissing } from "./api-error";
import { endpoint, pageOf, paging } from "./endpoint";
import { idOf, newId } from "./ids";
import {
  amount,
  boolean,
  currency,
  integer,
  type Known,
  list,
  object,
  oneOf,
  type Parsed,
  required,
  text,
} from "./parameters";

const productParams = {
  id: text(),
  name: required(text()),
} satisfies Known<Stripe.ProductCreateParams>;

const productChanges = {
  active: boolean,
  name: text(),
} satisfies Known<Stripe.ProductUpdateParams>;

const priceParams = {
  currency: required(currency),
  lookup_key: text(200),
  product: required(text()),
  recurring: object({
    interval: required(oneOf("month")),
    interval_count: integer({ min: 1, max: 36 }),
  } satisfies Known<Stripe.PriceCreateParams.Recurring>),
  transfer_lookup_key: boolean,
  unit_amount: required(amount),
} satisfies Known<Stripe.PriceCreateParams>;

const priceChanges = { active: boolean } satisfies Known<Stripe.PriceUpdateParams>;

const priceFilter = {
  ...paging,
  active: boolean,
  lookup_keys: list(text(), { max: 10 }),
} satisfies Known<Stripe.PriceListParams>;

/** A price that a checkout makes for itself: `price_data`. */
export const priceData = object({
  currency: required(currency),
  product: text(),
  product_data: object({
    name: required(text()),
  } satisfies Known<Stripe.Checkout.SessionCreateParams.LineItem.PriceData.ProductData>),
  unit_amount: required(amount),
} satisfies Known<Stripe.Checkout.SessionCreateParams.LineItem.PriceData>);

type PriceData = Parsed<{ data: typeof priceData & { required: true } }>["data"];

interface NewPrice {
  active: boolean;
  lookup_key?: string | undefined;
  product: string;
  recurring?: { interval: "month"; interval_count?: number | undefined } | undefined;
  unit_amount: number;
}

/**
 * The price of a `price_data`, and the product when it describes one. Both are inactive: they can
 * be bought this once.
 */
export function createPriceFromData(
  account: Account,
  data: PriceData,
  param: string,
): Stripe.Price {
  if (data.product !== undefined && data.product_data !== undefined)
    throw mutuallyExclusive(`${param}[product]`, `${param}[product_data]`);
  if (data.product === undefined && data.product_data === undefined)
    throw parameterMissing(`${param}[product]`);
  const product = data.product_data
    ? createProduct(account, { name: data.product_data.name, active: false })
    : account.get("product", data.product!, `${param}[product]`);
  return createPrice(account, { ...data, active: false, product: product.id });
}

function createProduct(
  account: Account,
  {
    id = newId("prod", 14),
    name,
    active = true,
  }: { id?: string | undefined; name: string; active?: boolean },
): Stripe.Product {
  if (account.store.find("product", id))
    throw new ApiError("Product already exists.", { code: "resource_already_exists", param: "id" });
  return account.save(
    "product",
    {
      id,
      object: "product",
      active,
      created: account.now,
      default_price: null,
      description: null,
      images: [],
      livemode: false,
      marketing_features: [],
      metadata: {},
      name,
      package_dimensions: null,
      shippable: null,
      tax_code: null,
      tax_details: null,
      type: "service",
      updated: account.now,
      url: null,
    },
    "product.created",
  );
}

function createPrice(account: Account, given: NewPrice): Stripe.Price {
  return account.save(
    "price",
    {
      id: newId("price"),
      object: "price",
      active: given.active,
      billing_scheme: "per_unit",
      created: account.now,
      currency: "usd",
      custom_unit_amount: null,
      livemode: false,
      lookup_key: given.lookup_key ?? null,
      metadata: {},
      nickname: null,
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
      tax_behavior: "unspecified",
      tiers_mode: null,
      transform_quantity: null,
      type: given.recurring ? "recurring" : "one_time",
      unit_amount: given.unit_amount,
      unit_amount_decimal: decimal(given.unit_amount),
    },
    "price.created",
  );
}

/** A decimal as it is sent over HTTP; the SDK turns it into a type of its own. */
export function decimal(value: number): Stripe.Decimal {
  return String(value) as unknown as Stripe.Decimal;
}

/** Takes a lookup key from the price that has it, or refuses when it is not to be transferred. */
function freeLookupKey(account: Account, key: string, transfer: boolean): void {
  const holder = account.store.all("price").find((price) => price.lookup_key === key);
  if (!holder) return;
  if (!transfer) {
    throw new ApiError(
      `The lookup key '${key}' is already in use by the price '${holder.id}'. Pass transfer_lookup_key=true to move it.`,
      { code: "resource_already_exists", param: "lookup_key" },
    );
  }
  account.save("price", { ...holder, lookup_key: null }, "price.updated");
}

export function productName(account: Account, price: Stripe.Price): string {
  return account.store.find("product", idOf(price.product))?.name ?? "Product";
}

/** "$49.00 / month", "$216.00 / 6 months"; without an interval for a one-time price. */
export function priceLabel(price: Stripe.Price): string {
  const dollars = `$${((price.unit_amount ?? 0) / 100).toFixed(2)}`;
  if (!price.recurring) return dollars;
  const { interval, interval_count: count } = price.recurring;
  return `${dollars} / ${count === 1 ? interval : `${count} ${interval}s`}`;
}

export const productAndPriceEndpoints = [
  endpoint("POST /v1/products", productParams, ({ account, params }) =>
    createProduct(account, params),
  ),
  endpoint("GET /v1/products/:id", {}, ({ account, id }) => account.get("product", id)),
  endpoint("POST /v1/products/:id", productChanges, ({ account, id, params }) => {
    const old = account.get("product", id);
    const { active = old.active, name = old.name } = params;
    return account.save(
      "product",
      { ...old, active, name, updated: account.now },
      "product.updated",
    );
  }),
  endpoint("POST /v1/prices", priceParams, ({ account, params }) => {
    account.get("product", params.product, "product");
    if (params.lookup_key !== undefined)
      freeLookupKey(account, params.lookup_key, params.transfer_lookup_key ?? false);
    return createPrice(account, { ...params, active: true });
  }),
  endpoint("GET /v1/prices", priceFilter, ({ account, params }) => {
    const { active, lookup_keys: keys } = params;
    const found = account.store
      .all("price")
      .filter(
        (price) =>
          (active === undefined || price.active === active) &&
          (keys === undefined || keys.includes(price.lookup_key ?? "")),
      );
    return pageOf(found, "/v1/prices", params);
  }),
  endpoint("POST /v1/prices/:id", priceChanges, ({ account, id, params }) => {
    const old = account.get("price", id);
    return account.save("price", { ...old, active: params.active ?? old.active }, "price.updated");
  }),
];
