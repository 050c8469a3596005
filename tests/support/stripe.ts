/**
 * The stand-in for Stripe inside of a test: the app's own SDK reaches it over loopback, and its webhooks
 * come back in this process, to the app's own action.
 */
import { randomBytes } from "node:crypto";

import SDK, { type Stripe } from "stripe";
import { afterAll } from "vitest";

import { listenOnLoopback } from "../../local/listener";
import type { TestMethodName } from "../../local/stripe/payment-methods";
import { changePrice } from "../../local/stripe/change-price";
import { expireSession } from "../../local/stripe/checkout-sessions";
import { holdDeliveries, type Send, sendNow } from "../../local/stripe/deliveries";
import { closeDispute, openDispute } from "../../local/stripe/disputes";
import { idOf } from "../../local/stripe/ids";
import { moveClock } from "../../local/stripe/passing-time";
import { cancelInPortal, endPeriodNow, mendCard } from "../../local/stripe/portal-acts";
import { refund } from "../../local/stripe/refunds";
import { seedStripe } from "../../local/stripe/seed";
import { LocalStripe } from "../../local/stripe/stripe";
import { cancelLater, endSubscription } from "../../local/stripe/subscriptions";

export interface PayOptions {
  card?: TestMethodName;
  /** Where the checkout asks for it. */
  email?: string;
  /** A promotion code to enter first. */
  code?: string;
  /** What the person answers a bank that asks. */
  confirms?: boolean;
}

/** Where the SDK finds a stand-in. */
export function addressOf(origin: string): { host: string; port: string; protocol: "http" } {
  const { hostname, port } = new URL(origin);
  return { host: hostname, port, protocol: "http" };
}

export type TestStripe = Awaited<ReturnType<typeof startTestStripe>>;

/**
 * Starts one, with the catalogue, that ends with the test file.
 * @param send brings a webhook to the app
 */
export async function startTestStripe(appUrl: string, send: Send) {
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

  /** Does something at Stripe's, and brings the app what there is to tell. */
  async function at<Result>(work: () => Result): Promise<Result> {
    const result = account.store.change(work);
    await running.settled();
    return result;
  }

  const post = async (path: string, fields: Record<string, string>): Promise<Response> =>
    (await running.fetch(
      new Request(new URL(path, listener.url), {
        method: "POST",
        body: new URLSearchParams(fields),
      }),
    ))!;

  /** A person pays on the hosted page. Gives where the browser goes then. */
  async function pay(
    checkoutUrl: string,
    { card = "ok", email = "", code, confirms = true }: PayOptions = {},
  ): Promise<string> {
    const path = new URL(checkoutUrl).pathname;
    if (code !== undefined) await post(`${path}/promotion-code`, { code });
    let response = await post(`${path}/pay`, { card, email });
    if (response.headers.get("location") === `${path}/authenticate`) {
      response = await post(`${path}/authenticate`, { answer: confirms ? "yes" : "no" });
    }
    await running.settled();
    const location = response.headers.get("location");
    if (location === null)
      throw new Error(`The checkout answered ${response.status}: ${await response.text()}`);
    return location;
  }

  const subscription = (id: string): Stripe.Subscription => account.find("subscription", id);

  function chargeOf(paymentIntent: string): Stripe.Charge {
    return account.find(
      "charge",
      idOf(account.find("payment_intent", paymentIntent).latest_charge)!,
    );
  }

  return {
    /** STRIPE_API_URL. */
    url: listener.url,
    /** The official SDK, with this Stripe's key. */
    sdk: new SDK(secretKey, { ...addressOf(listener.url), telemetry: false, maxNetworkRetries: 0 }),
    secretKey,
    webhookSecret,
    account,
    pay,
    /** Resolves when the app has been told everything: after the test itself has asked Stripe for something. */
    settled: () => running.settled(),

    /** The person goes back without paying. Gives where the browser goes then. */
    cancel(checkoutUrl: string): string | null {
      const id = new URL(checkoutUrl).pathname.split("/").at(-1)!;
      return account.find("checkout.session", id).cancel_url;
    },
    /** The time of a checkout is over. */
    expire: (session: string) =>
      at(() => expireSession(account, account.find("checkout.session", session))),
    /** All that has happened, in order; of one type, or of all that begin with it. */
    events: (type = ""): Stripe.Event[] =>
      account.store
        .all("event")
        .reverse()
        .filter((event) => event.type.startsWith(type)),
    /** From now on webhooks wait until `deliver` or `letGo`. */
    hold: () => holdDeliveries(account, true),
    /** Sends what waits, in order, and from now on everything at once. */
    async letGo(): Promise<void> {
      holdDeliveries(account, false);
      await running.settled();
    },
    /** Sends these events in this order, each so many times, whether or not they were sent before. */
    async deliver(events: string | string[], { times = 1 } = {}): Promise<void> {
      for (const event of [events].flat()) {
        sendNow(account, event, times);
        await running.settled();
      }
    },
    /** How often, and with which answers, an event was sent. */
    attempts: (event: string) =>
      account.store
        .all("delivery")
        .reverse()
        .filter((one) => one.event === event)
        .flatMap((one) => one.attempts),
    /** Time passes at Stripe's: checkouts end, plans renew, payments and webhooks are tried again. */
    async advance(ms: number): Promise<void> {
      moveClock(account, ms);
      await running.settled();
    },
    subscription,
    session: (id: string) => account.find("checkout.session", id),
    /** What the person does in the portal, or the team in the dashboard. */
    cancelAtPeriodEnd: (id: string) =>
      at(() => cancelInPortal(account, subscription(id), "at_period_end")),
    resume: (id: string) => at(() => cancelLater(account, subscription(id), null)),
    endNow: (id: string) =>
      at(() => endSubscription(account, subscription(id), "cancellation_requested")),
    changePlan: (id: string, lookupKey: string) =>
      at(() => {
        const price = account.store.all("price").find((one) => one.lookup_key === lookupKey)!;
        return changePrice(account, subscription(id), price, "none");
      }),
    /** The running period ends now. With a card it is that one that is charged from then on. */
    renew: (id: string, card?: TestMethodName) =>
      at(() => endPeriodNow(account, subscription(id), card)),
    /** A card that works, and what is owed paid with it. */
    mendCard: (id: string) => at(() => mendCard(account, subscription(id))),
    refund: (paymentIntent: string, cents?: number) =>
      at(() => refund(account, chargeOf(paymentIntent), { amount: cents })),
    dispute: (paymentIntent: string) => at(() => openDispute(account, chargeOf(paymentIntent))),
    closeDispute: (id: string, won: boolean) =>
      at(() => closeDispute(account, account.find("dispute", id), won)),
    /** What becomes of a subscription when every retry has failed. */
    afterRetries: (outcome: "cancel" | "unpaid") =>
      account.changeSettings({ afterRetries: outcome }),
  };
}
