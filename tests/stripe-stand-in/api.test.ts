/** The stand-in refuses what Stripe refuses, so that code that passes here passes there. */
import SDK, { type Stripe } from "stripe";
import { describe, expect, it } from "vitest";

import { sdkAddress, startTestStripe } from "../support/stripe";

const stripe = await startTestStripe("http://app.test", async () => ({ status: 200, body: "" }));
const { sdk } = stripe;

const now = (): number => Math.floor(Date.now() / 1000);
const customer = await sdk.customers.create({ email: "owner@example.test" });
const {
  data: [monthly],
} = await sdk.prices.list({ lookup_keys: ["featured_monthly"] });
const inactive = await sdk.prices.create({ currency: "usd", unit_amount: 700, product: "job" });
await sdk.prices.update(inactive.id, { active: false });

const item = { quantity: 1, price_data: { currency: "usd", unit_amount: 500, product: "job" } };
const payment: Stripe.Checkout.SessionCreateParams = {
  mode: "payment",
  customer: customer.id,
  success_url: "http://app.test/jobs",
  line_items: [item],
};
const subscription: Stripe.Checkout.SessionCreateParams = {
  mode: "subscription",
  customer: customer.id,
  success_url: "http://app.test/upgrade",
  line_items: [{ price: monthly!.id, quantity: 1 }],
};

/** Creates a checkout with parameters that the SDK's types may not allow. */
const checkout = (...changes: object[]): Promise<unknown> =>
  sdk.checkout.sessions.create(
    Object.assign({}, ...changes) as Stripe.Checkout.SessionCreateParams,
  );

async function paidIntent(): Promise<string> {
  const session = await sdk.checkout.sessions.create(payment);
  await stripe.pay(session.url!);
  return stripe.session(session.id).payment_intent as string;
}

