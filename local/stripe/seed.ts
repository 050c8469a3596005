import type { Stripe } from "stripe";

import { findPlan } from "~/modules/billing/catalog";
import { setUpStripe, STRIPE_EVENTS } from "~/modules/billing/stripe-setup.server";

import { type Account, API_VERSION } from "./account";
import { billFirstPeriod } from "./billing";
import { advanceClock } from "./clock";
import { createCustomer } from "./customers";
import { inProcessSdk } from "./in-process-sdk";
import type { LocalStripe } from "./local-stripe";
import { attachPaymentMethod, createPaymentMethod } from "./payment-methods";
import { createSubscription } from "./subscriptions";
import { createWebhookEndpoint } from "./webhook-endpoints";

/** A promotion code to try at the checkout: half of the price. */
const DEMO_CODE = "RAINBOW50";

interface Seed {
  secretKey: string;
  /** Where the app receives events, and the secret with which it checks them. */
  webhook: { url: string; secret: string };
  /** The subscriptions in the demo data. */
  subscriptions?: DemoSubscription[];
}

/** A subscription of the demo data, as the dashboard's database has it. */
interface DemoSubscription {
  id: string;
  customer: string;
  email: string;
  lookupKey: string;
  /** When it began, in milliseconds. */
  startedMs: number;
  /** Whether its card is declined at the renewal. */
  failing: boolean;
  metadata: { order: string; place_id: string; user: string };
}

/**
 * Sets up an account with what the dashboard sells, by the same code as `npm run stripe:setup`, and
 * with what the demo needs. Safe to repeat: what exists is brought up to date.
 */
export async function seedStripe(
  stripe: LocalStripe,
  { secretKey, webhook, subscriptions = [] }: Seed,
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
  seedDemoSubscriptions(account, subscriptions);
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

/** Reads the subscriptions of the demo data from the dashboard's database. */
export async function readDemoSubscriptions(
  sql: (query: string) => Promise<Record<string, unknown>[]>,
): Promise<DemoSubscription[]> {
  const rows = await sql(
    `select s.id, s.stripe_customer_id as customer, p.email, o.plan,
       extract(epoch from s.started_at) * 1000 as started_ms, s.status,
       o.id as order_id, o.place_id, p.id as user_id
     from public.subscriptions s
     join public.orders o on o.id = s.order_id
     join public.profiles p on p.id = s.owner
     where starts_with(s.id, 'sub_demo_')`,
  );
  return rows.map((row) => ({
    id: row["id"] as string,
    customer: row["customer"] as string,
    email: row["email"] as string,
    lookupKey: findPlan(row["plan"])!.lookupKey,
    startedMs: Number(row["started_ms"]),
    failing: row["status"] === "past_due",
    metadata: {
      order: row["order_id"] as string,
      place_id: String(row["place_id"]),
      user: row["user_id"] as string,
    },
  }));
}

/**
 * Gives a new account the subscriptions of the demo data, and their invoices so far. The clock runs
 * through all that time, so this comes before there is a webhook endpoint.
 */
export function seedDemoSubscriptions(account: Account, subscriptions: DemoSubscription[]): void {
  if (subscriptions.length === 0 || account.store.all("subscription").length > 0) return;
  const { clockOffsetMs } = account.settings;
  const inOrder = subscriptions.toSorted((one, other) => one.startedMs - other.startedMs);
  account.store.transaction(() => {
    account.changeSettings({ clockOffsetMs: inOrder[0]!.startedMs - Date.now() });
    for (const subscription of inOrder) {
      advanceClock(account, Math.max(0, subscription.startedMs - account.nowMs));
      startDemoSubscription(account, subscription);
    }
    advanceClock(account, Math.max(0, Date.now() + clockOffsetMs - account.nowMs));
  });
}

function startDemoSubscription(account: Account, demo: DemoSubscription): void {
  const known = account.store.find("customer", demo.customer) as Stripe.Customer | undefined;
  const customer =
    known ??
    createCustomer(account, {
      id: demo.customer,
      email: demo.email,
      metadata: { user: demo.metadata.user },
    });
  const card = attachPaymentMethod(
    account,
    createPaymentMethod(account, demo.failing ? "fails_later" : "ok", customer),
    customer.id,
  );
  const price = account.store
    .all("price")
    .find((one) => one.lookup_key === demo.lookupKey && one.active)!;
  const subscription = createSubscription(account, {
    id: demo.id,
    customer: customer.id,
    paymentMethod: card.id,
    items: [{ price, quantity: 1 }],
    metadata: { ...demo.metadata },
  });
  billFirstPeriod(account, subscription);
}
