/**
 * The stand-in for Stripe inside of a test. The app's own SDK reaches it over loopback, and its
 * webhooks are delivered in this process, to the app's own action.
 */
import { randomBytes } from "node:crypto";

import SDK, { type Stripe } from "stripe";
import { afterAll } from "vitest";

import { listenOnLoopback } from "../../local/listener";
import { expireSession } from "../../local/stripe/checkout-sessions";
import { advanceClock } from "../../local/stripe/clock";
import { closeDispute, openDispute } from "../../local/stripe/disputes";
import { idOf } from "../../local/stripe/ids";
import { LocalStripe } from "../../local/stripe/local-stripe";
import type { TestMethodName } from "../../local/stripe/payment-methods";
import { endPeriodNow, fixCard } from "../../local/stripe/portal-actions";
import { createRefund } from "../../local/stripe/refunds";
import { seedStripe } from "../../local/stripe/seed";
import { endSubscription, periodEnd, scheduleCancellation } from "../../local/stripe/subscriptions";
import {
  pauseWebhooks,
  resendEvent,
  resumeWebhooks,
  type SendWebhook,
} from "../../local/stripe/webhook-deliveries";

export interface PayOptions {
  card?: TestMethodName;
  /** A promotion code to enter first. */
  code?: string;
  /** What the customer answers when their bank asks for authentication. */
  confirms?: boolean;
}

/** The options with which the SDK calls a stand-in. */
export function sdkAddress(origin: string): { host: string; port: string; protocol: "http" } {
  const { hostname, port } = new URL(origin);
  return { host: hostname, port, protocol: "http" };
}

export type TestStripe = Awaited<ReturnType<typeof startTestStripe>>;

/**
 * Starts a stand-in with the catalog set up; it stops with the test file.
 * @param send delivers a webhook to the app
 */
export async function startTestStripe(appUrl: string, send: SendWebhook) {
  const secretKey = `sk_test_${randomBytes(16).toString("hex")}`;
  const webhookSecret = `whsec_${randomBytes(16).toString("hex")}`;
  const listener = await listenOnLoopback(
    0,
    async (request) => (await running.fetch(request)) ?? new Response(null, { status: 404 }),
  );
  const running = new LocalStripe({ origin: listener.url, secretKey, appUrl, send });
  const { account } = running;
  afterAll(() => Promise.all([running.stop(), listener.close()]));
  await seedStripe(running, {
    secretKey,
    webhook: { url: `${appUrl}/webhooks/stripe`, secret: webhookSecret },
  });

  /** Changes something in the account, and delivers the webhooks that follow. */
  async function change<Result>(work: () => Result): Promise<Result> {
    const result = account.store.transaction(work);
    await running.deliverWebhooks();
    return result;
  }

  const post = async (path: string, fields: Record<string, string>): Promise<Response> =>
    (await running.fetch(
      new Request(new URL(path, listener.url), {
        method: "POST",
        body: new URLSearchParams(fields),
      }),
    ))!;

  /** Pays on the hosted page. Returns the URL to which the browser is redirected. */
  async function pay(
    checkoutUrl: string,
    { card = "ok", code, confirms = true }: PayOptions = {},
  ): Promise<string> {
    const path = new URL(checkoutUrl).pathname;
    if (code !== undefined) await post(`${path}/promotion-code`, { code });
    let response = await post(`${path}/pay`, { card });
    if (response.headers.get("location") === `${path}/authenticate`) {
      response = await post(`${path}/authenticate`, { answer: confirms ? "yes" : "no" });
    }
    await running.deliverWebhooks();
    const location = response.headers.get("location");
    if (location === null)
      throw new Error(`The checkout answered ${response.status}: ${await response.text()}`);
    return location;
  }

  const subscription = (id: string): Stripe.Subscription => account.get("subscription", id);

  function chargeOf(paymentIntent: string): Stripe.Charge {
    return account.get("charge", idOf(account.get("payment_intent", paymentIntent).latest_charge)!);
  }

  return {
    /** STRIPE_API_URL. */
    url: listener.url,
    /** The official SDK, with this account's key. */
    sdk: new SDK(secretKey, {
      ...sdkAddress(listener.url),
      telemetry: false,
      maxNetworkRetries: 0,
    }),
    secretKey,
    webhookSecret,
    account,
    pay,
    /** Delivers what is due: after a test has called the API itself. */
    deliverWebhooks: () => running.deliverWebhooks(),

    /** Where the link leads with which the customer leaves the checkout without paying. */
    cancelUrl(checkoutUrl: string): string | null {
      const id = new URL(checkoutUrl).pathname.split("/").at(-1)!;
      return account.get("checkout.session", id).cancel_url;
    },
    /** Lets a checkout session expire. */
    expire: (session: string) =>
      change(() => expireSession(account, account.get("checkout.session", session))),
    /** All events so far, in order; with a prefix, those whose type begins with it. */
    events: (prefix = ""): Stripe.Event[] =>
      account.store
        .all("event")
        .reverse()
        .filter((event) => event.type.startsWith(prefix)),
    /** From now on webhooks wait until `deliver` or `resumeWebhooks`. */
    pauseWebhooks: () => pauseWebhooks(account),
    /** Delivers the waiting webhooks in order, and from now on every webhook at once. */
    async resumeWebhooks(): Promise<void> {
      resumeWebhooks(account);
      await running.deliverWebhooks();
    },
    /**
     * Delivers these events in this order, each a number of times, even if they were delivered
     * before.
     */
    async deliver(events: string | string[], { times = 1 } = {}): Promise<void> {
      for (const event of [events].flat()) {
        resendEvent(account, event, times);
        await running.deliverWebhooks();
      }
    },
    /** The attempts to deliver an event, and how the app answered. */
    attempts: (event: string) =>
      account.store
        .all("delivery")
        .reverse()
        .filter((one) => one.event === event)
        .flatMap((one) => one.attempts),
    /**
     * Moves the clock ahead: checkouts expire, subscriptions renew, payments and webhooks are tried
     * again.
     */
    async advanceClock(ms: number): Promise<void> {
      advanceClock(account, ms);
      await running.deliverWebhooks();
    },
    subscription,
    session: (id: string) => account.get("checkout.session", id),
    /** What the customer does in the portal, or the team in Stripe's dashboard. */
    cancelAtPeriodEnd: (id: string) =>
      change(() => scheduleCancellation(account, subscription(id), periodEnd(subscription(id)))),
    undoCancellation: (id: string) =>
      change(() => scheduleCancellation(account, subscription(id), null)),
    cancelNow: (id: string) =>
      change(() => endSubscription(account, subscription(id), "cancellation_requested")),
    /** Ends the current period now. With a card, that card is charged from then on. */
    renew: (id: string, card?: TestMethodName) =>
      change(() => endPeriodNow(account, subscription(id), card)),
    /** Replaces the card by one that works, and pays the open invoices. */
    fixCard: (id: string) => change(() => fixCard(account, subscription(id))),
    refund: (paymentIntent: string, cents?: number) =>
      change(() => createRefund(account, chargeOf(paymentIntent), { amount: cents })),
    dispute: (paymentIntent: string) => change(() => openDispute(account, chargeOf(paymentIntent))),
    closeDispute: (id: string, won: boolean) =>
      change(() => closeDispute(account, account.get("dispute", id), won)),
    /** What happens to a subscription when every retry has failed. */
    afterRetries: (outcome: "cancel" | "unpaid") =>
      account.changeSettings({ afterRetries: outcome }),
  };
}