async function canceledSubscription(): Promise<string> {
  const session = await sdk.checkout.sessions.create(subscription);
  await stripe.pay(session.url!);
  const id = stripe.session(session.id).subscription as string;
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
  {
    what: "an unknown parameter",
    ask: () => checkout(payment, { price: 500 }),
    code: "parameter_unknown",
    param: "price",
  },
  {
    what: "payment_method_types, which this API version no longer has",
    ask: () => checkout(payment, { payment_method_types: ["card"] }),
    code: "parameter_unknown",
    param: "payment_method_types",
  },
  {
    what: "an unknown nested parameter",
    ask: () =>
      checkout(payment, { line_items: [{ ...item, price_data: { ...item.price_data, cost: 1 } }] }),
    code: "parameter_unknown",
    param: "line_items[0][price_data][cost]",
  },
  {
    what: "a checkout without a mode",
    ask: () => checkout(payment, { mode: undefined }),
    code: "parameter_missing",
    param: "mode",
  },
  {
    what: "a checkout without a success URL",
    ask: () => checkout(payment, { success_url: undefined }),
    code: "parameter_missing",
    param: "success_url",
  },
  {
    what: "a success URL that is a path",
    ask: () => checkout(payment, { success_url: "/jobs" }),
    code: "url_invalid",
    param: "success_url",
  },
  {
    what: "a checkout without items",
    ask: () => checkout(payment, { line_items: [] }),
    code: "parameter_missing",
    param: "line_items",
  },
  {
    what: "an item without a quantity",
    ask: () => checkout(payment, { line_items: [{ price_data: item.price_data }] }),
    code: "parameter_missing",
    param: "line_items[0][quantity]",
  },
  {
    what: "a quantity of zero",
    ask: () => checkout(payment, { line_items: [{ ...item, quantity: 0 }] }),
    param: "line_items[0][quantity]",
  },
  {
    what: "an item with both price and price_data",
    ask: () => checkout(subscription, { line_items: [{ ...item, price: monthly!.id }] }),
    says: /only specify one of these parameters/,
  },
  {
    what: "a fractional amount",
    ask: () =>
      checkout(payment, {
        line_items: [{ ...item, price_data: { ...item.price_data, unit_amount: 4500.5 } }],
      }),
    code: "parameter_invalid_integer",
  },
  {
    what: "a negative amount",
    ask: () =>
      checkout(payment, {
        line_items: [{ ...item, price_data: { ...item.price_data, unit_amount: -4500 } }],
      }),
    code: "parameter_invalid_integer",
  },
  {
    what: "a total of less than half a dollar",
    ask: () =>
      checkout(payment, {
        line_items: [{ ...item, price_data: { ...item.price_data, unit_amount: 49 } }],
      }),
    code: "amount_too_small",
  },
  {
    what: "a total of more than a million dollars",
    ask: () =>
      checkout(payment, {
        line_items: [
          { ...item, quantity: 3, price_data: { ...item.price_data, unit_amount: 50_000_000 } },
        ],
      }),
    code: "amount_too_large",
  },
  {
    what: "a product that does not exist",
    ask: () =>
      checkout(payment, {
        line_items: [{ ...item, price_data: { ...item.price_data, product: "gone" } }],
      }),
    code: "resource_missing",
    param: "line_items[0][price_data][product]",
    status: 400,
  },
  {
    what: "a price that does not exist",
    ask: () => checkout(subscription, { line_items: [{ price: "price_gone", quantity: 1 }] }),
    code: "resource_missing",
    param: "line_items[0][price]",
    status: 400,
  },
  {
    what: "an inactive price",
    ask: () => checkout(payment, { line_items: [{ price: inactive.id, quantity: 1 }] }),
    says: /inactive/,
    param: "line_items[0][price]",
  },
  {
    what: "a recurring price in payment mode",
    ask: () => checkout(subscription, { mode: "payment" }),
    says: /recurring price/,
  },
  {
    what: "a one-time price in subscription mode",
    ask: () => checkout(payment, { mode: "subscription" }),
    says: /at least one recurring price/,
  },
  {
    what: "subscription_data in payment mode",
    ask: () => checkout(payment, { subscription_data: { metadata: { a: "b" } } }),
    param: "subscription_data",
  },
  {
    what: "payment_intent_data in subscription mode",
    ask: () => checkout(subscription, { payment_intent_data: { metadata: { a: "b" } } }),
    param: "payment_intent_data",
  },
  {
    what: "a customer who does not exist",
    ask: () => checkout(payment, { customer: "cus_gone" }),
    code: "resource_missing",
    param: "customer",
    status: 400,
  },
  {
    what: "discounts together with promotion codes",
    ask: () =>
      checkout(subscription, {
        discounts: [{ coupon: "featured_first_month" }],
        allow_promotion_codes: true,
      }),
    says: /allow_promotion_codes, discounts/,
  },
  {
    what: "two discounts",
    ask: () =>
      checkout(subscription, {
        discounts: [{ coupon: "featured_first_month" }, { coupon: "demo_half" }],
      }),
    param: "discounts",
  },
  {
    what: "a coupon that does not exist",
    ask: () => checkout(subscription, { discounts: [{ coupon: "gone" }] }),
    code: "resource_missing",
    param: "discounts[0][coupon]",
  },
  {
    what: "a coupon that applies to another product",
    ask: () => checkout(payment, { discounts: [{ coupon: "featured_first_month" }] }),
    code: "coupon_applies_to_nothing",
  },
  {
    what: "an expiry in 28 minutes",
    ask: () => checkout(payment, { expires_at: now() + 28 * 60 }),
    param: "expires_at",
    says: /at least 30 minutes/,
  },
  {
    what: "an expiry in 25 hours",
    ask: () => checkout(payment, { expires_at: now() + 25 * 3600 }),
    param: "expires_at",
    says: /less than 24 hours/,
  },
  {
    what: "a reference of 201 characters",
    ask: () => checkout(payment, { client_reference_id: "x".repeat(201) }),
    param: "client_reference_id",
  },
  {
    what: "a metadata key of 41 characters",
    ask: () => checkout(payment, { metadata: { ["k".repeat(41)]: "v" } }),
    says: /up to 40 characters/,
  },
  {
    what: "a metadata value of 501 characters",
    ask: () => checkout(payment, { metadata: { k: "v".repeat(501) } }),
    says: /up to 500 characters/,
  },
  {
    what: "51 metadata keys",
    ask: () =>
      checkout(payment, {
        metadata: Object.fromEntries(Array.from({ length: 51 }, (_, at) => [`k${at}`, "v"])),
      }),
    param: "metadata",
  },
  {
    what: "an empty text",
    ask: () => checkout(payment, { client_reference_id: "" }),
    code: "parameter_invalid_empty",
  },
  {
    what: "a checkout session that does not exist",
    ask: () => sdk.checkout.sessions.retrieve("cs_test_gone"),
    code: "resource_missing",
    status: 404,
  },
  {
    what: "expanding a field that is no object",
    ask: () => sdk.customers.retrieve(customer.id, { expand: ["email"] }),
    says: /cannot be expanded \(email\)/,
  },
  {
    what: "expanding five levels",
    ask: () =>
      sdk.invoicePayments.list({
        invoice: "in_any",
        expand: ["data.payment.payment_intent.latest_charge.refunds"],
      }),
    says: /more than 4 levels/,
  },
  {
    what: "expiring a completed checkout",
    ask: async () => {
      const session = await sdk.checkout.sessions.create(payment);
      await stripe.pay(session.url!);
      return sdk.checkout.sessions.expire(session.id);
    },
    says: /status of `complete`/,
  },
  {
    what: "expiring a checkout twice",
    ask: async () => {
      const session = await sdk.checkout.sessions.create(payment);
      await sdk.checkout.sessions.expire(session.id);
      return sdk.checkout.sessions.expire(session.id);
    },
    says: /status of `expired`/,
  },
  {
    what: "a product id that is taken",
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
    what: "changing the amount of a price",
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
    what: "a coupon id that is taken",
    ask: () => sdk.coupons.create({ id: "demo_half", percent_off: 50 }),
    code: "resource_already_exists",
  },
  {
    what: "a coupon with both an amount and a percentage",
    ask: () => sdk.coupons.create({ amount_off: 1, percent_off: 50, currency: "usd" }),
    says: /only specify one/,
  },
  {
    what: "a coupon amount without a currency",
    ask: () => sdk.coupons.create({ amount_off: 100 }),
    code: "parameter_missing",
    param: "currency",
  },
  {
    what: "a promotion code that is taken, in another case",
    ask: () =>
      sdk.promotionCodes.create({
        code: "rainbow50",
        promotion: { type: "coupon", coupon: "demo_half" },
      }),
    param: "code",
  },
  {
    what: "refunding a payment twice",
    ask: async () => {
      const payment_intent = await paidIntent();
      await sdk.refunds.create({ payment_intent });
      return sdk.refunds.create({ payment_intent });
    },
    code: "charge_already_refunded",
  },
  {
    what: "refunding a disputed payment",
    ask: async () => {
      const payment_intent = await paidIntent();
      await stripe.dispute(payment_intent);
      return sdk.refunds.create({ payment_intent });
    },
    code: "charge_disputed",
  },
  {
    what: "canceling a canceled subscription",
    ask: async () => sdk.subscriptions.cancel(await canceledSubscription()),
    code: "resource_missing",
    status: 404,
  },
  {
    what: "a portal session without a configuration",
    ask: () =>
      sdk.billingPortal.sessions.create({ customer: customer.id, return_url: "http://app.test/" }),
    says: /No configuration provided/,
  },
  {
    what: "a portal session of a customer who does not exist",
    ask: () =>
      sdk.billingPortal.sessions.create({ customer: "cus_gone", return_url: "http://app.test/" }),
    code: "resource_missing",
    param: "customer",
    status: 400,
  },
  {
    what: "a deleted customer",
    ask: async () => {
      const gone = await sdk.customers.create({});
      await sdk.customers.del(gone.id);
      return checkout(payment, { customer: gone.id });
    },
    code: "resource_missing",
    status: 400,
  },
  { what: "a page of 101 items", ask: () => sdk.customers.list({ limit: 101 }), param: "limit" },
  {
    what: "a page after an item that does not exist",
    ask: () => sdk.customers.list({ starting_after: "cus_gone" }),
    code: "resource_missing",
    param: "starting_after",
  },
  {
    what: "a URL that it does not have",
    ask: () => sdk.rawRequest("GET", "/v1/nonsense"),
    status: 404,
    says: /Unrecognized request URL/,
  },
];

