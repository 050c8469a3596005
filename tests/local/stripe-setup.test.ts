/** `npm run stripe:setup`: makes what the dashboard sells in an account, is safe to repeat, and prints what to configure. */
import SDK, { type Stripe } from "stripe";
import { afterAll, describe, expect, it } from "vitest";

import { FIRST_MONTH_COUPON, PLANS } from "~/modules/billing/catalog";
import { setUpStripe, STRIPE_EVENTS } from "~/modules/billing/stripe-setup.server";

import { listenOnLoopback } from "../../local/listener";
import { LocalStripe } from "../../local/stripe/stripe";
import { runScript } from "../support/command";
import { addressOf } from "../support/stripe";

const webhookUrl = "https://dashboard.example.org/webhooks/stripe";

/** An account with nothing in it. */
async function emptyAccount() {
  const secretKey = "sk_test_0123456789abcdef";
  const listener = await listenOnLoopback(
    0,
    async (request) => (await running.fetch(request)) ?? new Response(null, { status: 404 }),
  );
  const running = new LocalStripe({
    origin: listener.url,
    secretKey,
    send: async () => ({ status: 200, words: "" }),
  });
  afterAll(() => Promise.all([running.stop(), listener.close()]));
  const sdk = new SDK(secretKey, {
    ...addressOf(listener.url),
    telemetry: false,
    maxNetworkRetries: 0,
  });
  const contents = () =>
    (
      ["product", "price", "coupon", "billing_portal.configuration", "webhook_endpoint"] as const
    ).map((kind) =>
      running.account.store
        .all(kind)
        .map(({ id }: { id: string }) => id)
        .sort(),
    );
  return { sdk, contents, secretKey, url: listener.url };
}

const pricesOf = async (sdk: Stripe) => (await sdk.prices.list({ active: true, limit: 100 })).data;

describe("an account that is set up", () => {
  it("sells what the pages show, under names that out nobody", async () => {
    const { sdk } = await emptyAccount();
    const { done, webhookSecret } = await setUpStripe(sdk, { webhookUrl });
    expect(webhookSecret).toMatch(/^whsec_/);
    expect(done).toHaveLength(2 + PLANS.length + 3);
    for (const { lookupKey, cents, months } of PLANS) {
      const [price, ...others] = (await sdk.prices.list({ lookup_keys: [lookupKey], active: true }))
        .data;
      expect(others).toEqual([]);
      expect(price).toMatchObject({
        unit_amount: cents,
        currency: "usd",
        product: "featured",
        recurring: { interval: "month", interval_count: months },
      });
    }
    expect(await sdk.coupons.retrieve(FIRST_MONTH_COUPON)).toMatchObject({
      amount_off: 2000,
      currency: "usd",
      duration: "once",
    });
    const [endpoint] = (await sdk.webhookEndpoints.list()).data;
    expect(endpoint).toMatchObject({
      url: webhookUrl,
      status: "enabled",
      enabled_events: [...STRIPE_EVENTS],
      api_version: SDK.API_VERSION,
    });
    const [portal] = (await sdk.billingPortal.configurations.list()).data;
    expect(portal!.features).toMatchObject({
      subscription_cancel: { enabled: true, mode: "at_period_end" },
      payment_method_update: { enabled: true },
    });
    // Nobody comes to the reduced plan but by saying that it is theirs.
    const reduced = (await sdk.prices.list({ lookup_keys: ["featured_monthly_reduced"] })).data[0]!;
    expect(JSON.stringify(portal!.features.subscription_update)).not.toContain(reduced.id);
    const products = (await sdk.products.list({ limit: 100 })).data;
    expect(JSON.stringify([products, await pricesOf(sdk), await sdk.coupons.list()])).not.toMatch(
      /queer|lgbt|gay|bipoc|color|black|indigenous/i,
    );
  });

  it("is the same when it is set up again, and its signing secret is not told again", async () => {
    const { sdk, contents } = await emptyAccount();
    await setUpStripe(sdk, { webhookUrl });
    const before = contents();
    const { done, webhookSecret } = await setUpStripe(sdk, { webhookUrl });
    expect(contents()).toEqual(before);
    expect(webhookSecret).toBeNull();
    expect(done.filter((words) => /: made/.test(words))).toEqual([]);
  });

  it("is mended where somebody has changed it, and whoever pays an old price goes on with it", async () => {
    const { sdk } = await emptyAccount();
    await setUpStripe(sdk, { webhookUrl });
    const [old] = (await sdk.prices.list({ lookup_keys: ["featured_monthly"] })).data;
    await sdk.prices.create({
      product: "featured",
      lookup_key: "featured_monthly",
      transfer_lookup_key: true,
      currency: "usd",
      unit_amount: 100,
      recurring: { interval: "month" },
    });
    await sdk.coupons.del(FIRST_MONTH_COUPON);
    await sdk.coupons.create({ id: FIRST_MONTH_COUPON, percent_off: 100, duration: "forever" });
    await sdk.products.update("job", { active: false, name: "Queer job" });
    const [endpoint] = (await sdk.webhookEndpoints.list()).data;
    await sdk.webhookEndpoints.update(endpoint!.id, {
      disabled: true,
      enabled_events: ["invoice.paid"],
    });

    const { done } = await setUpStripe(sdk, { webhookUrl });
    expect(done).toContainEqual(expect.stringContaining("Price featured_monthly: made anew"));
    const [price] = (await sdk.prices.list({ lookup_keys: ["featured_monthly"], active: true }))
      .data;
    expect(price).toMatchObject({ unit_amount: 4900 });
    expect(await sdk.prices.retrieve(old!.id)).toMatchObject({ unit_amount: 4900 });
    expect(await sdk.coupons.retrieve(FIRST_MONTH_COUPON)).toMatchObject({
      amount_off: 2000,
      duration: "once",
    });
    expect(await sdk.products.retrieve("job")).toMatchObject({ active: true, name: "Job listing" });
    expect((await sdk.webhookEndpoints.list()).data).toMatchObject([
      { status: "enabled", enabled_events: [...STRIPE_EVENTS] },
    ]);
  });

  it("whose webhook speaks another version is told so", async () => {
    const { sdk } = await emptyAccount();
    await sdk.webhookEndpoints.create({ url: webhookUrl, enabled_events: ["invoice.paid"] });
    const { done } = await setUpStripe(sdk, { webhookUrl });
    expect(done).toContainEqual(
      expect.stringContaining(`delete it at Stripe and run this again, for ${SDK.API_VERSION}`),
    );
  });
});

