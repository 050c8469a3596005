import SDK from "stripe";

import { setUpStripe, STRIPE_EVENTS } from "~/modules/billing/stripe-setup.server";

import type { Account } from "./account";
import { type DemoPlan, seedDemoPlans } from "./demo-plans";
import type { LocalStripe } from "./stripe";
import { createWebhookEndpoint } from "./webhook-endpoints";

/** A code that people can try at the checkout: half of the price. */
export const DEMO_CODE = "RAINBOW50";

interface Seed {
  secretKey: string;
  /** Where the app takes events, and the secret that it knows. */
  webhook: { url: string; secret: string };
  /** The plans that the demo data tell of. */
  plans?: DemoPlan[];
}

/**
 * Gives an account what the dashboard sells, by the same code as `npm run stripe:setup`, and what the demo
 * needs. Safe to repeat: it brings up to date what is there.
 */
export async function seedStripe(
  stripe: LocalStripe,
  { secretKey, webhook, plans = [] }: Seed,
): Promise<void> {
  const { account } = stripe;
  // The SDK asks in this process: there is no network between.
  const httpClient = SDK.createFetchHttpClient(
    async (input: RequestInfo | URL, init?: RequestInit) => {
      const { pathname, search } = new URL(input instanceof Request ? input.url : input);
      return (
        (await stripe.fetch(new Request(`${account.origin}${pathname}${search}`, init))) ??
        new Response(null, { status: 404 })
      );
    },
  );
  const sdk = new SDK(secretKey, { httpClient, telemetry: false, maxNetworkRetries: 0 });
  await setUpStripe(sdk, { webhookUrl: null });
  if ((await sdk.promotionCodes.list({ code: DEMO_CODE, limit: 1 })).data.length === 0) {
    const coupon = await sdk.coupons.create({
      id: "demo_half",
      name: "Half price",
      percent_off: 50,
      duration: "once",
    });
    await sdk.promotionCodes.create({
      code: DEMO_CODE,
      promotion: { type: "coupon", coupon: coupon.id },
    });
  }
  seedDemoPlans(account, plans);
  connect(account, webhook);
}

const OWN_ENDPOINT = "The dashboard on this machine";

/** Sends events to the app, wherever it listens this time. */
function connect(account: Account, { url, secret }: Seed["webhook"]): void {
  account.store.change(() => {
    const known = account.store
      .all("webhook_endpoint")
      .find((one) => one.description === OWN_ENDPOINT);
    const enabled_events = [...STRIPE_EVENTS];
    if (!known)
      return void createWebhookEndpoint(account, {
        url,
        secret,
        enabled_events,
        description: OWN_ENDPOINT,
      });
    account.store.put("webhook_endpoint", known.id, { ...known, url, enabled_events });
    account.store.put("signing_secret", known.id, { secret });
  });
}
