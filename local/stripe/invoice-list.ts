import type { Stripe } from "stripe";

import { createdRange, endpoint, isCreatedWithin, matches, pageOf, paging } from "./endpoint";
import { idOf } from "./ids";
import { changeCollection, voidInvoice } from "./invoices";
import { boolean, type Known, object, oneOf, required, text } from "./parameters";

const invoiceFilter = {
  ...paging,
  created: createdRange,
  customer: text(),
  status: oneOf("draft", "open", "paid", "uncollectible", "void"),
  subscription: text(),
} satisfies Known<Stripe.InvoiceListParams>;

const invoicePaymentFilter = {
  ...paging,
  invoice: text(),
  payment: object({
    payment_intent: text(),
    type: required(oneOf("payment_intent")),
  } satisfies Known<Stripe.InvoicePaymentListParams.Payment>),
  status: oneOf("canceled", "open", "paid"),
} satisfies Known<Stripe.InvoicePaymentListParams>;

const invoiceChanges = { auto_advance: boolean } satisfies Known<Stripe.InvoiceUpdateParams>;

/** The subscription that an invoice bills; null when it is for a one-time payment. */
function subscriptionOf(invoice: Stripe.Invoice): string | null {
  return idOf(invoice.parent?.subscription_details?.subscription);
}

export const invoiceEndpoints = [
  endpoint("GET /v1/invoices", invoiceFilter, ({ account, params }) => {
    const { created, customer, status, subscription } = params;
    const found = account.store
      .all("invoice")
      .filter(
        (one) =>
          isCreatedWithin(one, created) &&
          matches(one, { customer, status }) &&
          (subscription === undefined || subscriptionOf(one) === subscription),
      );
    return pageOf(found, "/v1/invoices", params);
  }),
  endpoint("POST /v1/invoices/:id/void", {}, ({ account, id }) =>
    voidInvoice(account, account.get("invoice", id)),
  ),
  endpoint("POST /v1/invoices/:id", invoiceChanges, ({ account, id, params }) =>
    changeCollection(account, account.get("invoice", id), params.auto_advance),
  ),
  endpoint("GET /v1/invoices/:id", {}, ({ account, id }) => account.get("invoice", id)),
  endpoint("GET /v1/invoice_payments", invoicePaymentFilter, ({ account, params }) => {
    const { invoice, payment, status } = params;
    const found = account.store
      .all("invoice_payment")
      .filter(
        (one) =>
          matches(one, { invoice, status }) &&
          (payment?.payment_intent === undefined ||
            one.payment.payment_intent === payment.payment_intent),
      );
    return pageOf(found, "/v1/invoice_payments", params);
  }),
];
