import type { Log } from "~/http/log.server";
import { found } from "~/integrations/stripe/failure.server";
import { stripe } from "~/integrations/stripe/client.server";
import { createServiceClient } from "~/integrations/supabase/clients.server";
import { unwrap } from "~/integrations/supabase/data.server";

import { endSubscription } from "./give-back.server";
import { settle } from "./settle.server";

/** They feature nothing and charge nothing now, and would again as soon as somebody mends a card. */
const ASLEEP = new Set(["unpaid", "paused"]);

/**
 * Before a listing is upgraded anew: ends what is left of a subscription that was given up unpaid, so that it never wakes up
 * beside the new one and both are charged. Safe to repeat.
 * @throws DataError, Stripe's failures
 */
export async function endLeftOverSubscriptions(placeId: number, log: Log): Promise<void> {
  const db = createServiceClient();
  const [recorded, listed] = await Promise.all([
    db.from("subscriptions").select("id, status").eq("place_id", placeId),
    // One that is older than the orders stands with the listing alone.
    db
      .from("places")
      .select("stripe_subscription_id, subscription_status")
      .eq("id", placeId)
      .maybeSingle(),
  ]);
  unwrap(listed);
  const known = unwrap(recorded);
  const older = listed.data?.stripe_subscription_id;
  if (older && !known.some(({ id }) => id === older))
    known.push({ id: older, status: listed.data?.subscription_status ?? "" });
  for (const { id, status } of known) {
    if (!ASLEEP.has(status)) continue;
    // Stripe may know better by now: one that lives again is not touched, and what it features is written down.
    const subscription = await found(stripe().subscriptions.retrieve(id));
    if (subscription && ASLEEP.has(subscription.status)) await endSubscription(subscription);
    await settle({ subscriptionId: id }, { log });
  }
}