describe("the API refuses", () => {
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

  it("another API key", async () => {
    const stranger = new SDK("sk_test_of_another", { ...sdkAddress(stripe.url), telemetry: false });
    await expect(stranger.customers.list()).rejects.toMatchObject({
      type: "StripeAuthenticationError",
      statusCode: 401,
    });
  });

  it("another API version", async () => {
    const older = new SDK(stripe.secretKey, {
      ...sdkAddress(stripe.url),
      telemetry: false,
      apiVersion: "2023-10-16" as never,
    });
    await expect(older.customers.list()).rejects.toThrow(/speaks 2026-10-28\.endive/);
  });

  it("a whole request: nothing that it began remains", async () => {
    const before = stripe.account.store.all("price").length;
    await expect(
      checkout(payment, {
        line_items: [{ ...item, price_data: { ...item.price_data, unit_amount: 49 } }],
      }),
    ).rejects.toThrow();
    expect(stripe.account.store.all("price")).toHaveLength(before);
  });
});

describe("an idempotency key", () => {
  it("returns the first response to a repeated request", async () => {
    const idempotencyKey = "order-1-attempt-1";
    const first = await sdk.checkout.sessions.create(payment, { idempotencyKey });
    const second = await sdk.checkout.sessions.create(payment, { idempotencyKey });
    expect(second.id).toBe(first.id);
    expect(
      [first, second].map(({ lastResponse }) => lastResponse.headers["idempotent-replayed"]),
    ).toEqual([undefined, "true"]);
    expect(second.lastResponse.headers["original-request"]).toBe(first.lastResponse.requestId);
  });

  it("refuses another request", async () => {
    const idempotencyKey = "order-2-attempt-1";
    await sdk.checkout.sessions.create(payment, { idempotencyKey });
    await expect(
      sdk.checkout.sessions.create({ ...payment, client_reference_id: "x" }, { idempotencyKey }),
    ).rejects.toMatchObject({
      type: "StripeIdempotencyError",
      statusCode: 400,
    });
  });

  it("can be used again after a refusal, and after a day", async () => {
    const idempotencyKey = "order-3-attempt-1";
    await expect(sdk.customers.create({ email: "none" }, { idempotencyKey })).rejects.toThrow();
    const first = await sdk.customers.create({ email: "a@example.test" }, { idempotencyKey });
    await stripe.advanceClock(25 * 3_600_000);
    const second = await sdk.customers.create({ email: "a@example.test" }, { idempotencyKey });
    expect(second.id).not.toBe(first.id);
  });
});

