import { z } from "zod";

import { isStripeConfigured, stripe } from "~/integrations/stripe/client.server";
import { nullIfMissing } from "~/integrations/stripe/stripe-error.server";
import {
  findOrCreateCustomer,
  findStoredCustomer,
  INVOICES_MARK,
  type Buyer,
} from "~/modules/billing/stripe-customer.server";

const line = (max: number, message?: string) =>
  message
    ? z.string({ error: message }).trim().min(1, message).max(max, `Use at most ${max} characters.`)
    : z.string().trim().max(max, `Use at most ${max} characters.`).optional();
const COUNTRY = "Enter the two letters of your country, like US.";

/** What stands on a buyer's invoices. */
export const invoiceDetailsSchema = z.object({
  name: line(150, "Enter the name of your business."),
  line1: line(200, "Enter your street address."),
  line2: line(200),
  city: line(100, "Enter your city."),
  state: line(100),
  postal_code: line(20, "Enter your postal code."),
  country: z
    .string({ error: COUNTRY })
    .trim()
    .toUpperCase()
    .regex(/^[A-Z]{2}$/, COUNTRY),
});

export type InvoiceDetails = Record<keyof z.input<typeof invoiceDetailsSchema>, string>;

/**
 * What stands on the user's invoices; null when they get none. Only Stripe has it.
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
  const { name, ...address } = details ?? { name: "" };
  await stripe().customers.update(id, {
    name: name!,
    address: details ? address : "",
    metadata: { [INVOICES_MARK]: details ? "yes" : "" },
  });
}
