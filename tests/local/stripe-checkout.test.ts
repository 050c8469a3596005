import type { Stripe } from "stripe";
import { beforeEach, describe, expect, it } from "vitest";

import { startTestStripe } from "../support/stripe";

const taken: { type: string; body: string; signature: string }[] = [];
const stripe = await startTestStripe("http://app.test", async (_url, body, headers) => {
  taken.push({
    type: (JSON.parse(body) as { type: string }).type,
    body,
    signature: headers["stripe-signature"]!,
  });
  return { status: 200, words: "" };
});
const { sdk } = stripe;
let before = 0;
beforeEach(() => {
  taken.splice(0);
  before = stripe.events().length;
});
/** What happened in this test, the catalogue left out. */
const told = (): string[] =>
  stripe
    .events()
    .slice(before)
    .map(({ type }) => type)
    .filter((type) => !/^(price|product|coupon|promotion_code)\./.test(type));

const HOUR_MS = 3_600_000;
const JOB: Stripe.Checkout.SessionCreateParams = {
  mode: "payment",
  line_items: [{ quantity: 1, price_data: { currency: "usd", unit_amount: 500, product: "job" } }],
  success_url: "http://app.test/jobs?paid={CHECKOUT_SESSION_ID}",
  cancel_url: "http://app.test/jobs?cancelled=1",
  customer_email: "owner@example.test",
  client_reference_id: "order-1",
  metadata: { order: "order-1" },
  payment_intent_data: { metadata: { order: "order-1" } },
};

async function featured(
  changes: Partial<Stripe.Checkout.SessionCreateParams> = {},
): Promise<Stripe.Checkout.Session> {
  const {
    data: [price],
  } = await sdk.prices.list({ lookup_keys: ["featured_monthly"], active: true });
  return sdk.checkout.sessions.create({
    mode: "subscription",
    customer: (await sdk.customers.create({ email: "owner@example.test" })).id,
    line_items: [{ price: price!.id, quantity: 1 }],
    subscription_data: { metadata: { order: "order-2" } },
    success_url: "http://app.test/upgrade",
    ...changes,
  });
}

