import type { Stripe } from "stripe";

import type { Account } from "./account";
import { endpoint, pageOf, paging } from "./endpoint";
import { idOf, newId, randomString } from "./ids";
import { email, type Known, metadata } from "./parameters";
import { endSubscription } from "./subscriptions";

const customerParams = { email, metadata } satisfies Known<Stripe.CustomerCreateParams>;
const customerChanges = { email } satisfies Known<Stripe.CustomerUpdateParams>;

export function createCustomer(
  account: Account,
  given: {
    id?: string;
    email?: string | undefined;
    metadata?: Record<string, string> | undefined;
  },
): Stripe.Customer {
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
      metadata: given.metadata ?? {},
      name: null,
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
    createCustomer(account, params),
  ),
  endpoint("GET /v1/customers", paging, ({ account, params }) => {
    const existing = account.store.all("customer").filter((customer) => !customer.deleted);
    return pageOf(existing, "/v1/customers", params);
  }),
  endpoint("GET /v1/customers/:id", {}, ({ account, id }) => account.get("customer", id)),
  endpoint("POST /v1/customers/:id", customerChanges, ({ account, id, params }) => {
    const old = account.customer(id);
    return account.save(
      "customer",
      { ...old, email: params.email ?? old.email },
      "customer.updated",
    );
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
