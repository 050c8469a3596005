import type { Stripe } from "stripe";

import type { Account } from "./account";
import { ApiError } from "./api-error";
import { idOf } from "./ids";
import type { CheckoutDetails } from "./records";

type Session = Stripe.Checkout.Session;

/** What a customer enters on the hosted page, beside the payment method. */
export interface CheckoutEntries {
  name: string | null;
  address: Stripe.Address | null;
  /** An employer identification number. */
  taxId: string | null;
}

/** What the page asks for. */
export function asksFor(session: Session): { address: boolean; taxId: boolean } {
  return {
    address: session.automatic_tax.enabled || session.billing_address_collection === "required",
    taxId: session.tax_id_collection?.enabled ?? false,
  };
}

export function customerDetails(
  email: string | null,
  { name, address, taxId }: CheckoutEntries,
): Stripe.Checkout.Session.CustomerDetails {
  return {
    address,
    business_name: taxId === null ? null : name,
    email,
    individual_name: null,
    name,
    phone: null,
    tax_exempt: "none",
    tax_ids: taxId === null ? [] : [{ type: "us_ein", value: taxId }],
  };
}

/** A session with what its customer entered, as far as it asks for that. */
export function withEntries(session: Session, entries: CheckoutEntries): Session {
  const asked = asksFor(session);
  if (asked.address && entries.address === null)
    throw new ApiError("Enter your billing address.", { param: "address" });
  const details = customerDetails(session.customer_details?.email ?? null, {
    name: entries.name,
    address: asked.address ? entries.address : null,
    taxId: asked.taxId ? entries.taxId : null,
  });
  return {
    ...session,
    automatic_tax: session.automatic_tax.enabled
      ? { ...session.automatic_tax, status: "complete" }
      : session.automatic_tax,
    customer_details: details,
  };
}

/** Saves on the customer what `customer_update` says. */
export function saveEntries(account: Account, session: Session, { saves }: CheckoutDetails): void {
  const entered = session.customer_details;
  const address = saves?.address ? entered?.address : null;
  const name = saves?.name ? entered?.name : null;
  if (!address && !name) return;
  const customer = account.customer(idOf(session.customer)!);
  account.save(
    "customer",
    { ...customer, ...(address ? { address } : {}), ...(name ? { name } : {}) },
    "customer.updated",
  );
}
