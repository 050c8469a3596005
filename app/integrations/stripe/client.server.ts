import Stripe from "stripe";

import { env } from "~/env.server";

import { stripeFetch } from "./stripe-fetch.server";

let client: Stripe | undefined;

/** Whether payments are set up at all. */
export function paymentsAreSetUp(): boolean {
  return env().stripe !== null;
}

/**
 * A client of Stripe, or of the stand-in at `apiUrl`. How long calls take is not reported to Stripe.
 * @param apiUrl origin of a stand-in; null for Stripe itself
 */
export function stripeClient(secretKey: string, apiUrl: string | null): Stripe {
  const at = apiUrl === null ? undefined : new URL(apiUrl);
  return new Stripe(secretKey, {
    // It has the deadline, and tries again, itself: the SDK would begin both anew with each try.
    httpClient: Stripe.createFetchHttpClient(stripeFetch),
    maxNetworkRetries: 0,
    telemetry: false,
    ...(at && {
      host: at.hostname,
      port: at.port || (at.protocol === "https:" ? 443 : 80),
      protocol: at.protocol === "https:" ? ("https" as const) : ("http" as const),
    }),
  });
}

/** The process's client. Ask `paymentsAreSetUp` first. */
export function stripe(): Stripe {
  const account = env().stripe;
  if (!account) throw new Error("Payments are not set up.");
  client ??= stripeClient(account.secretKey, account.apiUrl);
  return client;
}