it("returns lists in pages, newest first, to the last one", async () => {
  const created: string[] = [];
  for (let count = 0; count < 5; count += 1)
    created.unshift((await sdk.customers.create({ email: "many@example.test" })).id);
  const first = await sdk.customers.list({ limit: 2 });
  expect([first.data.map(({ id }) => id), first.has_more]).toEqual([created.slice(0, 2), true]);
  const all: string[] = [];
  for await (const { id } of sdk.customers.list({ limit: 2 })) all.push(id);
  expect(all.slice(0, 5)).toEqual(created);
  expect(all.at(-1)).toBe(customer.id);
});

it("lists the checkouts that were created after a time", async () => {
  await stripe.advanceClock(1000);
  const { id, created } = await sdk.checkout.sessions.create(payment);
  const ids = async (gte: number) =>
    (await sdk.checkout.sessions.list({ created: { gte } })).data.map((session) => session.id);
  expect(await ids(created)).toEqual([id]);
  expect(await ids(created + 1)).toEqual([]);
});

it("transfers a lookup key to another price", async () => {
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
  expect(stripe.account.get("price", monthly!.id).lookup_key).toBeNull();
});

it("returns the products of a coupon only when they are expanded", async () => {
  expect(await sdk.coupons.retrieve("featured_first_month")).not.toHaveProperty("applies_to");
  const coupon = await sdk.coupons.retrieve("featured_first_month", { expand: ["applies_to"] });
  expect(coupon.applies_to).toEqual({ products: ["featured"] });
});
