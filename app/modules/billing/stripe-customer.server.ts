import { createHash } from "node:crypto";

import type Stripe from "stripe";

import { stripe } from "~/integrations/stripe/client.server";
import { nullIfMissing, withIdempotencyKey } from "~/integrations/stripe/stripe-error.server";
import { createServiceClient } from "~/integrations/supabase/clients.server";
import { unwrap } from "~/integrations/supabase/data.server";

/** A user who pays. */
export interface Buyer {
  id: string;
  /** The confirmed email address of the account. */
  email: string;
  /** Whether they chose discreet mode: neutral names where others may see the screen. */
  discreet: boolean;
}

/**
 * Finds or creates the Stripe customer of a buyer: one for each account, whatever it buys. Stripe
 * sends email to the customer's address, so it is always updated to the account's current one: the
 * next holder of an address that someone gave up must not learn what they buy.
 * @returns the customer's id, and whether they asked for invoices
 * @throws DataError, Stripe's errors
 */
export async function findOrCreateCustomer(
  buyer: Buyer,
): Promise<{ id: string; wantsInvoices: boolean }> {
  const known = await findStoredCustomer(buyer.id);
  const current = known && (await updateCustomerEmail(known, buyer.email));
  if (current) return { id: current.id, wantsInvoices: INVOICES_MARK in current.metadata };

  // A retry after a lost answer gets the same customer. Another address, or another lost customer,
  // changes the key and creates another one.
  const key = createHash("sha256")
    .update(`${buyer.id} ${known ?? ""} ${buyer.email}`)
    .digest("base64url");
  const customer = await withIdempotencyKey(`customer-${key}`, (options) =>
    stripe().customers.create({ email: buyer.email, metadata: { user: buyer.id } }, options),
  );
  const db = createServiceClient();
  const update = db.from("profiles").update({ stripe_customer_id: customer.id }).eq("id", buyer.id);
  const updated = unwrap(
    await (
      known ? update.eq("stripe_customer_id", known) : update.is("stripe_customer_id", null)
    ).select("id"),
  );
  // Of two first checkouts at the same time, the customer that was stored first is used.
  const id =
    updated.length > 0 ? customer.id : ((await findStoredCustomer(buyer.id)) ?? customer.id);
  return { id, wantsInvoices: false };
}

/** The metadata key of a customer who asked for invoices. */
export const INVOICES_MARK = "invoices";

/** The customer of an account, as far as it is stored. @throws DataError */
export async function findStoredCustomer(userId: string): Promise<string | null> {
  return unwrap(
    await createServiceClient()
      .from("profiles")
      .select("stripe_customer_id")
      .eq("id", userId)
      .single(),
  ).stripe_customer_id;
}

/** Sets the email address of a customer. @returns null when Stripe does not know the customer */
export function updateCustomerEmail(
  customer: string,
  email: string,
): Promise<Stripe.Customer | null> {
  return nullIfMissing(stripe().customers.update(customer, { email }));
}