describe("a checkout that is paid once", () => {
  it("takes the money, comes back to the app, and tells it by a signed event", async () => {
    const session = await sdk.checkout.sessions.create(JOB);
    expect(session).toMatchObject({
      status: "open",
      payment_status: "unpaid",
      amount_total: 500,
      payment_intent: null,
    });

    expect(await stripe.pay(session.url!)).toBe(`http://app.test/jobs?paid=${session.id}`);

    const paid = await sdk.checkout.sessions.retrieve(session.id, {
      expand: ["payment_intent.latest_charge", "line_items"],
    });
    const intent = paid.payment_intent as Stripe.PaymentIntent;
    expect(paid).toMatchObject({
      status: "complete",
      payment_status: "paid",
      url: null,
      client_reference_id: "order-1",
    });
    expect(paid.line_items!.data).toMatchObject([
      { description: "Job listing", quantity: 1, amount_total: 500 },
    ]);
    expect(intent).toMatchObject({
      status: "succeeded",
      amount_received: 500,
      metadata: { order: "order-1" },
    });
    const { receipt_url } = intent.latest_charge as Stripe.Charge;
    expect(await (await fetch(receipt_url!)).text()).toContain("$5.00");

    const { body, signature } = taken.find((one) => one.type === "checkout.session.completed")!;
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

  it("is still open after a declined card, says why, and takes another", async () => {
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
    expect(told()).toEqual([
      "payment_intent.created",
      "charge.failed",
      "payment_intent.payment_failed",
    ]);

    await stripe.pay(session.url!, { card: "insufficient_funds" });
    await stripe.pay(session.url!);
    const paid = await sdk.checkout.sessions.retrieve(session.id);
    expect(paid).toMatchObject({
      status: "complete",
      payment_status: "paid",
      payment_intent: (declined.payment_intent as Stripe.PaymentIntent).id,
    });
    const charges = await sdk.charges.list({ payment_intent: paid.payment_intent as string });
    expect(charges.data.map(({ status }) => status)).toEqual(["succeeded", "failed", "failed"]);
  });

  it("waits for the bank's question to be answered, with yes or with no", async () => {
    const session = await sdk.checkout.sessions.create(JOB);
    expect(await stripe.pay(session.url!, { card: "authenticate", confirms: false })).toBe(
      `/c/pay/${session.id}`,
    );
    expect(told()).toEqual([
      "payment_intent.created",
      "payment_intent.requires_action",
      "payment_intent.payment_failed",
    ]);
    expect(await stripe.pay(session.url!, { card: "authenticate" })).toContain(
      "http://app.test/jobs?paid=",
    );
    expect(await sdk.checkout.sessions.retrieve(session.id)).toMatchObject({
      payment_status: "paid",
    });
  });

  it("is paid once, however often the form is sent", async () => {
    const session = await sdk.checkout.sessions.create(JOB);
    const answers = await Promise.all(Array.from({ length: 5 }, () => stripe.pay(session.url!)));
    expect(new Set(answers)).toEqual(new Set([`http://app.test/jobs?paid=${session.id}`]));
    expect(told().filter((type) => type === "charge.succeeded")).toHaveLength(1);
  });

  it("is completed at once by a bank account, and paid or not days later", async () => {
    const [good, bad] = [
      await sdk.checkout.sessions.create(JOB),
      await sdk.checkout.sessions.create(JOB),
    ];
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
    await stripe.advance(72 * HOUR_MS);
    expect(told().filter((type) => type.startsWith("checkout.session.async"))).toEqual([
      "checkout.session.async_payment_succeeded",
      "checkout.session.async_payment_failed",
    ]);
    expect(await sdk.checkout.sessions.retrieve(good.id)).toMatchObject({ payment_status: "paid" });
    expect(await sdk.checkout.sessions.retrieve(bad.id)).toMatchObject({
      payment_status: "unpaid",
    });
  });

  it("ends when its time is over, and can't be paid then", async () => {
    const expires_at = Math.floor(Date.now() / 1000) + 1860;
    const session = await sdk.checkout.sessions.create({ ...JOB, expires_at });
    expect(session.expires_at).toBe(expires_at);
    await stripe.advance(30 * 60_000);
    expect(stripe.session(session.id).status).toBe("open");
    await stripe.advance(60_000);
    expect(await sdk.checkout.sessions.retrieve(session.id)).toMatchObject({
      status: "expired",
      url: null,
      payment_status: "unpaid",
    });
    expect(told()).toEqual(["checkout.session.expired"]);
    const page = await fetch(session.url!);
    expect([page.status, await page.text()]).toEqual([
      410,
      expect.stringContaining("nothing was paid"),
    ]);
    await fetch(`${session.url!}/pay`, {
      method: "POST",
      body: new URLSearchParams({ card: "ok" }),
    });
    expect(stripe.session(session.id).payment_status).toBe("unpaid");
  });

  it("still takes half an hour from now when its own clock was moved ahead", async () => {
    const session = await sdk.checkout.sessions.create({
      ...JOB,
      expires_at: Math.floor(Date.now() / 1000) + 1860,
    });
    expect(session.status).toBe("open");
    await stripe.advance(29 * 60_000);
    expect(stripe.session(session.id).status).toBe("open");
  });

  it("is found by its payment, and told apart by status", async () => {
    const session = await sdk.checkout.sessions.create(JOB);
    await stripe.pay(session.url!);
    const { payment_intent } = stripe.session(session.id);
    expect(
      (await sdk.checkout.sessions.list({ payment_intent: payment_intent as string })).data.map(
        ({ id }) => id,
      ),
    ).toEqual([session.id]);
    expect((await sdk.checkout.sessions.list({ status: "complete", limit: 1 })).data[0]!.id).toBe(
      session.id,
    );
    expect(
      (
        await sdk.checkout.sessions.list({
          status: "open",
          payment_intent: payment_intent as string,
        })
      ).data,
    ).toEqual([]);
  });

  it("asks for an e-mail address where none is known", async () => {
    const { customer_email: _none, ...anonymous } = JOB;
    const session = await sdk.checkout.sessions.create(anonymous);
    const refused = await fetch(`${session.url!}/pay`, {
      method: "POST",
      body: new URLSearchParams({ card: "ok", email: "me" }),
    });
    expect(await refused.text()).toContain("Invalid email address: me");
    await stripe.pay(session.url!, { email: "me@example.test" });
    expect(await sdk.checkout.sessions.retrieve(session.id)).toMatchObject({
      customer: null,
      customer_details: { email: "me@example.test" },
    });
  });
});

describe("a price at the checkout", () => {
  it("is lowered by a promotion code that the person types, and raised again without it", async () => {
    const session = await sdk.checkout.sessions.create({ ...JOB, allow_promotion_codes: true });
    const type = (code: string) =>
      fetch(`${session.url!}/promotion-code`, {
        method: "POST",
        body: new URLSearchParams({ code }),
      });
    expect(await (await type("NONSENSE")).text()).toContain("This code is invalid.");
    await type("rainbow50");
    expect(stripe.session(session.id)).toMatchObject({
      amount_subtotal: 500,
      amount_total: 250,
      total_details: { amount_discount: 250 },
    });
    await type("");
    expect(stripe.session(session.id)).toMatchObject({ amount_total: 500, discounts: [] });
    await stripe.pay(session.url!, { code: "RAINBOW50" });
    expect(
      await sdk.checkout.sessions.retrieve(session.id, { expand: ["payment_intent"] }),
    ).toMatchObject({ payment_intent: { amount_received: 250 } });
    expect((await sdk.coupons.retrieve("demo_half")).times_redeemed).toBe(1);
  });

  it("stays where no codes are taken", async () => {
    const session = await sdk.checkout.sessions.create(JOB);
    await fetch(`${session.url!}/promotion-code`, {
      method: "POST",
      body: new URLSearchParams({ code: "RAINBOW50" }),
    });
    expect(stripe.session(session.id).amount_total).toBe(500);
  });

  it("of nothing asks for no payment", async () => {
    await sdk.coupons.create({ id: "free", percent_off: 100 });
    const session = await sdk.checkout.sessions.create({ ...JOB, discounts: [{ coupon: "free" }] });
    await stripe.pay(session.url!);
    expect(await sdk.checkout.sessions.retrieve(session.id)).toMatchObject({
      status: "complete",
      payment_status: "no_payment_required",
      amount_total: 0,
      payment_intent: null,
    });
    expect(told()).not.toContain("charge.succeeded");
  });

  it("is lowered only for whom and for as often as a code is meant", async () => {
    const [mine, other] = [await sdk.customers.create({}), await sdk.customers.create({})];
    const promotion = { type: "coupon", coupon: "demo_half" } as const;
    await sdk.promotionCodes.create({
      code: "MINE",
      promotion,
      customer: mine.id,
      max_redemptions: 1,
    });
    await sdk.promotionCodes.create({
      code: "LARGE",
      promotion,
      restrictions: { minimum_amount: 501, minimum_amount_currency: "usd" },
    });
    const { customer_email: _none, ...job } = JOB;
    const checkout = (customer: string) =>
      sdk.checkout.sessions.create({ ...job, customer, allow_promotion_codes: true });
    const says = async (session: Stripe.Checkout.Session, code: string) =>
      (
        await fetch(`${session.url!}/promotion-code`, {
          method: "POST",
          body: new URLSearchParams({ code }),
        })
      ).text();

    expect(await says(await checkout(other.id), "MINE")).toContain(
      "belongs to a different customer",
    );
    expect(await says(await checkout(mine.id), "LARGE")).toContain("minimum amount");
    const session = await checkout(mine.id);
    await stripe.pay(session.url!, { code: "MINE" });
    expect(stripe.session(session.id).amount_total).toBe(250);
    expect(await says(await checkout(mine.id), "MINE")).toContain("This code is invalid.");
  });
});

describe("a subscription's checkout", () => {
  it("begins it with its first payment, at the price of the offer, for this once", async () => {
    const session = await featured({ discounts: [{ coupon: "featured_first_month" }] });
    expect(session.amount_total).toBe(2900);
    await stripe.pay(session.url!);
    const paid = await sdk.checkout.sessions.retrieve(session.id, {
      expand: ["subscription", "invoice"],
    });
    expect(paid.subscription).toMatchObject({
      status: "active",
      metadata: { order: "order-2" },
      discounts: [],
    });
    expect(paid.invoice).toMatchObject({
      status: "paid",
      amount_paid: 2900,
      billing_reason: "subscription_create",
      parent: {
        subscription_details: {
          subscription: (paid.subscription as Stripe.Subscription).id,
          metadata: { order: "order-2" },
        },
      },
    });
    expect(told()).toEqual([
      "customer.created",
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
    const states = stripe
      .events("customer.subscription")
      .slice(-2)
      .map((event) => (event.data.object as Stripe.Subscription).status);
    expect(states).toEqual(["incomplete", "active"]);
  });

  it("begins nothing when the card is declined, or its bank is not answered", async () => {
    const session = await featured();
    await stripe.pay(session.url!, { card: "declined" });
    await stripe.pay(session.url!, { card: "authenticate", confirms: false });
    expect(await sdk.checkout.sessions.retrieve(session.id)).toMatchObject({
      status: "open",
      subscription: null,
    });
    expect(
      (await sdk.subscriptions.list({ customer: session.customer as string, status: "all" })).data,
    ).toEqual([]);
    await stripe.pay(session.url!, { card: "authenticate" });
    expect(
      (await sdk.subscriptions.list({ customer: session.customer as string })).data,
    ).toMatchObject([{ status: "active" }]);
  });

  it("gives whoever has none a customer", async () => {
    const session = await featured({
      customer: undefined as never,
      customer_email: "new@example.test",
    });
    await stripe.pay(session.url!);
    const { customer } = await sdk.checkout.sessions.retrieve(session.id, { expand: ["customer"] });
    expect(customer).toMatchObject({ email: "new@example.test" });
  });

  it("is found by its subscription, as are the payments of its invoice", async () => {
    const session = await featured();
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
    const back = await sdk.invoicePayments.list({
      payment: { type: "payment_intent", payment_intent: intent.id },
    });
    expect(back.data.map((one) => one.invoice)).toEqual([invoice]);
  });
});

describe("money that goes back", () => {
  async function paid(): Promise<string> {
    const session = await sdk.checkout.sessions.create(JOB);
    await stripe.pay(session.url!);
    before = stripe.events().length;
    return stripe.session(session.id).payment_intent as string;
  }

  it("in parts, and then whole", async () => {
    const payment_intent = await paid();
    await sdk.refunds.create({
      payment_intent,
      amount: 200,
      reason: "requested_by_customer",
      metadata: { order: "order-1" },
    });
    await stripe.settled();
    const part = await sdk.paymentIntents.retrieve(payment_intent, {
      expand: ["latest_charge.refunds"],
    });
    expect(part.latest_charge).toMatchObject({
      amount_refunded: 200,
      refunded: false,
      refunds: { data: [{ amount: 200, status: "succeeded" }] },
    });
    await stripe.refund(payment_intent);
    expect(
      (await sdk.paymentIntents.retrieve(payment_intent, { expand: ["latest_charge"] }))
        .latest_charge,
    ).toMatchObject({ amount_refunded: 500, refunded: true });
    expect(told()).toEqual([
      "charge.refunded",
      "refund.created",
      "charge.refunded",
      "refund.created",
    ]);
  });

  it("because the payer disputes it, until the bank decides for us", async () => {
    const payment_intent = await paid();
    const dispute = await stripe.dispute(payment_intent);
    expect((await sdk.disputes.list({ payment_intent })).data).toMatchObject([
      { status: "needs_response", amount: 500 },
    ]);
    expect(
      (await sdk.paymentIntents.retrieve(payment_intent, { expand: ["latest_charge"] }))
        .latest_charge,
    ).toMatchObject({ disputed: true });
    await stripe.closeDispute(dispute.id, true);
    expect(await sdk.disputes.retrieve(dispute.id)).toMatchObject({ status: "won" });
    expect(told()).toEqual([
      "charge.updated",
      "charge.dispute.created",
      "charge.dispute.funds_withdrawn",
      "charge.dispute.closed",
      "charge.dispute.funds_reinstated",
    ]);
  });
});
