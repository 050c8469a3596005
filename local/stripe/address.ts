import type { Stripe } from "stripe";

import { type Known, object, text } from "./parameters";

/** The address of a customer. */
export const address = object({
  city: text(),
  country: text(2),
  line1: text(),
  line2: text(),
  postal_code: text(20),
  state: text(),
} satisfies Known<Stripe.AddressParam>);

type AddressParams = ReturnType<typeof address.parse>;

/** An address as the API returns it. */
export function toAddress(given: AddressParams): Stripe.Address {
  return {
    city: given.city ?? null,
    country: given.country ?? null,
    line1: given.line1 ?? null,
    line2: given.line2 ?? null,
    postal_code: given.postal_code ?? null,
    state: given.state ?? null,
  };
}

/** Whether an address says where its taxes are due: in the US, that takes its ZIP code. */
export function isTaxLocation(address: Stripe.Address | null | undefined): boolean {
  if (!address?.country) return false;
  return address.country !== "US" || address.postal_code !== null;
}
