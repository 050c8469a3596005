import type Stripe from "stripe";

import { log } from "~/http/log.server";
import { isStripeConfigured, stripe } from "~/integrations/stripe/client.server";
import { classifyStripeError } from "~/integrations/stripe/stripe-error.server";

import { STRIPE_EVENTS } from "./stripe-setup.server";

/** How long Stripe resends an event. The daily comparison finds what never arrived. */
const RESENT_FOR_S = 3 * 86_400;
/** Stripe's largest page. */
const MAX_COUNTED = 100;
/** Every scrape of the metrics asks, and Stripe limits calls. */
const COUNT_LASTS_MS = 60_000;

let latest: { at: number; count: Promise<number | null> } | undefined;

/**
 * How many payment events of the last three days have not arrived here: Stripe is about to send them
 * again, or has given up. 100 means at least 100. Asks Stripe once a minute at most.
 * @returns null without payments, and when Stripe does not say
 */
export function countUndeliveredEvents(): Promise<number | null> {
  if (!isStripeConfigured()) return Promise.resolve(null);
  const now = Date.now();
  if (!latest || now - latest.at >= COUNT_LASTS_MS)
    latest = { at: now, count: countAtStripe(Math.floor(now / 1_000)) };
  return latest.count;
}

/**
 * The payment events of the last three days that have not arrived: 100 at most.
 * @throws Stripe's errors
 */
export async function listUndeliveredEvents(client: Stripe, nowS: number): Promise<Stripe.Event[]> {
  // Stripe: "If false, events which are still pending or have failed all delivery attempts to a
  // webhook endpoint will be returned."
  const { data } = await client.events.list({
    created: { gte: nowS - RESENT_FOR_S },
    delivery_success: false,
    limit: MAX_COUNTED,
    types: [...STRIPE_EVENTS],
  });
  return data;
}

async function countAtStripe(nowS: number): Promise<number | null> {
  try {
    return (await listUndeliveredEvents(stripe(), nowS)).length;
  } catch (error) {
    const failure = classifyStripeError(error);
    if (failure === null) throw error;
    if (failure !== "unavailable")
      log().warn({ failure }, "undelivered payment events can’t be counted: see npm run doctor");
    return null;
  }
}
