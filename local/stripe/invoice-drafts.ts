import type { Stripe } from "stripe";

import type { Account } from "./account";
import { discountAmounts } from "./coupons";
import { listWithin } from "./endpoint";
import { idOf, newId } from "./ids";
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
