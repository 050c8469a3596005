import type { Stripe } from "stripe";

import type { Account } from "./account";

/** The tax on an amount in cents, which is added to it. */
export function taxOn(cents: number, percent: number | undefined): number {
  return Math.round((cents * (percent ?? 0)) / 100);
}

/** The percentage of tax on what is sold with automatic tax; without it, none. */
export function taxPercent(account: Account, automaticTax: { enabled: boolean }): number {
  return automaticTax.enabled ? (account.settings.taxPercent ?? 0) : 0;
}

/** The taxes of an invoice. */
export function invoiceTaxes(taxable: number, tax: number): Stripe.Invoice.TotalTax[] {
  if (tax === 0) return [];
  return [
    {
      amount: tax,
      tax_behavior: "exclusive",
      tax_rate_details: null,
      taxability_reason: "standard_rated",
      taxable_amount: taxable,
      type: "tax_rate_details",
    },
  ];
}
