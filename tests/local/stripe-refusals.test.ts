/** What Stripe refuses, the stand-in refuses: so that code which passes here passes there. */
import SDK, { type Stripe } from "stripe";
import { describe, expect, it } from "vitest";

import { addressOf, startTestStripe } from "../support/stripe";

const stripe = await startTestStripe("http://app.test", async () => ({ status: 200, words: "" }));
const { sdk } = stripe;

const now = (): number => Math.floor(Date.now() / 1000);
const customer = await sdk.customers.create({ email: "owner@example.test" });
const {
  data: [monthly],
} = await sdk.prices.list({ lookup_keys: ["featured_monthly"] });
const {
  data: [code],
} = await sdk.promotionCodes.list({ code: "RAINBOW50" });
const inactive = await sdk.prices.create({
  currency: "usd",
  unit_amount: 700,
  product: "job",
  active: false,
});

const item = { quantity: 1, price_data: { currency: "usd", unit_amount: 500, product: "job" } };
const once: Stripe.Checkout.SessionCreateParams = {
  mode: "payment",
  success_url: "http://app.test/jobs",
  line_items: [item],
};
const plan: Stripe.Checkout.SessionCreateParams = {
  mode: "subscription",
  success_url: "http://app.test/upgrade",
  line_items: [{ price: monthly!.id, quantity: 1 }],
};

/** Parameters that the SDK's types would not let through. */
const checkout = (...changes: object[]): Promise<unknown> =>
  sdk.checkout.sessions.create(
    Object.assign({}, ...changes) as Stripe.Checkout.SessionCreateParams,
  );

async function paidIntent(): Promise<string> {
  const session = await sdk.checkout.sessions.create({ ...once, customer: customer.id });
  await stripe.pay(session.url!);
  return (await sdk.checkout.sessions.retrieve(session.id)).payment_intent as string;
}

async function canceledPlan(): Promise<string> {
  const session = await sdk.checkout.sessions.create({ ...plan, customer: customer.id });
  await stripe.pay(session.url!);
  const id = (await sdk.checkout.sessions.retrieve(session.id)).subscription as string;
  await sdk.subscriptions.cancel(id);
  return id;
}

interface Refused {
  what: string;
  ask: () => Promise<unknown>;
  status?: number;
  code?: string;
  param?: string;
  says?: RegExp;
}

