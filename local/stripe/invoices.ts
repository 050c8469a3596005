import type { Stripe } from "stripe";

import type { Account } from "./account";
import { ApiError } from "./api-error";
import { discountAmounts } from "./coupons";
import { listWithin } from "./endpoint";
import { idOf, newId } from "./ids";
import { confirmPaymentIntent, createPaymentIntent } from "./payment-intents";
import type { Presence } from "./payment-methods";
import { decimal } from "./products-and-prices";
import type { InvoiceLine } from "./records";
import { invoiceTaxes, taxOn, taxPercent } from "./tax";

interface NewInvoice {
  customer: string;
  /** Null when it is for a one-time payment. */
  subscription: Stripe.Subscription | null;
  reason: Stripe.Invoice.BillingReason;
  lines: InvoiceLine[];
  discounts: string[];
  automaticTax: { enabled: boolean };
  /** When it is finalized by itself, in seconds; null when it is finalized at once. */
  finalizesAt: number | null;
  /** What `invoice_creation` says about it. */
  data?: Partial<Pick<Stripe.Invoice, "custom_fields" | "description" | "footer" | "metadata">>;
}

/** The draft of an invoice. */
export function createInvoice(
  account: Account,
  { subscription, reason, lines, discounts, automaticTax, finalizesAt, data, ...given }: NewInvoice,
): Stripe.Invoice {
  const customer = account.customer(given.customer);
  const id = newId("in");
  const subtotal = lines.reduce((sum, line) => sum + line.amount, 0);
  const discountable = lines.filter((line) => !line.proration);
  const off = discountAmounts(
    account,
    discounts,
    discountable.map((line) => ({ product: productOf(account, line), cents: line.amount })),
  );
  const taxable = subtotal - off.reduce((sum, one) => sum + one.amount, 0);
  const tax = taxOn(taxable, taxPercent(account, automaticTax));
  const total = taxable + tax;
  const due = Math.max(0, total);
  return account.save(
    "invoice",
    {
      id,
      object: "invoice",
      account_country: "US",
      account_name: "Local stand-in",
      account_tax_ids: null,
      amount_due: due,
      amount_overpaid: 0,
      amount_paid: 0,
      amount_remaining: due,
      amount_shipping: 0,
      application: null,
      attempt_count: 0,
      attempted: false,
      auto_advance: true,
      automatic_tax: {
        disabled_reason: null,
        enabled: automaticTax.enabled,
        liability: automaticTax.enabled ? { type: "self" } : null,
        provider: automaticTax.enabled ? "stripe" : null,
        status: automaticTax.enabled ? "complete" : null,
      },
      automatically_finalizes_at: finalizesAt,
      billing_reason: reason,
      collection_method: "charge_automatically",
      created: account.now,
      currency: "usd",
      custom_fields: null,
      customer: customer.id,
      customer_account: null,
      customer_address: customer.address ?? null,
      customer_email: customer.email,
      customer_name: customer.name ?? null,
      customer_phone: customer.phone ?? null,
      customer_shipping: null,
      customer_tax_exempt: "none",
      customer_tax_ids: [],
      default_payment_method: null,
      default_source: null,
      default_tax_rates: [],
      description: null,
      discounts,
      due_date: null,
      effective_at: null,
      ending_balance: null,
      footer: null,
      from_invoice: null,
      hosted_invoice_url: null,
      invoice_pdf: null,
      issuer: { type: "self" },
      last_finalization_error: null,
      latest_revision: null,
      lines: listWithin(
        lines.map((line) => lineItem(account, line, id, subscription)),
        `/v1/invoices/${id}/lines`,
      ),
      livemode: false,
      metadata: {},
      ...data,
      next_payment_attempt: null,
      number: null,
      on_behalf_of: null,
      parent: subscription && {
        quote_details: null,
        subscription_details: { metadata: subscription.metadata, subscription: subscription.id },
        type: "subscription_details",
      },
      payment_settings: {
        default_mandate: null,
        payment_method_options: null,
        payment_method_types: null,
      },
      period_end: account.now,
      period_start: account.now,
      post_payment_credit_notes_amount: 0,
      pre_payment_credit_notes_amount: 0,
      receipt_number: null,
      rendering: null,
      shipping_cost: null,
      shipping_details: null,
      starting_balance: 0,
      statement_descriptor: null,
      status: "draft",
      status_transitions: {
        finalized_at: null,
        marked_uncollectible_at: null,
        paid_at: null,
        voided_at: null,
      },
      subtotal,
      subtotal_excluding_tax: subtotal,
      test_clock: null,
      total,
      total_discount_amounts: off,
      total_excluding_tax: taxable,
      total_pretax_credit_amounts: [],
      total_taxes: invoiceTaxes(taxable, tax),
      webhooks_delivered_at: account.now,
    },
    "invoice.created",
  );
}

