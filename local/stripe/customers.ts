import type { Stripe } from "stripe";

import type { Account } from "./account";
import { endpoint, pageOf } from "./endpoint";
import { idOf, newId, randomSigns } from "./ids";
import {
  defined,
  email,
  type Every,
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
  unsettable,
  withoutEffect,
} from "./parameters";
import { noSuch } from "./refusal";
import { matcherOf } from "./search-query";
import { endSubscription } from "./subscriptions";

const shared = {
  address: withoutEffect,
  description: unsettable(text()),
  email: unsettable(email),
  invoice_settings: object({
    default_payment_method: text(),
    ...notHere("custom_fields", "footer", "rendering_options"),
  } satisfies Every<Stripe.CustomerUpdateParams.InvoiceSettings>),
  metadata,
  name: unsettable(text(256)),
  phone: unsettable(text(20)),
  preferred_locales: list(text()),
  ...notHere(
    "balance",
    "business_name",
    "cash_balance",
    "individual_name",
    "invoice_prefix",
    "next_invoice_sequence",
    "shipping",
    "source",
    "tax",
    "validate",
  ),
  tax_exempt: oneOf("none", "exempt", "reverse"),
};

const toCreate = {
  ...shared,
  ...notHere("payment_method", "tax_id_data", "test_clock"),
} satisfies Every<Stripe.CustomerCreateParams>;

const toUpdate = {
  ...shared,
  ...notHere("default_source"),
} satisfies Every<Stripe.CustomerUpdateParams>;

const toList = {
  ...paging,
  created: range,
  email: text(),
  ...notHere("test_clock"),
} satisfies Every<Stripe.CustomerListParams>;

export interface NewCustomer {
  id?: string;
  description?: string | null | undefined;
  email?: string | null | undefined;
  metadata?: Record<string, string> | null | undefined;
  name?: string | null | undefined;
  phone?: string | null | undefined;
  preferred_locales?: string[] | undefined;
}

export function createCustomer(account: Account, given: NewCustomer): Stripe.Customer {
  return account.save(
    "customer",
    {
      id: given.id ?? newId("cus", 14),
      object: "customer",
      address: null,
      balance: 0,
      created: account.now,
      currency: null,
      customer_account: null,
      default_source: null,
      delinquent: false,
      description: given.description ?? null,
      email: given.email ?? null,
      invoice_prefix: randomSigns(8).toUpperCase(),
      invoice_settings: {
        custom_fields: null,
        default_payment_method: null,
        footer: null,
        rendering_options: null,
      },
      livemode: false,
      metadata: mergeMetadata(null, given.metadata),
      name: given.name ?? null,
      next_invoice_sequence: 1,
      phone: given.phone ?? null,
      preferred_locales: given.preferred_locales ?? [],
      shipping: null,
      tax_exempt: "none",
      test_clock: null,
    },
    "customer.created",
  ) as Stripe.Customer;
}

/** The payment method that a customer's invoices are paid with. */
export function defaultCard(
  account: Account,
  customer: Stripe.Customer,
): Stripe.PaymentMethod | undefined {
  const id = idOf(customer.invoice_settings.default_payment_method);
  return id === null ? undefined : account.store.find("payment_method", id);
}

function living(account: Account): Stripe.Customer[] {
  return account.store.all("customer").filter((one): one is Stripe.Customer => !one.deleted);
}

export const customers = [
  endpoint("POST /v1/customers", toCreate, ({ account, given }) => createCustomer(account, given)),
  endpoint("GET /v1/customers", toList, ({ account, given }) => {
    const found = living(account).filter(
      (one) =>
        (given.email === undefined || one.email === given.email) &&
        (given.created?.(one.created) ?? true),
    );
    return pageOf(found, "/v1/customers", given);
  }),
  endpoint(
    "GET /v1/customers/search",
    {
      query: required(text()),
      limit: paging.limit,
      page: text(),
    } satisfies Every<Stripe.CustomerSearchParams>,
    ({ account, given }) => {
      const matches = matcherOf(given.query, ["email", "name", "phone", "metadata"]);
      const found = living(account).filter((one) => matches(one));
      const from = Number(given.page ?? 0);
      const to = from + (given.limit ?? 10);
      return {
        object: "search_result",
        data: found.slice(from, to),
        has_more: to < found.length,
        next_page: to < found.length ? String(to) : null,
        url: "/v1/customers/search",
      };
    },
  ),
  endpoint("GET /v1/customers/:id", {}, ({ account, id }) => account.find("customer", id)),
  endpoint("POST /v1/customers/:id", toUpdate, ({ account, id, given }) => {
    const old = account.customer(id);
    const { metadata: pairs, invoice_settings: settings, address: _unused, ...changes } = given;
    const card = settings?.default_payment_method;
    if (
      card !== undefined &&
      account.find("payment_method", card, "invoice_settings[default_payment_method]").customer !==
        id
    ) {
      throw noSuch("payment_method", card, "invoice_settings[default_payment_method]");
    }
    return account.save(
      "customer",
      {
        ...old,
        ...defined(changes),
        metadata: mergeMetadata(old.metadata, pairs),
        invoice_settings: {
          ...old.invoice_settings,
          ...(card === undefined ? {} : { default_payment_method: card }),
        },
      },
      "customer.updated",
    );
  }),
  endpoint("DELETE /v1/customers/:id", {}, ({ account, id }) => {
    const customer = account.customer(id);
    for (const subscription of account.store.all("subscription")) {
      if (subscription.customer === id && subscription.status !== "canceled")
        endSubscription(account, subscription, "cancellation_requested");
    }
    account.happened("customer.deleted", customer);
    const gone: Stripe.DeletedCustomer = { id, object: "customer", deleted: true };
    return account.store.put("customer", id, gone);
  }),
];
