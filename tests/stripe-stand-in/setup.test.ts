/**
 * `npm run stripe:setup` sets up an account with what the dashboard sells, and prints what to
 * configure.
 */
import SDK from "stripe";
import { afterAll, describe, expect, it } from "vitest";

import { FIRST_MONTH_COUPON, PLANS } from "~/modules/billing/catalog";
import { setUpStripe, STRIPE_EVENTS } from "~/modules/billing/stripe-setup.server";

import { listenOnLoopback } from "../../local/listener";
import { LocalStripe } from "../../local/stripe/local-stripe";
import { runScript } from "../support/command";
import { sdkAddress } from "../support/stripe";

const webhookUrl = "https://dashboard.example.org/webhooks/stripe";

/** Starts an account that contains nothing. */
async function emptyAccount() {
  const secretKey = "sk_test_0123456789abcdef";
  const listener = await listenOnLoopback(
    0,
    async (request) => (await running.fetch(request)) ?? new Response(null, { status: 404 }),
  );
  const running = new LocalStripe({
    origin: listener.url,
    secretKey,
    send: async () => ({ status: 200, body: "" }),
  });
  afterAll(() => Promise.all([running.stop(), listener.close()]));
  const sdk = new SDK(secretKey, {
    ...sdkAddress(listener.url),
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
  return { sdk, account: running.account, contents, secretKey, url: listener.url };
}

describe("setting up an account", () => {
  it("creates what the pages show, under names that out no one", async () => {
    const { sdk, account } = await emptyAccount();
    const { done, webhookSecret } = await setUpStripe(sdk, { webhookUrl });
    expect(webhookSecret).toMatch(/^whsec_/);
    expect(done).toHaveLength(2 + PLANS.length + 4);
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
    const [limited, portal] = (await sdk.billingPortal.configurations.list()).data;
    expect(limited!.features.subscription_update.enabled).toBe(false);
    expect(portal!.features).toMatchObject({
      subscription_cancel: { enabled: true, mode: "at_period_end" },
      payment_method_update: { enabled: true },
    });
    // The reduced plan is only for people who say at the upgrade that it is for them.
    const reduced = (await sdk.prices.list({ lookup_keys: ["featured_monthly_reduced"] })).data[0]!;
    expect(JSON.stringify(portal!.features.subscription_update)).not.toContain(reduced.id);
    const stored = (["product", "price", "coupon"] as const).map((type) => account.store.all(type));
    // The ids of prices are random, and may spell anything.
    const named = JSON.stringify(stored).replaceAll(/"price_\w+"/g, '"price"');
    expect(named).toContain("featured_monthly_reduced");
    expect(named).not.toMatch(/queer|lgbt|gay|bipoc|color|black|indigenous/i);
  });

  it("changes nothing the second time, and does not return the signing secret again", async () => {
    const { sdk, contents } = await emptyAccount();
    await setUpStripe(sdk, { webhookUrl });
    const before = contents();
    const { done, webhookSecret } = await setUpStripe(sdk, { webhookUrl });
    expect(contents()).toEqual(before);
    expect(webhookSecret).toBeNull();
    expect(done.filter((line) => /: (created|replaced)/.test(line))).toEqual([]);
  });

  it("restores what someone changed, and keeps the old price for its subscribers", async () => {
    const { sdk, account } = await emptyAccount();
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
    expect(done).toContainEqual(expect.stringContaining("Price featured_monthly: replaced"));
    const [price] = (await sdk.prices.list({ lookup_keys: ["featured_monthly"], active: true }))
      .data;
    expect(price).toMatchObject({ unit_amount: 4900 });
    expect(account.get("price", old!.id)).toMatchObject({ unit_amount: 4900 });
    expect(await sdk.coupons.retrieve(FIRST_MONTH_COUPON)).toMatchObject({
      amount_off: 2000,
      duration: "once",
    });
    expect(await sdk.products.retrieve("job")).toMatchObject({ active: true, name: "Job listing" });
    expect((await sdk.webhookEndpoints.list()).data).toMatchObject([
      { status: "enabled", enabled_events: [...STRIPE_EVENTS] },
    ]);
  });

  it("reports a webhook endpoint of another API version", async () => {
    const { sdk } = await emptyAccount();
    await sdk.webhookEndpoints.create({ url: webhookUrl, enabled_events: ["invoice.paid"] });
    const { done } = await setUpStripe(sdk, { webhookUrl });
    expect(done).toContainEqual(
      expect.stringContaining(`Delete it at Stripe and run this again to use ${SDK.API_VERSION}`),
    );
  });
});

describe("the command", () => {
  it("prints the environment variables: the signing secret once, and never the key", async () => {
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
    [{ STRIPE_SECRET_KEY: "pk_test_1", APP_URL: "https://x.example" }, "is not a secret key"],
    [{ STRIPE_SECRET_KEY: "sk_test_1", APP_URL: "x.example" }, "APP_URL is missing"],
  ])("reports what is wrong with %o, and exits with 1", async (env, words) => {
    const { said, code } = await runScript("stripe-setup", [], env);
    expect(code).toBe(1);
    expect(said).toContain(words);
    expect(said).not.toMatch(/at .*\.ts:\d+/);
  });

  it("reports in one sentence that Stripe refuses the key", async () => {
    const { url } = await emptyAccount();
    const { said, code } = await runScript("stripe-setup", [], {
      STRIPE_SECRET_KEY: "sk_test_another",
      STRIPE_API_URL: url,
      APP_URL: "https://x.example",
    });
    expect(code).toBe(1);
    expect(said).toContain("Stripe did not accept it:");
    expect(said).not.toMatch(/sk_test_another|at .*\.ts:\d+/);
  });
});