const REFUSED: Refused[] = [
  // Checkout
  {
    what: "a parameter that Stripe does not know",
    ask: () => checkout(once, { price: 500 }),
    code: "parameter_unknown",
    param: "price",
  },
  {
    what: "payment_method_types, which this version has no more",
    ask: () => checkout(once, { payment_method_types: ["card"] }),
    code: "parameter_unknown",
    param: "payment_method_types",
  },
  {
    what: "an unknown field deep inside",
    ask: () =>
      checkout(once, { line_items: [{ ...item, price_data: { ...item.price_data, cost: 1 } }] }),
    code: "parameter_unknown",
    param: "line_items[0][price_data][cost]",
  },
  {
    what: "a checkout without a mode",
    ask: () => checkout(once, { mode: undefined }),
    code: "parameter_missing",
    param: "mode",
  },
  {
    what: "a checkout without a way back",
    ask: () => checkout(once, { success_url: undefined }),
    code: "parameter_missing",
    param: "success_url",
  },
  {
    what: "a way back that is a path",
    ask: () => checkout(once, { success_url: "/jobs" }),
    code: "url_invalid",
    param: "success_url",
  },
  {
    what: "a checkout of nothing",
    ask: () => checkout(once, { line_items: [] }),
    code: "parameter_missing",
    param: "line_items",
  },
  {
    what: "an item without a quantity",
    ask: () => checkout(once, { line_items: [{ price_data: item.price_data }] }),
    code: "parameter_missing",
    param: "line_items[0][quantity]",
  },
  {
    what: "a quantity of none",
    ask: () => checkout(once, { line_items: [{ ...item, quantity: 0 }] }),
    param: "line_items[0][quantity]",
  },
  {
    what: "an item with a price and a price's data",
    ask: () => checkout(plan, { line_items: [{ ...item, price: monthly!.id }] }),
    says: /only specify one of these parameters/,
  },
  {
    what: "cents that are no whole number",
    ask: () =>
      checkout(once, {
        line_items: [{ ...item, price_data: { ...item.price_data, unit_amount: 4500.5 } }],
      }),
    code: "parameter_invalid_integer",
  },
  {
    what: "a negative amount",
    ask: () =>
      checkout(once, {
        line_items: [{ ...item, price_data: { ...item.price_data, unit_amount: -4500 } }],
      }),
    code: "parameter_invalid_integer",
  },
  {
    what: "less than half a dollar",
    ask: () =>
      checkout(once, {
        line_items: [{ ...item, price_data: { ...item.price_data, unit_amount: 49 } }],
      }),
    code: "amount_too_small",
  },
  {
    what: "more than a million dollars",
    ask: () =>
      checkout(once, {
        line_items: [
          { ...item, quantity: 3, price_data: { ...item.price_data, unit_amount: 50_000_000 } },
        ],
      }),
    code: "amount_too_large",
  },
  {
    what: "a product that is not there",
    ask: () =>
      checkout(once, {
        line_items: [{ ...item, price_data: { ...item.price_data, product: "gone" } }],
      }),
    code: "resource_missing",
    param: "line_items[0][price_data][product]",
    status: 400,
  },
  {
    what: "a price that is not there",
    ask: () => checkout(plan, { line_items: [{ price: "price_gone", quantity: 1 }] }),
    code: "resource_missing",
    param: "line_items[0][price]",
    status: 400,
  },
  {
    what: "a price that is not active",
    ask: () => checkout(once, { line_items: [{ price: inactive.id, quantity: 1 }] }),
    says: /inactive/,
    param: "line_items[0][price]",
  },
  {
    what: "a plan paid once",
    ask: () => checkout(plan, { mode: "payment" }),
    says: /recurring price/,
  },
  {
    what: "a subscription to something paid once",
    ask: () => checkout(once, { mode: "subscription" }),
    says: /at least one recurring price/,
  },
  {
    what: "subscription data for a payment",
    ask: () => checkout(once, { subscription_data: { metadata: { a: "b" } } }),
    param: "subscription_data",
  },
  {
    what: "payment data for a subscription",
    ask: () => checkout(plan, { payment_intent_data: { metadata: { a: "b" } } }),
    param: "payment_intent_data",
  },
  {
    what: "a customer and an e-mail address",
    ask: () => checkout(once, { customer: customer.id, customer_email: "a@example.test" }),
    says: /customer, customer_email/,
  },
  {
    what: "a customer who is not there",
    ask: () => checkout(once, { customer: "cus_gone" }),
    code: "resource_missing",
    param: "customer",
    status: 400,
  },
  {
    what: "an e-mail address that is none",
    ask: () => checkout(once, { customer_email: "owner" }),
    code: "email_invalid",
    param: "customer_email",
  },
  {
    what: "a discount beside promotion codes",
    ask: () =>
      checkout(plan, {
        discounts: [{ coupon: "featured_first_month" }],
        allow_promotion_codes: true,
      }),
    says: /allow_promotion_codes, discounts/,
  },
  {
    what: "two discounts",
    ask: () =>
      checkout(plan, { discounts: [{ coupon: "featured_first_month" }, { coupon: "demo_half" }] }),
    param: "discounts",
  },
  {
    what: "a coupon that is not there",
    ask: () => checkout(plan, { discounts: [{ coupon: "gone" }] }),
    code: "resource_missing",
    param: "discounts[0][coupon]",
  },
  {
    what: "a coupon for something else",
    ask: () => checkout(once, { discounts: [{ coupon: "featured_first_month" }] }),
    code: "coupon_applies_to_nothing",
  },
  {
    what: "an end in 29 minutes",
    ask: () => checkout(once, { expires_at: now() + 28 * 60 }),
    param: "expires_at",
    says: /at least 30 minutes/,
  },
  {
    what: "an end in 25 hours",
    ask: () => checkout(once, { expires_at: now() + 25 * 3600 }),
    param: "expires_at",
    says: /less than 24 hours/,
  },
  {
    what: "a reference of 201 characters",
    ask: () => checkout(once, { client_reference_id: "x".repeat(201) }),
    param: "client_reference_id",
  },
  {
    what: "metadata with a long key",
    ask: () => checkout(once, { metadata: { ["k".repeat(41)]: "v" } }),
    says: /up to 40 characters/,
  },
  {
    what: "metadata with a long value",
    ask: () => checkout(once, { metadata: { k: "v".repeat(501) } }),
    says: /up to 500 characters/,
  },
  {
    what: "51 pieces of metadata",
    ask: () =>
      checkout(once, {
        metadata: Object.fromEntries(Array.from({ length: 51 }, (_, at) => [`k${at}`, "v"])),
      }),
    param: "metadata",
  },
  {
    what: "an empty text",
    ask: () => checkout(once, { client_reference_id: "" }),
    code: "parameter_invalid_empty",
  },
  {
    what: "a checkout that is not there",
    ask: () => sdk.checkout.sessions.retrieve("cs_test_gone"),
    code: "resource_missing",
    status: 404,
  },
  {
    what: "to expand what is no object",
    ask: () => sdk.customers.retrieve(customer.id, { expand: ["email"] }),
    says: /cannot be expanded \(email\)/,
  },
  {
    what: "to expand five levels",
    ask: () =>
      sdk.invoicePayments.list({ expand: ["data.payment.payment_intent.latest_charge.refunds"] }),
    says: /more than 4 levels/,
  },
  {
    what: "to end a paid checkout",
    ask: async () => {
      const session = await sdk.checkout.sessions.create(once);
      await stripe.pay(session.url!, { email: "a@example.test" });
      return sdk.checkout.sessions.expire(session.id);
    },
    says: /status of `complete`/,
  },
  {
    what: "to end a checkout twice",
    ask: async () => {
      const session = await sdk.checkout.sessions.create(once);
      await sdk.checkout.sessions.expire(session.id);
      return sdk.checkout.sessions.expire(session.id);
    },
    says: /status of `expired`/,
  },
  // Catalogue
  {
    what: "a product's id a second time",
    ask: () => sdk.products.create({ id: "job", name: "Job" }),
    code: "resource_already_exists",
  },
  {
    what: "a price without an amount",
    ask: () => sdk.prices.create({ currency: "usd", product: "job" }),
    code: "parameter_missing",
    param: "unit_amount",
  },
  {
    what: "a lookup key that another price has",
    ask: () =>
      sdk.prices.create({
        currency: "usd",
        product: "featured",
        unit_amount: 1,
        lookup_key: "featured_monthly",
        recurring: { interval: "month" },
      }),
    param: "lookup_key",
  },
  {
    what: "another amount for a price",
    ask: () => sdk.prices.update(monthly!.id, { unit_amount: 1 } as Stripe.PriceUpdateParams),
    code: "parameter_unknown",
    param: "unit_amount",
  },
  {
    what: "eleven lookup keys at once",
    ask: () => sdk.prices.list({ lookup_keys: Array.from({ length: 11 }, String) }),
    param: "lookup_keys",
  },
  {
    what: "a coupon's id a second time",
    ask: () => sdk.coupons.create({ id: "demo_half", percent_off: 50 }),
    code: "resource_already_exists",
  },
  {
    what: "a coupon of both kinds",
    ask: () => sdk.coupons.create({ amount_off: 1, percent_off: 50, currency: "usd" }),
    says: /only specify one/,
  },
  {
    what: "an amount off without a currency",
    ask: () => sdk.coupons.create({ amount_off: 100 }),
    code: "parameter_missing",
    param: "currency",
  },
  {
    what: "another amount for a coupon",
    ask: () => sdk.coupons.update("demo_half", { percent_off: 90 } as Stripe.CouponUpdateParams),
    code: "parameter_unknown",
  },
  {
    what: "a code that is in use",
    ask: () =>
      sdk.promotionCodes.create({
        code: "rainbow50",
        promotion: { type: "coupon", coupon: "demo_half" },
      }),
    param: "code",
  },
  {
    what: "a coupon at the top of a promotion code, as versions before took it",
    ask: () =>
      sdk.promotionCodes.create({
        coupon: "demo_half",
      } as unknown as Stripe.PromotionCodeCreateParams),
    code: "parameter_unknown",
  },
  // Money back
  {
    what: "a refund of more than was paid",
    ask: async () => sdk.refunds.create({ payment_intent: await paidIntent(), amount: 501 }),
    param: "amount",
  },
  {
    what: "a refund of nothing",
    ask: async () => sdk.refunds.create({ payment_intent: await paidIntent(), amount: 0 }),
    param: "amount",
  },
  {
    what: "a second whole refund",
    ask: async () => {
      const payment_intent = await paidIntent();
      await sdk.refunds.create({ payment_intent });
      return sdk.refunds.create({ payment_intent });
    },
    code: "charge_already_refunded",
  },
  {
    what: "a refund of what is disputed",
    ask: async () => {
      const payment_intent = await paidIntent();
      await stripe.dispute(payment_intent);
      return sdk.refunds.create({ payment_intent });
    },
    code: "charge_disputed",
  },
  // Subscriptions and the portal
  {
    what: "to cancel what is canceled",
    ask: async () => sdk.subscriptions.cancel(await canceledPlan()),
    code: "resource_missing",
    status: 404,
  },
  {
    what: "to change what is canceled",
    ask: async () => sdk.subscriptions.update(await canceledPlan(), { cancel_at_period_end: true }),
    says: /canceled subscription/,
  },
  {
    what: "a portal without a configuration",
    ask: () => sdk.billingPortal.sessions.create({ customer: customer.id }),
    says: /No configuration provided/,
  },
  {
    what: "a portal of nobody",
    ask: () => sdk.billingPortal.sessions.create({ customer: "cus_gone" }),
    code: "resource_missing",
    param: "customer",
    status: 400,
  },
  {
    what: "plans to change to, without naming them",
    ask: () =>
      sdk.billingPortal.configurations.create({
        features: { subscription_update: { enabled: true, default_allowed_updates: ["price"] } },
      }),
    code: "parameter_missing",
  },
  {
    what: "a customer who is deleted",
    ask: async () => {
      const gone = await sdk.customers.create({});
      await sdk.customers.del(gone.id);
      return checkout(once, { customer: gone.id });
    },
    code: "resource_missing",
    status: 400,
  },
  // The rest
  {
    what: "an event that does not exist",
    ask: () =>
      sdk.webhookEndpoints.create({
        url: "http://app.test/w",
        enabled_events: ["checkout.session.done" as "*"],
      }),
    param: "enabled_events[0]",
  },
  { what: "a page of 101", ask: () => sdk.customers.list({ limit: 101 }), param: "limit" },
  {
    what: "a page after nothing",
    ask: () => sdk.customers.list({ starting_after: "cus_gone" }),
    code: "resource_missing",
    param: "starting_after",
  },
  {
    what: "a search it can't read",
    ask: () => sdk.customers.search({ query: "email is a@example.test" }),
    param: "query",
  },
  {
    what: "an address that it does not have",
    ask: () => sdk.rawRequest("GET", "/v1/nonsense"),
    status: 404,
    says: /Unrecognized request URL/,
  },
];

