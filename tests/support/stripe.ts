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
import { closeDispute, openDispute, respondToDispute } from "../../local/stripe/disputes";
import { idOf } from "../../local/stripe/ids";
import { payInvoice } from "../../local/stripe/invoices";
import { LocalStripe } from "../../local/stripe/local-stripe";
import { createPaymentMethod, type TestMethodName } from "../../local/stripe/payment-methods";
import { changePrice, endPeriodNow, fixCard } from "../../local/stripe/portal-actions";
import type { RefundFailure } from "../../local/stripe/records";
import { failRefund, settleRefund } from "../../local/stripe/refund-outcomes";
import { createRefund } from "../../local/stripe/refunds";
import { seedStripe } from "../../local/stripe/seed";
import { endSubscription, periodEnd, scheduleCancellation } from "../../local/stripe/subscriptions";
import {
  pauseWebhooks,
  resendEvent,
  resumeWebhooks,
  type SendWebhook,
  signatureOf,
} from "../../local/stripe/webhook-deliveries";

import { answerInProcess } from "./in-process";

export interface PayOptions {
  card?: TestMethodName;
  /** A promotion code to enter first. */
  code?: string;
  /** What the customer answers when their bank asks for authentication. */
  confirms?: boolean;
  /** The name of the customer or their business. */
  name?: string;
  /** Their billing address, where the checkout asks for it; left out, one in San Francisco. */
  address?: Partial<
    Record<"line1" | "line2" | "city" | "state" | "postal_code" | "country", string>
  >;
  /** Their tax id, where the checkout asks for it. */
  taxId?: string;
}

const ADDRESS = {
  line1: "1 Market Street",
  city: "San Francisco",
  state: "CA",
  postal_code: "94105",
  country: "US",
};

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
  const answer = async (request: Request): Promise<Response> =>
    (await running.fetch(request)) ?? new Response(null, { status: 404 });
  const listener = await listenOnLoopback(0, answer);
  const disconnect = answerInProcess(listener.url, answer);
  const running = new LocalStripe({ origin: listener.url, secretKey, appUrl, send });
  const { account } = running;
  afterAll(() => {
    disconnect();
    return Promise.all([running.stop(), listener.close()]);
  });
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
    { card = "ok", code, confirms = true, name, address = ADDRESS, taxId }: PayOptions = {},
  ): Promise<string> {
    const path = new URL(checkoutUrl).pathname;
    if (code !== undefined) await post(`${path}/promotion-code`, { code });
    const entries = { ...address, ...(name && { name }), ...(taxId && { tax_id: taxId }) };
    let response = await post(`${path}/pay`, { card, ...entries });
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
    /**
     * Lets a checkout take bank debits, whatever the app asked for: as one does that is of before the
     * app asked, or as Stripe would if it took a method of its own for an immediate one. Returns the URL.
     */
    async acceptDebits(checkoutUrl: string): Promise<string> {
      const session = account.get(
        "checkout.session",
        new URL(checkoutUrl).pathname.split("/").at(-1)!,
      );
      await change(() =>
        account.store.put("checkout.session", session.id, {
          ...session,
          allowed_payment_method_types: null,
          payment_method_types: [...session.payment_method_types, "us_bank_account"],
        }),
      );
      return checkoutUrl;
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
    /**
     * Sends any body to the app's webhook, with a good signature: an event that is odd, or that
     * Stripe never made. An object is sent as JSON.
     */
    async sendSigned(body: string | object): Promise<{ status: number; body: string }> {
      const text = typeof body === "string" ? body : JSON.stringify(body);
      return send(`${appUrl}/webhooks/stripe`, text, {
        "content-type": "application/json; charset=utf-8",
        "stripe-signature": signatureOf(text, webhookSecret),
      });
    },
    /** The percentage of tax that Stripe adds from now on, where it is calculated automatically. */
    setTax: (percent: number) => account.changeSettings({ taxPercent: percent }),
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
    /** The team schedules a change in Stripe's dashboard, such as a new price from the next period on. */
    scheduleChange: (id: string) =>
      change(() =>
        account.save(
          "subscription",
          { ...subscription(id), schedule: `sub_sched_${id}` },
          "customer.subscription.updated",
        ),
      ),
    /** Ends the current period now. With a card, that card is charged from then on. */
    renew: (id: string, card?: TestMethodName) =>
      change(() => endPeriodNow(account, subscription(id), card)),
    /** Replaces the card by one that works, and pays the open invoices. */
    fixCard: (id: string) => change(() => fixCard(account, subscription(id))),
    /** Pays what a subscription owes with another card by the link in an email, also after it has ended. */
    payByLink: (id: string) =>
      change(() => {
        const customer = account.customer(idOf(subscription(id).customer));
        for (const invoice of account.store.all("invoice"))
          if (
            invoice.status === "open" &&
            invoice.parent?.subscription_details?.subscription === id
          ) {
            const card = createPaymentMethod(account, "ok", customer);
            payInvoice(account, invoice, card, "authenticated", null);
          }
      }),
    /** Changes the plan of a subscription now, as the customer does in the portal. */
    changePlan: (id: string, lookupKey: string) =>
      change(() =>
        changePrice(
          account,
          subscription(id),
          account.store.all("price").find((price) => price.lookup_key === lookupKey)!,
          "always_invoice",
        ),
      ),
    refund: (paymentIntent: string, cents?: number) =>
      change(() => createRefund(account, chargeOf(paymentIntent), { amount: cents })),
    /** The bank could not credit a refund: it comes back, days after it began. */
    failRefund: (id: string, reason?: RefundFailure) =>
      change(() => failRefund(account, account.get("refund", id), reason)),
    /** A pending refund arrives. */
    settleRefund: (id: string) => change(() => settleRefund(account, account.get("refund", id))),
    /** The refunds of a payment, newest first. */
    refunds: (paymentIntent: string): Stripe.Refund[] =>
      account.store.all("refund").filter((one) => one.payment_intent === paymentIntent),
    dispute: (paymentIntent: string, options?: { inquiry?: boolean }) =>
      change(() => openDispute(account, chargeOf(paymentIntent), options)),
    /** The team sends its evidence in Stripe's dashboard. */
    respondToDispute: (id: string) =>
      change(() => respondToDispute(account, account.get("dispute", id))),
    closeDispute: (id: string, won: boolean) =>
      change(() => closeDispute(account, account.get("dispute", id), won)),
    /** What happens to a subscription when every retry has failed. */
    afterRetries: (outcome: "cancel" | "unpaid") =>
      account.changeSettings({ afterRetries: outcome }),
  };
}