function productOf(account: Account, line: InvoiceLine): string {
  return idOf(account.get("price", line.price).product);
}

function lineItem(
  account: Account,
  line: InvoiceLine,
  invoice: string,
  subscription: Stripe.Subscription | null,
): Stripe.InvoiceLineItem {
  const price = account.get("price", line.price);
  return {
    id: newId("il"),
    object: "line_item",
    amount: line.amount,
    currency: price.currency,
    description: line.description,
    discount_amounts: [],
    discountable: !line.proration,
    discounts: [],
    invoice,
    livemode: false,
    metadata: subscription?.metadata ?? {},
    parent:
      subscription && line.subscriptionItem
        ? {
            invoice_item_details: null,
            subscription_item_details: {
              invoice_item: null,
              proration: line.proration,
              proration_details: null,
              subscription: subscription.id,
              subscription_item: line.subscriptionItem,
            },
            type: "subscription_item_details",
          }
        : {
            invoice_item_details: {
              invoice_item: newId("ii"),
              proration: false,
              proration_details: null,
              subscription: null,
            },
            subscription_item_details: null,
            type: "invoice_item_details",
          },
    period: line.period,
    pretax_credit_amounts: [],
    pricing: {
      price_details: { price: price.id, product: idOf(price.product) },
      type: "price_details",
      unit_amount_decimal: price.unit_amount_decimal,
    },
    quantity: line.quantity,
    quantity_decimal: decimal(line.quantity),
    subscription: subscription?.id ?? null,
    subtotal: line.amount,
    taxes: [],
  };
}

/**
 * Finalizes a draft: it gets its number, its page, and a payment intent. The customer's credit is
 * used for it; an invoice with a negative total adds to that credit.
 */
export function finalizeInvoice(account: Account, draft: Stripe.Invoice): Stripe.Invoice {
  const customer = account.customer(idOf(draft.customer)!);
  const owed = draft.total + customer.balance;
  const [due, credit] = [Math.max(0, owed), Math.min(0, owed)];
  account.store.put("customer", customer.id, { ...customer, balance: credit });
  const invoice = numberInvoice(account, {
    ...draft,
    amount_due: due,
    amount_remaining: due,
    ending_balance: credit,
    starting_balance: customer.balance,
  });
  if (invoice.amount_due > 0) createInvoicePayment(account, invoice, intentFor(account, invoice));
  return invoice;
}

/** Finalizes a draft that was paid already, with a payment intent of its own. */
export function finalizePaidInvoice(
  account: Account,
  draft: Stripe.Invoice,
  intent: Stripe.PaymentIntent,
): Stripe.Invoice {
  const invoice = numberInvoice(account, { ...draft, ending_balance: 0 });
  return recordPayment(account, invoice, createInvoicePayment(account, invoice, intent));
}