describe("the stand-in for Stripe refuses, in Stripe's words,", () => {
  it.each(REFUSED)("$what", async ({ ask, status = 400, code, param, says }) => {
    const problem = await ask().then(
      () => expect.fail("It was not refused."),
      (error: unknown) => error,
    );
    expect(problem).toBeInstanceOf(SDK.errors.StripeInvalidRequestError);
    const refusal = problem as Stripe.errors.StripeInvalidRequestError;
    expect({ status: refusal.statusCode, code: refusal.code, param: refusal.param }).toMatchObject({
      status,
      ...(code ? { code } : {}),
      ...(param ? { param } : {}),
    });
    if (says) expect(refusal.message).toMatch(says);
    expect(refusal.requestId).toMatch(/^req_/);
  });

  it("a key that it does not know", async () => {
    const stranger = new SDK("sk_test_somebody_else", {
      ...addressOf(stripe.url),
      telemetry: false,
    });
    await expect(stranger.customers.list()).rejects.toMatchObject({
      type: "StripeAuthenticationError",
      statusCode: 401,
    });
  });

  it("another version of the API", async () => {
    const older = new SDK(stripe.secretKey, {
      ...addressOf(stripe.url),
      telemetry: false,
      apiVersion: "2023-10-16" as never,
    });
    await expect(older.customers.list()).rejects.toThrow(/speaks 2026-10-28\.endive/);
  });

  it("what it can't do, and says so of itself", async () => {
    await expect(checkout(once, { automatic_tax: { enabled: true } })).rejects.toMatchObject({
      code: "beyond_stand_in",
      param: "automatic_tax",
    });
  });

  it("a request as a whole: what it had begun is undone", async () => {
    const prices = (await sdk.prices.list({ limit: 100 })).data.length;
    await expect(
      checkout(once, { line_items: [item, { ...item, quantity: 0 }] }),
    ).rejects.toThrow();
    await expect(
      checkout(once, {
        line_items: [{ ...item, price_data: { ...item.price_data, unit_amount: 49 } }],
      }),
    ).rejects.toThrow();
    expect((await sdk.prices.list({ limit: 100 })).data).toHaveLength(prices);
  });
});

