import type { Stripe } from "stripe";

import type { Account } from "./account";
import { address, toAddress } from "./address";
import { endpoint, pageOf, paging } from "./endpoint";
import { idOf, newId, randomString } from "./ids";
import { changeMetadata, metadata, newMetadata } from "./metadata";
import {
  currency,
  email,
  emptyable,
  integer,
  type Known,
  object,
  required,
  text,
} from "./parameters";
import { endSubscription } from "./subscriptions";

const customerParams = {
  address: emptyable(address),
  email,
  metadata,
  name: text(256),
} satisfies Known<Stripe.CustomerCreateParams>;

const customerChanges = {
  ...customerParams,
  // An empty name removes it.
  name: emptyable(text(256)),
  invoice_settings: object({
    default_payment_method: text(),
  } satisfies Known<Stripe.CustomerUpdateParams.InvoiceSettings>),
} satisfies Known<Stripe.CustomerUpdateParams>;

const customerFilter = { ...paging, email } satisfies Known<Stripe.CustomerListParams>;

/** Above zero for less credit, or more to pay; below for more credit. */
const balanceChange = {
  amount: required(integer({ min: -99_999_999, max: 99_999_999 })),
  currency: required(currency),
  description: text(350),
  metadata,
} satisfies Known<Stripe.CustomerCreateBalanceTransactionParams>;

export function createCustomer(
  account: Account,
  given: {
    id?: string;
    address?: Stripe.Address | null;
    email?: string | undefined;
    metadata?: Record<string, string> | null | undefined;
    name?: string | undefined;
  },
): Stripe.Customer {
  return account.save(
    "customer",
    {
      id: given.id ?? newId("cus", 14),
      object: "customer",
      address: given.address ?? null,
      balance: 0,
      created: account.now,
      currency: null,
      customer_account: null,
      default_source: null,
      delinquent: false,
      description: null,
      email: given.email ?? null,
      invoice_prefix: randomString(8).toUpperCase(),
      invoice_settings: {
        custom_fields: null,
        default_payment_method: null,
        footer: null,
        rendering_options: null,
      },
      livemode: false,
      metadata: newMetadata(given.metadata),
      name: given.name ?? null,
      next_invoice_sequence: 1,
      phone: null,
      preferred_locales: [],
      shipping: null,
      tax_exempt: "none",
      test_clock: null,
    },
    "customer.created",
  ) as Stripe.Customer;
}

/** The payment method that pays a customer's invoices. */
export function defaultPaymentMethod(
  account: Account,
  customer: Stripe.Customer,
): Stripe.PaymentMethod | undefined {
  const id = idOf(customer.invoice_settings.default_payment_method);
  return id === null ? undefined : account.store.find("payment_method", id);
}

export const customerEndpoints = [
  endpoint("POST /v1/customers", customerParams, ({ account, params }) =>
    createCustomer(account, {
      ...params,
      address: params.address ? toAddress(params.address) : null,
    }),
  ),
  endpoint("GET /v1/customers", customerFilter, ({ account, params }) => {
    const existing = account.store
      .all("customer")
      .filter(
        (customer) =>
          !customer.deleted && (params.email === undefined || customer.email === params.email),
      );
    return pageOf(existing, "/v1/customers", params);
  }),
  endpoint("GET /v1/customers/:id", {}, ({ account, id }) => account.get("customer", id)),
  endpoint("POST /v1/customers/:id", customerChanges, ({ account, id, params }) => {
    const old = account.customer(id);
    const card = params.invoice_settings?.default_payment_method;
    if (card !== undefined)
      account.get("payment_method", card, "invoice_settings[default_payment_method]");
    return account.save(
      "customer",
      {
        ...old,
        ...(params.address === undefined
          ? {}
          : { address: params.address && toAddress(params.address) }),
        email: params.email ?? old.email,
        invoice_settings: {
          ...old.invoice_settings,
          default_payment_method: card ?? old.invoice_settings.default_payment_method,
        },
        metadata: changeMetadata(old.metadata, params.metadata),
        name: params.name ?? old.name ?? null,
      },
      "customer.updated",
    );
  }),
  endpoint(
    "POST /v1/customers/:id/balance_transactions",
    balanceChange,
    ({ account, id, params }): Stripe.CustomerBalanceTransaction => {
      const old = account.customer(id);
      const { balance } = account.save(
        "customer",
        { ...old, balance: old.balance + params.amount },
        "customer.updated",
      ) as Stripe.Customer;
      return account.save("customer_balance_transaction", {
        id: newId("cbtxn"),
        object: "customer_balance_transaction",
        amount: params.amount,
        checkout_session: null,
        created: account.now,
        credit_note: null,
        currency: params.currency,
        customer: id,
        customer_account: null,
        description: params.description ?? null,
        ending_balance: balance,
        invoice: null,
        livemode: false,
        metadata: newMetadata(params.metadata),
        type: "adjustment",
      });
    },
  ),
  endpoint("GET /v1/customers/:id/balance_transactions", paging, ({ account, id, params }) => {
    account.customer(id);
    const own = account.store
      .all("customer_balance_transaction")
      .filter(({ customer }) => customer === id);
    return pageOf(own, `/v1/customers/${id}/balance_transactions`, params);
  }),
  endpoint("DELETE /v1/customers/:id", {}, ({ account, id }) => {
    const customer = account.customer(id);
    for (const subscription of account.store.all("subscription")) {
      if (subscription.customer === id && subscription.status !== "canceled")
        endSubscription(account, subscription, "cancellation_requested");
    }
    account.recordEvent("customer.deleted", customer);
    const deleted: Stripe.DeletedCustomer = { id, object: "customer", deleted: true };
    return account.store.put("customer", id, deleted);
  }),
];
