import { env } from "~/env.server";
import { paths } from "~/http/paths";
import type { Log } from "~/http/log.server";
import { isStripeConfigured, stripe } from "~/integrations/stripe/client.server";
import { createServiceClient, type Db } from "~/integrations/supabase/clients.server";
import { unwrap } from "~/integrations/supabase/data.server";
import { noSuchListing } from "~/modules/listings/listing.server";

import {
  NOT_SET_UP,
  PaymentRefused,
  PaymentUnavailable,
  toPaymentError,
} from "./payment-errors.server";
import { updateCustomerEmail, type Buyer } from "./stripe-customer.server";
import { PORTAL_MARK } from "./stripe-setup.server";

const NO_SUBSCRIPTION =
  "This listing is Featured without a subscription, so there is nothing to manage.";
const PAID_BY_ANOTHER =
  "Somebody else’s account pays for this listing, and only they can manage how. If that has to change, please get in touch with us.";
const PORTAL_FAILURE = {
  unavailable:
    "We can’t reach our payment provider just now, and it alone can show your billing. Nothing has changed: please try again in a few minutes.",
  ourFault:
    "Your billing can’t be opened just now, and that’s our fault. Nothing has changed. We’ve made a note of it; please try again later.",
};

/**
 * How a listing is paid for, for its owner. It comes from the listing's own row, never from a form.
 * @throws HttpError 404 when there is no such listing of theirs; DataError
 */
export async function findListingBilling(db: Db, owner: string, placeId: number) {
  const listing = await db
    .from("places")
    .select(
      "id, name, premium, stripe_cus_id, stripe_subscription_id, subscription_status, subscription_ends_at",
    )
    .eq("id", placeId)
    .eq("owner", owner)
    .maybeSingle();
  unwrap(listing);
  if (!listing.data) throw noSuchListing();
  return listing.data;
}

/**
 * Opens Stripe's page on which the owner of a Featured listing manages its subscription. The page shows
 * cards, bills, and everything else of its customer, so it opens only for the customer's own account.
 * @returns its address, to redirect to
 * @throws PaymentRefused, PaymentUnavailable (their messages are for the user), DataError
 */
export async function openPortal(
  { owner, log }: { owner: Buyer; log: Log },
  listing: { stripe_cus_id: string | null; stripe_subscription_id: string | null },
): Promise<{ url: string }> {
  const customer = listing.stripe_cus_id;
  // The subscription of a previous owner goes on with the listing, without its customer.
  if (!customer)
    throw new PaymentRefused(listing.stripe_subscription_id ? PAID_BY_ANOTHER : NO_SUBSCRIPTION);
  if (!isStripeConfigured()) throw new PaymentUnavailable(NOT_SET_UP);
  const payers = await findPayers(customer);
  if (payers.some((id) => id !== owner.id)) throw new PaymentRefused(PAID_BY_ANOTHER);
  try {
    if (!(await updateCustomerEmail(customer, owner.email)))
      throw new PaymentRefused(NO_SUBSCRIPTION);
    const configuration = await findPortalConfiguration();
    const { url } = await stripe().billingPortal.sessions.create({
      customer,
      return_url: `${env().appUrl}${paths.home()}`,
      ...(configuration ? { configuration } : {}),
    });
    return { url };
  } catch (error) {
    throw toPaymentError(error, log, PORTAL_FAILURE);
  }
}

/**
 * Whose a customer is: the account that it was created for, and those whose subscriptions it pays. None for
 * one who is older than the orders, in no profile, and of whom no event has come yet: it is the listing's
 * owner's, because a listing loses its customer when its owner changes.
 */
async function findPayers(customer: string): Promise<(string | null)[]> {
  const db = createServiceClient();
  const [profiles, subscriptions] = await Promise.all([
    db.from("profiles").select("id").eq("stripe_customer_id", customer),
    db.from("subscriptions").select("owner").eq("stripe_customer_id", customer),
  ]);
  return [
    ...unwrap(profiles).map(({ id }) => id),
    ...unwrap(subscriptions).map(({ owner }) => owner),
  ];
}

/** The configuration that `npm run stripe:setup` created; null when the account's default is used. */
async function findPortalConfiguration(): Promise<string | null> {
  const { data } = await stripe().billingPortal.configurations.list({ active: true, limit: 100 });
  return data.find(({ metadata }) => metadata?.[PORTAL_MARK] === "true")?.id ?? null;
}
