import type { Stripe } from "stripe";
import { beforeEach, describe, expect, it } from "vitest";

import { startTestStripe } from "../support/stripe";

const received: { type: string; body: string; signature: string }[] = [];
const stripe = await startTestStripe("http://app.test", async (_url, body, headers) => {
  received.push({
    type: (JSON.parse(body) as { type: string }).type,
    body,
    signature: headers["stripe-signature"]!,
  });
  return { status: 200, body: "" };
});
const { sdk, account } = stripe;
let eventsBefore = 0;
beforeEach(() => {
  received.splice(0);
  eventsBefore = stripe.events().length;
});
/** The types of the events in this test, without those of the catalog. */
const eventTypes = (): string[] =>
  stripe
    .events()
    .slice(eventsBefore)
    .map(({ type }) => type)
    .filter((type) => !/^(price|product|coupon|promotion_code)\./.test(type));

const HOUR_MS = 3_600_000;
const customer = await sdk.customers.create({ email: "owner@example.test" });
const {
  data: [monthly],
} = await sdk.prices.list({ lookup_keys: ["featured_monthly"], active: true });
const JOB: Stripe.Checkout.SessionCreateParams = {
  mode: "payment",
  customer: customer.id,
  line_items: [{ quantity: 1, price_data: { currency: "usd", unit_amount: 500, product: "job" } }],
  success_url: "http://app.test/jobs?paid={CHECKOUT_SESSION_ID}",
  cancel_url: "http://app.test/jobs?cancelled=1",
  client_reference_id: "order-1",
  metadata: { order: "order-1" },
  payment_intent_data: { metadata: { order: "order-1" } },
};
const FEATURED: Stripe.Checkout.SessionCreateParams = {
  mode: "subscription",
  customer: customer.id,
  line_items: [{ price: monthly!.id, quantity: 1 }],
  subscription_data: { metadata: { order: "order-2" } },
  success_url: "http://app.test/upgrade",
};

