import type { Stripe } from "stripe";

import type { Account } from "./account";
import { endpoint, pageOf } from "./endpoint";
import { newId } from "./ids";
import {
  defined,
  type Every,
  flag,
  list,
  mergeMetadata,
  metadata,
  notHere,
  paging,
  range,
  required,
  text,
  unsettable,
  webAddress,
} from "./parameters";
import { Refusal } from "./refusal";

const shared = {
  active: flag,
  metadata,
  ...notHere(
    "images",
    "marketing_features",
    "package_dimensions",
    "shippable",
    "tax_code",
    "tax_details",
  ),
};

const toCreate = {
  ...shared,
  id: text(),
  name: required(text()),
  description: text(40_000),
  statement_descriptor: text(22),
  unit_label: text(12),
  url: webAddress,
  ...notHere("default_price_data", "type"),
} satisfies Every<Stripe.ProductCreateParams>;

const toUpdate = {
  ...shared,
  name: text(),
  description: unsettable(text(40_000)),
  statement_descriptor: text(22),
  unit_label: unsettable(text(12)),
  url: unsettable(webAddress),
  default_price: text(),
} satisfies Every<Stripe.ProductUpdateParams>;

const toList = {
  ...paging,
  active: flag,
  created: range,
  ids: list(text()),
  url: text(),
  ...notHere("shippable", "type"),
} satisfies Every<Stripe.ProductListParams>;

export interface NewProduct {
  id?: string | undefined;
  name: string;
  active?: boolean | undefined;
  description?: string | undefined;
  statement_descriptor?: string | undefined;
  unit_label?: string | undefined;
  url?: string | undefined;
  metadata?: Record<string, string> | null | undefined;
}

export function createProduct(account: Account, given: NewProduct): Stripe.Product {
  const id = given.id ?? newId("prod", 14);
  if (account.store.find("product", id)) {
    throw new Refusal("Product already exists.", { code: "resource_already_exists", param: "id" });
  }
  return account.save(
    "product",
    {
      id,
      object: "product",
      active: given.active ?? true,
      created: account.now,
      default_price: null,
      description: given.description ?? null,
      images: [],
      livemode: false,
      marketing_features: [],
      metadata: mergeMetadata(null, given.metadata),
      name: given.name,
      package_dimensions: null,
      shippable: null,
      statement_descriptor: given.statement_descriptor ?? null,
      tax_code: null,
      tax_details: null,
      type: "service",
      unit_label: given.unit_label ?? null,
      updated: account.now,
      url: given.url ?? null,
    },
    "product.created",
  );
}

export const products = [
  endpoint("POST /v1/products", toCreate, ({ account, given }) => createProduct(account, given)),
  endpoint("GET /v1/products", toList, ({ account, given }) => {
    const found = account.store
      .all("product")
      .filter(
        (one) =>
          (given.active === undefined || one.active === given.active) &&
          (given.ids === undefined || given.ids.includes(one.id)) &&
          (given.url === undefined || one.url === given.url) &&
          (given.created?.(one.created) ?? true),
      );
    return pageOf(found, "/v1/products", given);
  }),
  endpoint("GET /v1/products/:id", {}, ({ account, id }) => account.find("product", id)),
  endpoint("POST /v1/products/:id", toUpdate, ({ account, id, given }) => {
    const old = account.find("product", id);
    const { metadata: pairs, ...changes } = given;
    if (changes.default_price !== undefined)
      account.find("price", changes.default_price, "default_price");
    return account.save(
      "product",
      {
        ...old,
        ...defined(changes),
        metadata: mergeMetadata(old.metadata, pairs),
        updated: account.now,
      },
      "product.updated",
    );
  }),
  endpoint("DELETE /v1/products/:id", {}, ({ account, id }) => {
    const product = account.find("product", id);
    if (account.store.all("price").some((price) => price.product === id)) {
      throw new Refusal(
        "This product cannot be deleted because it has one or more user-created prices.",
      );
    }
    account.store.remove("product", id);
    account.happened("product.deleted", product);
    return { id, object: "product", deleted: true };
  }),
];