describe("the command", () => {
  it("prints what to put into the environment: the secret once, and never the key", async () => {
    const { contents, secretKey, url } = await emptyAccount();
    const env = {
      STRIPE_SECRET_KEY: secretKey,
      STRIPE_API_URL: url,
      APP_URL: "https://dashboard.example.org",
    };
    const first = await runScript("stripe-setup", [], env);
    expect(first.code, first.said).toBe(0);
    expect(first.said).toMatch(
      /For the environment:\n\nSTRIPE_SECRET_KEY=.*\nSTRIPE_WEBHOOK_SECRET=whsec_\w+\n/,
    );
    expect(first.said).not.toContain(secretKey);
    const before = contents();
    const again = await runScript("stripe-setup", [], env);
    expect(again.code).toBe(0);
    expect(again.said).toContain("STRIPE_WEBHOOK_SECRET=   as it was");
    expect(contents()).toEqual(before);
  });

  it.each([
    [{ STRIPE_SECRET_KEY: "pk_test_1", APP_URL: "https://x.example" }, "is no secret key"],
    [{ STRIPE_SECRET_KEY: "sk_test_1", APP_URL: "x.example" }, "APP_URL is missing"],
  ])("says what is wrong with %o, and ends with 1", async (env, words) => {
    const { said, code } = await runScript("stripe-setup", [], env);
    expect(code).toBe(1);
    expect(said).toContain(words);
    expect(said).not.toMatch(/at .*\.ts:\d+/);
  });

  it("says in a sentence that Stripe does not take the key", async () => {
    const { url } = await emptyAccount();
    const { said, code } = await runScript("stripe-setup", [], {
      STRIPE_SECRET_KEY: "sk_test_another",
      STRIPE_API_URL: url,
      APP_URL: "https://x.example",
    });
    expect(code).toBe(1);
    expect(said).toContain("Stripe did not take it:");
    expect(said).not.toMatch(/sk_test_another|at .*\.ts:\d+/);
  });
});