describe("an idempotency key", () => {
  it("gives the same request the same answer, and does it once", async () => {
    const idempotencyKey = "order-1-attempt-1";
    const [one, other] = [
      await sdk.checkout.sessions.create(once, { idempotencyKey }),
      await sdk.checkout.sessions.create(once, { idempotencyKey }),
    ];
    expect(other.id).toBe(one.id);
    expect(
      [one, other].map((answer) => answer.lastResponse.headers["idempotent-replayed"]),
    ).toEqual([undefined, "true"]);
    expect(other.lastResponse.headers["original-request"]).toBe(one.lastResponse.requestId);
  });

  it("refuses another request", async () => {
    const idempotencyKey = "order-2-attempt-1";
    await sdk.checkout.sessions.create(once, { idempotencyKey });
    await expect(
      sdk.checkout.sessions.create({ ...once, client_reference_id: "x" }, { idempotencyKey }),
    ).rejects.toMatchObject({
      type: "StripeIdempotencyError",
      statusCode: 400,
    });
  });

  it("is free again after a refusal, and after a day", async () => {
    const idempotencyKey = "order-3-attempt-1";
    await expect(sdk.customers.create({ email: "none" }, { idempotencyKey })).rejects.toThrow();
    const one = await sdk.customers.create({ email: "a@example.test" }, { idempotencyKey });
    await stripe.advance(25 * 3_600_000);
    expect(
      (await sdk.customers.create({ email: "a@example.test" }, { idempotencyKey })).id,
    ).not.toBe(one.id);
  });
});

