import { z } from "zod";

import { optionalLine, requiredLine } from "~/http/form-fields.server";
import { isStripeConfigured, stripe } from "~/integrations/stripe/client.server";
import { nullIfMissing } from "~/integrations/stripe/stripe-error.server";
import { findCountry, getCountryName } from "~/modules/accounts/countries.server";
import { countPaymentPage } from "~/modules/billing/limit-payment-requests.server";
import {
  findOrCreateCustomer,
  findStoredCustomer,
  INVOICES_MARK,
  type Buyer,
} from "~/modules/billing/stripe-customer.server";

import { INVOICE_LIMITS } from "./invoice-limits";

const COUNTRY = "Enter the name of your country, like United States.";

/** What is on a buyer's invoices. */
export const invoiceDetailsSchema = z.object({
  name: requiredLine(INVOICE_LIMITS.name, "Enter the name of your business."),
  line1: requiredLine(INVOICE_LIMITS.line1, "Enter your street address."),
  line2: optionalLine(INVOICE_LIMITS.line2),
  city: requiredLine(INVOICE_LIMITS.city, "Enter your city."),
  state: optionalLine(INVOICE_LIMITS.state),
  postal_code: requiredLine(INVOICE_LIMITS.postal_code, "Enter your postal code."),
  /** By its name or its code. Stripe has its code. */
  country: requiredLine(INVOICE_LIMITS.country, COUNTRY).transform((typed, context) => {
    const code = /\d/.test(typed) ? null : findCountry(typed);
    if (code) return code;
    context.addIssue({ code: "custom", message: COUNTRY });
    return z.NEVER;
  }),
});

export type InvoiceDetails = Record<keyof z.input<typeof invoiceDetailsSchema>, string>;

/**
 * What is on the user's invoices; null when they get none. Only Stripe has it.
 * @throws HttpError 429 after too many requests; DataError, Stripe's errors
 */
export async function findInvoiceDetails(userId: string): Promise<InvoiceDetails | null> {
  if (!isStripeConfigured()) return null;
  const [id] = await Promise.all([findStoredCustomer(userId), countPaymentPage(userId)]);
  const customer = id && (await nullIfMissing(stripe().customers.retrieve(id)));
  if (!customer || customer.deleted || !customer.metadata[INVOICES_MARK]) return null;
  const { line1, line2, city, state, postal_code, country } = customer.address ?? {};
  return {
    name: customer.name ?? "",
    line1: line1 ?? "",
    line2: line2 ?? "",
    city: city ?? "",
    state: state ?? "",
    postal_code: postal_code ?? "",
    country: getCountryName(country ?? ""),
  };
}

/**
 * From now on, Stripe makes invoices for the user's purchases, with their business's name and
 * address. With null, it makes no more, and both are deleted at Stripe.
 * @throws HttpError 429 after too many requests; DataError, Stripe's errors
 */
export async function setInvoiceDetails(
  buyer: Buyer,
  details: z.output<typeof invoiceDetailsSchema> | null,
): Promise<void> {
  await countPaymentPage(buyer.id);
  const { id } = await findOrCreateCustomer(buyer);
  if (details === null) {
    const nothing = { name: "", address: "", metadata: { [INVOICES_MARK]: "" } } as const;
    await stripe().customers.update(id, nothing);
    return;
  }
  const { name, line2, state, ...address } = details;
  await stripe().customers.update(id, {
    name,
    address: { ...address, ...(line2 && { line2 }), ...(state && { state }) },
    metadata: { [INVOICES_MARK]: "yes" },
  });
}
