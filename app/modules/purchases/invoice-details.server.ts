import { z } from "zod";

import { optionalLine, requiredLine } from "~/http/form-fields.server";
import { isStripeConfigured, stripe } from "~/integrations/stripe/client.server";
import { nullIfMissing } from "~/integrations/stripe/stripe-error.server";
import {
  findOrCreateCustomer,
  findStoredCustomer,
  INVOICES_MARK,
  type Buyer,
} from "~/modules/billing/stripe-customer.server";

import { INVOICE_LIMITS } from "./invoice-limits";

const COUNTRY = "Enter your country’s two-letter code, like US.";

/** What is on a buyer's invoices. */
export const invoiceDetailsSchema = z.object({
  name: requiredLine(INVOICE_LIMITS.name, "Enter the name of your business."),
  line1: requiredLine(INVOICE_LIMITS.line1, "Enter your street address."),
  line2: optionalLine(INVOICE_LIMITS.line2),
  city: requiredLine(INVOICE_LIMITS.city, "Enter your city."),
  state: optionalLine(INVOICE_LIMITS.state),
  postal_code: requiredLine(INVOICE_LIMITS.postal_code, "Enter your postal code."),
  country: z
    .string({ error: COUNTRY })
    .trim()
    .toUpperCase()
    .regex(/^[A-Z]{2}$/, COUNTRY),
});

export type InvoiceDetails = Record<keyof z.input<typeof invoiceDetailsSchema>, string>;

/**
 * What is on the user's invoices; null when they get none. Only Stripe has it.
 * @throws DataError, Stripe's errors
 */
export async function findInvoiceDetails(userId: string): Promise<InvoiceDetails | null> {
  const id = isStripeConfigured() ? await findStoredCustomer(userId) : null;
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
    country: country ?? "",
  };
}

/**
 * Has invoices made for the user's purchases from now on, with their business's name and address; with null,
 * no more, and Stripe forgets both.
 * @throws DataError, Stripe's errors
 */
export async function setInvoiceDetails(
  buyer: Buyer,
  details: z.output<typeof invoiceDetailsSchema> | null,
): Promise<void> {
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