function numberInvoice(account: Account, draft: Stripe.Invoice): Stripe.Invoice {
  const customer = account.customer(idOf(draft.customer)!);
  const sequence = customer.next_invoice_sequence ?? 1;
  account.store.put("customer", customer.id, { ...customer, next_invoice_sequence: sequence + 1 });
  return account.save(
    "invoice",
    {
      ...draft,
      automatically_finalizes_at: null,
      effective_at: account.now,
      hosted_invoice_url: `${account.origin}/i/${draft.id}`,
      invoice_pdf: `${account.origin}/i/${draft.id}`,
      number: `${customer.invoice_prefix}-${String(sequence).padStart(4, "0")}`,
      status: "open",
      status_transitions: { ...draft.status_transitions, finalized_at: account.now },
    },
    "invoice.finalized",
  );
}

function intentFor(account: Account, invoice: Stripe.Invoice): Stripe.PaymentIntent {
  return createPaymentIntent(account, {
    amount: invoice.amount_due,
    customer: idOf(invoice.customer),
    description:
      invoice.billing_reason === "subscription_create"
        ? "Subscription creation"
        : "Subscription update",
  });
}

function createInvoicePayment(
  account: Account,
  invoice: Stripe.Invoice,
  intent: Stripe.PaymentIntent,
): Stripe.InvoicePayment {
  return account.save("invoice_payment", {
    id: newId("inpay"),
    object: "invoice_payment",
    amount_paid: null,
    amount_requested: invoice.amount_due,
    created: account.now,
    currency: invoice.currency,
    invoice: invoice.id,
    is_default: true,
    livemode: false,
    payment: { type: "payment_intent", payment_intent: intent.id },
    status: "open",
    status_transitions: { canceled_at: null, paid_at: null },
  });
}

/** The payments of an invoice, newest first. */
export function paymentsOf(account: Account, invoice: string): Stripe.InvoicePayment[] {
  return account.store.all("invoice_payment").filter((one) => one.invoice === invoice);
}

/**
 * Tries to pay an open invoice.
 * @param retryAt when it is tried again if this attempt fails, in seconds; null for never
 */
export function payInvoice(
  account: Account,
  invoice: Stripe.Invoice,
  method: Stripe.PaymentMethod | undefined,
  presence: Presence,
  retryAt: number | null,
): Stripe.Invoice {
  if (invoice.status !== "open") throw new ApiError(`Invoice is ${invoice.status}.`);
  if (invoice.amount_due === 0) return markPaid(account, invoice);
  const payment = paymentsOf(account, invoice.id)[0]!;
  const intent = account.get("payment_intent", idOf(payment.payment.payment_intent)!);
  const after = method ? confirmPaymentIntent(account, intent, method, presence) : intent;
  if (after.status === "succeeded") return recordPayment(account, invoice, payment);
  return account.save(
    "invoice",
    {
      ...invoice,
      attempt_count: invoice.attempt_count + 1,
      attempted: true,
      next_payment_attempt: retryAt,
    },
    "invoice.payment_failed",
  );
}

function recordPayment(
  account: Account,
  invoice: Stripe.Invoice,
  payment: Stripe.InvoicePayment,
): Stripe.Invoice {
  account.save(
    "invoice_payment",
    {
      ...payment,
      amount_paid: invoice.amount_due,
      status: "paid",
      status_transitions: { ...payment.status_transitions, paid_at: account.now },
    },
    "invoice_payment.paid",
  );
  return markPaid(account, { ...invoice, attempt_count: invoice.attempt_count + 1 });
}

function markPaid(account: Account, invoice: Stripe.Invoice): Stripe.Invoice {
  const paid = account.save(
    "invoice",
    {
      ...invoice,
      amount_paid: invoice.amount_due,
      amount_remaining: 0,
      attempted: true,
      auto_advance: false,
      next_payment_attempt: null,
      status: "paid",
      status_transitions: { ...invoice.status_transitions, paid_at: account.now },
    },
    "invoice.paid",
  );
  account.recordEvent("invoice.payment_succeeded", paid);
  return paid;
}
