import { createHash } from "node:crypto";

import { stripe } from "~/integrations/stripe/client.server";
import { found, underKey } from "~/integrations/stripe/failure.server";
import { createServiceClient } from "~/integrations/supabase/clients.server";
import { unwrap } from "~/integrations/supabase/data.server";

/** Somebody who pays. */
export interface Buyer {
  id: string;
  /** The confirmed address of the account. */
  email: string;
  /** Whether they asked for names that tell nothing to whoever looks over their shoulder. */
  discreet: boolean;
}

/**
 * The customer at Stripe that stands for somebody, made when there is none: one for each person, whatever they
 * buy. Stripe writes to its address, so it is always the account's of now: an address that somebody has left must
 * not be told what they buy.
 * @throws DataError, Stripe's failures
 */
export async function customerOf(buyer: Buyer): Promise<string> {
  const known = await recordedCustomer(buyer.id);
  if (known && (await keepAddress(known, buyer.email))) return known;

  // Made once, also when the answer was lost: until another address, or another lost customer, makes it another one.
  const key = createHash("sha256")
    .update(`${buyer.id} ${known ?? ""} ${buyer.email}`)
    .digest("base64url");
  const made = await underKey(`customer-${key}`, (options) =>
    stripe().customers.create({ email: buyer.email, metadata: { user: buyer.id } }, options),
  );
  const db = createServiceClient();
  const unchanged = db.from("profiles").update({ stripe_customer_id: made.id }).eq("id", buyer.id);
  const recorded = unwrap(
    await (
      known ? unchanged.eq("stripe_customer_id", known) : unchanged.is("stripe_customer_id", null)
    ).select("id"),
  );
  // Two first checkouts at once: the customer that was written down first is theirs.
  return recorded.length > 0 ? made.id : ((await recordedCustomer(buyer.id)) ?? made.id);
}

async function recordedCustomer(person: string): Promise<string | null> {
  return unwrap(
    await createServiceClient()
      .from("profiles")
      .select("stripe_customer_id")
      .eq("id", person)
      .single(),
  ).stripe_customer_id;
}

/** Whether the customer is there; then with this address. */
export async function keepAddress(customer: string, email: string): Promise<boolean> {
  return (await found(stripe().customers.update(customer, { email }))) !== null;
}
