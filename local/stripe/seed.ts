import { setUpStripe, STRIPE_EVENTS } from "~/modules/billing/stripe-setup.server";

import { type Account, API_VERSION } from "./account";
import { inProcessSdk } from "./in-process-sdk";
import type { LocalStripe } from "./local-stripe";
import { createWebhookEndpoint } from "./webhook-endpoints";

/** A promotion code to try at the checkout: half of the price. */
const DEMO_CODE = "RAINBOW50";

interface Seed {
  secretKey: string;
  /** Where the app receives events, and the secret with which it checks them. */
  webhook: { url: string; secret: string };
  /** Does what the demo data says before there is a webhook endpoint, since the clock runs through all that time. */
  beforeWebhooks?: () => Promise<void>;
}

/**
 * Sets up an account with what the dashboard sells, by the same code as `npm run stripe:setup`, and
 * with what the demo needs. Safe to repeat: what exists is brought up to date.
 */
export async function seedStripe(
  stripe: LocalStripe,
  { secretKey, webhook, beforeWebhooks }: Seed,
): Promise<void> {
  const { account } = stripe;
  const sdk = inProcessSdk(stripe, secretKey);
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
  await beforeWebhooks?.();
  connectWebhook(account, webhook);
}

const ENDPOINT_DESCRIPTION = "The dashboard on this machine";

/** Sends events to the app, whichever port it has this time. */
function connectWebhook(account: Account, { url, secret }: Seed["webhook"]): void {
  account.store.transaction(() => {
    const known = account.store
      .all("webhook_endpoint")
      .find(({ description }) => description === ENDPOINT_DESCRIPTION);
    const enabled_events = [...STRIPE_EVENTS];
    if (known) {
      account.store.put("webhook_endpoint", known.id, {
        ...known,
        url,
        enabled_events,
        api_version: API_VERSION,
      });
      account.store.put("signing_secret", known.id, { secret });
    } else {
      const description = ENDPOINT_DESCRIPTION;
      createWebhookEndpoint(account, {
        api_version: API_VERSION,
        url,
        secret,
        enabled_events,
        description,
      });
    }
  });
}
