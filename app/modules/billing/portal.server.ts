import { env } from "~/env.server";
import { paths } from "~/http/paths";
import type { Log } from "~/http/log.server";
import { paymentsAreSetUp, stripe } from "~/integrations/stripe/client.server";
import { createServiceClient, type Db } from "~/integrations/supabase/clients.server";
import { unwrap } from "~/integrations/supabase/data.server";

import { explainedPayment, NOT_SET_UP } from "./checkout.server";
import { keepAddress, type Buyer } from "./customer.server";
import { PaymentRefused, PaymentUnavailable } from "./payment-refusals.server";
import { PORTAL_MARK } from "./stripe-setup.server";

const NO_SUBSCRIPTION =
  "This listing is Featured without a subscription, so there is nothing to manage.";
const PAID_BY_ANOTHER =
  "Somebody else’s account pays for this listing, and only they can manage how. If that has to change, please get in touch with us.";
const NO_ANSWER = {
  down: "We can’t reach our payment provider just now, and it alone can show your billing. Nothing has changed: please try again in a few minutes.",
  ourFault:
    "Your billing can’t be opened just now, and that’s our fault. Nothing has changed. We’ve made a note of it; please try again later.",
};

/**
 * How one listing is paid for, for its owner: by the listing's own record and never by what a form says.
 * @returns null when it is not theirs
 * @throws DataError
 */
export async function billingOf(db: Db, owner: string, placeId: number | null) {
  if (placeId === null) return null;
  const found = await db
    .from("places")
    .select("id, name, premium, stripe_cus_id, subscription_status, subscription_ends_at")
    .eq("id", placeId)
    .eq("owner", owner)
    .maybeSingle();
  unwrap(found);
  return found.data;
}

/**
 * The payment provider's page on which the owner of a Featured listing manages how it is paid for. It shows cards,
 * bills and everything else its customer pays for, so it opens for the customer's own person alone.
 * @returns its address, to redirect to
 * @throws PaymentRefused, PaymentUnavailable (sentences for people), DataError
 */
export async function openPortal(
  { owner, log }: { owner: Buyer; log: Log },
  listing: { stripe_cus_id: string | null },
): Promise<{ url: string }> {
  const customer = listing.stripe_cus_id;
  if (!customer) throw new PaymentRefused(NO_SUBSCRIPTION);
  if (!paymentsAreSetUp()) throw new PaymentUnavailable(NOT_SET_UP);
  const payers = unwrap(
    await createServiceClient().from("profiles").select("id").eq("stripe_customer_id", customer),
  );
  // Customers of before the orders stand in no profile: then they are the listing's.
  if (payers.length > 0 && !payers.some(({ id }) => id === owner.id))
    throw new PaymentRefused(PAID_BY_ANOTHER);
  try {
    if (!(await keepAddress(customer, owner.email))) throw new PaymentRefused(NO_SUBSCRIPTION);
    const configuration = await portalConfiguration();
    const { url } = await stripe().billingPortal.sessions.create({
      customer,
      return_url: `${env().appUrl}${paths.home()}`,
      ...(configuration ? { configuration } : {}),
    });
    return { url };
  } catch (error) {
    throw explainedPayment(error, log, NO_ANSWER);
  }
}

/** What `npm run stripe:setup` set up for the dashboard; null when the account's own default is to be used. */
async function portalConfiguration(): Promise<string | null> {
  const { data } = await stripe().billingPortal.configurations.list({ active: true, limit: 100 });
  return data.find(({ metadata }) => metadata?.[PORTAL_MARK] === "true")?.id ?? null;
}