describe("lists", () => {
  it("come in pages, the newest first, and can be gone through to the end", async () => {
    const made: string[] = [];
    for (let turn = 0; turn < 5; turn += 1)
      made.unshift((await sdk.customers.create({ email: "many@example.test" })).id);
    const first = await sdk.customers.list({ email: "many@example.test", limit: 2 });
    expect([first.data.map(({ id }) => id), first.has_more]).toEqual([made.slice(0, 2), true]);
    const all: string[] = [];
    for await (const one of sdk.customers.list({ email: "many@example.test", limit: 2 }))
      all.push(one.id);
    expect(all).toEqual(made);
    const before = await sdk.customers.list({
      email: "many@example.test",
      limit: 2,
      ending_before: made[3]!,
    });
    expect([before.data.map(({ id }) => id), before.has_more]).toEqual([made.slice(1, 3), true]);
  });

  it("find customers by e-mail, metadata and both", async () => {
    const wanted = await sdk.customers.create({
      email: "Find@example.test",
      metadata: { user: "u-1" },
    });
    await sdk.customers.create({ email: "other@example.test", metadata: { user: "u-2" } });
    for (const query of [
      "metadata['user']:'u-1'",
      `email:"find@example.test" AND metadata["user"]:"u-1"`,
      "email~'find@'",
    ]) {
      expect(
        (await sdk.customers.search({ query })).data.map(({ id }) => id),
        query,
      ).toEqual([wanted.id]);
    }
    expect(
      (
        await sdk.customers.search({
          query: "email:'nobody@example.test' OR metadata['user']:'u-2'",
        })
      ).data,
    ).toHaveLength(1);
  });

  it("hold what was made in a span of time", async () => {
    await stripe.advance(1000);
    const { created } = await sdk.customers.create({});
    expect((await sdk.customers.list({ created: { gte: created }, limit: 100 })).data).toHaveLength(
      1,
    );
    expect((await sdk.customers.list({ created: { gt: created } })).data).toHaveLength(0);
  });
});

it("moves a lookup key to another price when asked to", async () => {
  const price = await sdk.prices.create({
    currency: "usd",
    product: "featured",
    unit_amount: 5900,
    lookup_key: "featured_monthly",
    transfer_lookup_key: true,
    recurring: { interval: "month" },
  });
  expect(
    (await sdk.prices.list({ lookup_keys: ["featured_monthly"] })).data.map(({ id }) => id),
  ).toEqual([price.id]);
  expect((await sdk.prices.retrieve(monthly!.id)).lookup_key).toBeNull();
});

it("shows a promotion code's coupon, and what a coupon is for, when asked to", async () => {
  const found = await sdk.promotionCodes.retrieve(code!.id, { expand: ["promotion.coupon"] });
  expect(found.promotion.coupon).toMatchObject({ id: "demo_half", percent_off: 50 });
  expect(await sdk.coupons.retrieve("featured_first_month")).not.toHaveProperty("applies_to");
  const coupon = await sdk.coupons.retrieve("featured_first_month", { expand: ["applies_to"] });
  expect(coupon.applies_to).toEqual({ products: ["featured"] });
});