describe("the checkout of a one-time payment", () => {
  it("charges the card, returns to the app, and sends a signed event", async () => {
    const session = await sdk.checkout.sessions.create(JOB);
    expect(session).toMatchObject({
      status: "open",
      payment_status: "unpaid",
      amount_total: 500,
      payment_intent: null,
    });

    expect(await stripe.pay(session.url!)).toBe(`http://app.test/jobs?paid=${session.id}`);

    const paid = await sdk.checkout.sessions.retrieve(session.id, {
      expand: ["payment_intent.latest_charge"],
    });
    const intent = paid.payment_intent as Stripe.PaymentIntent;
    expect(paid).toMatchObject({
      status: "complete",
      payment_status: "paid",
      url: null,
      client_reference_id: "order-1",
    });
    expect((await sdk.checkout.sessions.listLineItems(session.id)).data).toMatchObject([
      { description: "Job listing", quantity: 1, amount_total: 500 },
    ]);
    expect(intent).toMatchObject({
      status: "succeeded",
      amount_received: 500,
      metadata: { order: "order-1" },
    });
    const { receipt_url } = intent.latest_charge as Stripe.Charge;
    expect(await (await fetch(receipt_url!)).text()).toContain("$5.00");

    const { body, signature } = received.find((one) => one.type === "checkout.session.completed")!;
    const event = sdk.webhooks.constructEvent(body, signature, stripe.webhookSecret);
    expect(event.data.object).toMatchObject({
      id: session.id,
      payment_status: "paid",
      metadata: { order: "order-1" },
    });
    expect(() => sdk.webhooks.constructEvent(body, signature, "whsec_another")).toThrow();
    expect(() =>
      sdk.webhooks.constructEvent(`${body} `, signature, stripe.webhookSecret),
    ).toThrow();
  });

  it("stays open after a declined card, shows why, and takes another card", async () => {
    const session = await sdk.checkout.sessions.create(JOB);
    expect(await stripe.pay(session.url!, { card: "declined" })).toBe(`/c/pay/${session.id}`);
    expect(await (await fetch(session.url!)).text()).toContain("Your card was declined.");
    const declined = await sdk.checkout.sessions.retrieve(session.id, {
      expand: ["payment_intent"],
    });
    expect(declined).toMatchObject({
      status: "open",
      payment_status: "unpaid",
      payment_intent: {
        status: "requires_payment_method",
        last_payment_error: { code: "card_declined", decline_code: "generic_decline" },
      },
    });
    expect(eventTypes()).toEqual([
      "payment_intent.created",
      "charge.failed",
      "payment_intent.payment_failed",
    ]);

    await stripe.pay(session.url!, { card: "insufficient_funds" });
    await stripe.pay(session.url!);
    const { id: payment_intent } = declined.payment_intent as Stripe.PaymentIntent;
    expect(await sdk.checkout.sessions.retrieve(session.id)).toMatchObject({
      status: "complete",
      payment_status: "paid",
      payment_intent,
    });
    const charges = account.store
      .all("charge")
      .filter((charge) => charge.payment_intent === payment_intent);
    expect(charges.map(({ status }) => status)).toEqual(["succeeded", "failed", "failed"]);
  });

  it("waits for authentication with the bank, which the customer confirms or refuses", async () => {
    const session = await sdk.checkout.sessions.create(JOB);
    expect(await stripe.pay(session.url!, { card: "authenticate", confirms: false })).toBe(
      `/c/pay/${session.id}`,
    );
    expect(eventTypes()).toEqual([
      "payment_intent.created",
      "payment_intent.requires_action",
      "payment_intent.payment_failed",
    ]);
    expect(await stripe.pay(session.url!, { card: "authenticate" })).toContain(
      "http://app.test/jobs?paid=",
    );
    expect(stripe.session(session.id).payment_status).toBe("paid");
  });

  it("charges once when the form is sent five times", async () => {
    const session = await sdk.checkout.sessions.create(JOB);
    const answers = await Promise.all(Array.from({ length: 5 }, () => stripe.pay(session.url!)));
    expect(new Set(answers)).toEqual(new Set([`http://app.test/jobs?paid=${session.id}`]));
    expect(eventTypes().filter((type) => type === "charge.succeeded")).toHaveLength(1);
  });

  it("completes at once with a bank account, whose debit succeeds or fails days later", async () => {
    const good = await sdk.checkout.sessions.create(JOB);
    const bad = await sdk.checkout.sessions.create(JOB);
    await stripe.pay(good.url!, { card: "debit" });
    await stripe.pay(bad.url!, { card: "debit_fails" });
    for (const { id } of [good, bad]) {
      expect(
        await sdk.checkout.sessions.retrieve(id, { expand: ["payment_intent"] }),
      ).toMatchObject({
        status: "complete",
        payment_status: "unpaid",
        payment_intent: { status: "processing" },
      });
    }
    await stripe.advanceClock(72 * HOUR_MS);
    expect(eventTypes().filter((type) => type.startsWith("checkout.session.async"))).toEqual([
      "checkout.session.async_payment_succeeded",
      "checkout.session.async_payment_failed",
    ]);
    expect(stripe.session(good.id).payment_status).toBe("paid");
    expect(stripe.session(bad.id).payment_status).toBe("unpaid");
  });

  it("expires at its time, and cannot be paid afterwards", async () => {
    const expires_at = Math.floor(Date.now() / 1000) + 1860;
    const session = await sdk.checkout.sessions.create({ ...JOB, expires_at });
    expect(session.expires_at).toBe(expires_at);
    await stripe.advanceClock(30 * 60_000);
    expect(stripe.session(session.id).status).toBe("open");
    await stripe.advanceClock(60_000);
    expect(await sdk.checkout.sessions.retrieve(session.id)).toMatchObject({
      status: "expired",
      url: null,
      payment_status: "unpaid",
    });
    expect(eventTypes()).toEqual(["checkout.session.expired"]);
    const page = await fetch(session.url!);
    expect([page.status, await page.text()]).toEqual([
      410,
      expect.stringContaining("you weren’t charged"),
    ]);
    await fetch(`${session.url!}/pay`, {
      method: "POST",
      body: new URLSearchParams({ card: "ok" }),
    });
    expect(stripe.session(session.id).payment_status).toBe("unpaid");
  });

  it("lasts half an hour from now after the account's clock was moved ahead", async () => {
    const expires_at = Math.floor(Date.now() / 1000) + 1860;
    const session = await sdk.checkout.sessions.create({ ...JOB, expires_at });
    expect(session.status).toBe("open");
    await stripe.advanceClock(29 * 60_000);
    expect(stripe.session(session.id).status).toBe("open");
  });

  it("is listed by its status", async () => {
    const session = await sdk.checkout.sessions.create(JOB);
    await stripe.pay(session.url!);
    const newest = async (status: Stripe.Checkout.Session.Status) =>
      (await sdk.checkout.sessions.list({ status, limit: 1 })).data[0]?.id;
    expect(await newest("complete")).toBe(session.id);
    expect(await newest("open")).not.toBe(session.id);
  });
});

