import Stripe from "stripe";

import { env } from "~/env.server";

import { stripeFetch } from "./stripe-fetch.server";

let client: Stripe | undefined;

/** Whether payments are configured at all. */
export function isStripeConfigured(): boolean {
  return env().stripe !== null;
}

/**
 * Creates a client for Stripe, or for a stand-in. The client sends Stripe no telemetry.
 * @param apiUrl origin of a stand-in; null for Stripe itself
 */
export function createStripeClient(secretKey: string, apiUrl: string | null): Stripe {
  const url = apiUrl === null ? undefined : new URL(apiUrl);
  return new Stripe(secretKey, {
    // stripeFetch has the deadline and the retry: the SDK would restart the deadline with each retry.
    httpClient: Stripe.createFetchHttpClient(stripeFetch),
    maxNetworkRetries: 0,
    telemetry: false,
    ...(url && {
      host: url.hostname,
      port: url.port || (url.protocol === "https:" ? 443 : 80),
      protocol: url.protocol === "https:" ? ("https" as const) : ("http" as const),
    }),
  });
}

/** The process's client. Check `isStripeConfigured` first. @throws Error when it is not configured */
export function stripe(): Stripe {
  const account = env().stripe;
  if (!account) throw new Error("Payments are not set up.");
  client ??= createStripeClient(account.secretKey, account.apiUrl);
  return client;
}