describe("the total of a checkout", () => {
  const typeCode = async (session: Stripe.Checkout.Session, code: string): Promise<string> => {
    const body = new URLSearchParams({ code });
    return (await fetch(`${session.url!}/promotion-code`, { method: "POST", body })).text();
  };

  it("is reduced by a promotion code, and returns to the full price when the code is removed", async () => {
    const session = await sdk.checkout.sessions.create({ ...JOB, allow_promotion_codes: true });
    expect(await typeCode(session, "NONSENSE")).toContain("This code is invalid.");
    await typeCode(session, "rainbow50");
    expect(stripe.session(session.id)).toMatchObject({
      amount_subtotal: 500,
      amount_total: 250,
      total_details: { amount_discount: 250 },
    });
    await typeCode(session, "");
    expect(stripe.session(session.id)).toMatchObject({ amount_total: 500, discounts: [] });
    await stripe.pay(session.url!, { code: "RAINBOW50" });
    expect(
      await sdk.checkout.sessions.retrieve(session.id, { expand: ["payment_intent"] }),
    ).toMatchObject({ payment_intent: { amount_received: 250 } });
  });

  it("stays the same where promotion codes are not allowed", async () => {
    const session = await sdk.checkout.sessions.create(JOB);
    await typeCode(session, "RAINBOW50");
    expect(stripe.session(session.id).amount_total).toBe(500);
  });

  it("of zero needs no payment", async () => {
    await sdk.coupons.create({ id: "free", percent_off: 100 });
    const session = await sdk.checkout.sessions.create({ ...JOB, discounts: [{ coupon: "free" }] });
    await stripe.pay(session.url!);
    expect(await sdk.checkout.sessions.retrieve(session.id)).toMatchObject({
      status: "complete",
      payment_status: "no_payment_required",
      amount_total: 0,
      payment_intent: null,
    });
    expect(eventTypes()).not.toContain("charge.succeeded");
  });
});

describe("the checkout of a subscription", () => {
  it("starts it with its first payment, which the coupon reduces once", async () => {
    const session = await sdk.checkout.sessions.create({
      ...FEATURED,
      discounts: [{ coupon: "featured_first_month" }],
    });
    expect(session.amount_total).toBe(2900);
    await stripe.pay(session.url!);
    const paid = await sdk.checkout.sessions.retrieve(session.id, { expand: ["invoice"] });
    const subscription = paid.subscription as string;
    expect(await sdk.subscriptions.retrieve(subscription)).toMatchObject({
      status: "active",
      metadata: { order: "order-2" },
      discounts: [],
    });
    expect(paid.invoice).toMatchObject({
      status: "paid",
      amount_paid: 2900,
      billing_reason: "subscription_create",
      parent: { subscription_details: { subscription, metadata: { order: "order-2" } } },
    });
    expect(eventTypes()).toEqual([
      "payment_method.attached",
      "customer.subscription.created",
      "invoice.created",
      "invoice.finalized",
      "payment_intent.created",
      "charge.succeeded",
      "payment_intent.succeeded",
      "invoice_payment.paid",
      "invoice.paid",
      "invoice.payment_succeeded",
      "customer.subscription.updated",
      "checkout.session.completed",
    ]);
    const statuses = stripe
      .events("customer.subscription")
      .slice(-2)
      .map((event) => (event.data.object as Stripe.Subscription).status);
    expect(statuses).toEqual(["incomplete", "active"]);
  });

  it("starts none when the card is declined or authentication is refused", async () => {
    const { id } = await sdk.customers.create({});
    const session = await sdk.checkout.sessions.create({ ...FEATURED, customer: id });
    const subscriptions = async () =>
      (await sdk.subscriptions.list({ customer: id, status: "all" })).data;
    await stripe.pay(session.url!, { card: "declined" });
    await stripe.pay(session.url!, { card: "authenticate", confirms: false });
    expect(stripe.session(session.id)).toMatchObject({ status: "open", subscription: null });
    expect(await subscriptions()).toEqual([]);
    await stripe.pay(session.url!, { card: "authenticate" });
    expect(await subscriptions()).toMatchObject([{ status: "active" }]);
  });

  it("can be found by its subscription, and its payment by its invoice", async () => {
    const session = await sdk.checkout.sessions.create(FEATURED);
    await stripe.pay(session.url!);
    const { subscription, invoice } = stripe.session(session.id);
    expect(
      (await sdk.checkout.sessions.list({ subscription: subscription as string })).data.map(
        ({ id }) => id,
      ),
    ).toEqual([session.id]);
    const {
      data: [payment],
    } = await sdk.invoicePayments.list({
      invoice: invoice as string,
      expand: ["data.payment.payment_intent.latest_charge"],
    });
    const intent = payment!.payment.payment_intent as Stripe.PaymentIntent;
    expect(intent.latest_charge).toMatchObject({ status: "succeeded", amount: 4900 });
  });
});

describe("a payment", () => {
  async function pay(): Promise<string> {
    const session = await sdk.checkout.sessions.create(JOB);
    await stripe.pay(session.url!);
    eventsBefore = stripe.events().length;
    return stripe.session(session.id).payment_intent as string;
  }
  const chargeOf = (payment_intent: string): Stripe.Charge | undefined =>
    account.store.all("charge").find((charge) => charge.payment_intent === payment_intent);

  it("is refunded in part, and then the rest through the API", async () => {
    const payment_intent = await pay();
    await stripe.refund(payment_intent, 200);
    expect(chargeOf(payment_intent)).toMatchObject({ amount_refunded: 200, refunded: false });
    await expect(stripe.refund(payment_intent, 301)).rejects.toThrow("unrefunded amount");
    const refund = await sdk.refunds.create({
      payment_intent,
      reason: "requested_by_customer",
      metadata: { order: "order-1" },
    });
    expect(refund).toMatchObject({
      amount: 300,
      status: "succeeded",
      metadata: { order: "order-1" },
    });
    expect(chargeOf(payment_intent)).toMatchObject({ amount_refunded: 500, refunded: true });
    expect(eventTypes()).toEqual([
      "charge.refunded",
      "refund.created",
      "charge.refunded",
      "refund.created",
    ]);
  });

  it("is disputed by the customer until the bank decides for us", async () => {
    const payment_intent = await pay();
    const dispute = await stripe.dispute(payment_intent);
    const disputes = async () => (await sdk.disputes.list({ payment_intent })).data;
    expect(await disputes()).toMatchObject([{ status: "needs_response", amount: 500 }]);
    expect(chargeOf(payment_intent)).toMatchObject({ disputed: true });
    await stripe.closeDispute(dispute.id, true);
    expect(await disputes()).toMatchObject([{ status: "won" }]);
    expect(eventTypes()).toEqual([
      "charge.updated",
      "charge.dispute.created",
      "charge.dispute.funds_withdrawn",
      "charge.dispute.closed",
      "charge.dispute.funds_reinstated",
    ]);
  });
});
