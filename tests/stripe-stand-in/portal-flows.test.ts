/** A portal session can be about one thing only: its pages show that, on that subscription. */
import type { Stripe } from "stripe";
import { beforeEach, describe, expect, it } from "vitest";

import { startTestStripe } from "../support/stripe";

const stripe = await startTestStripe("http://app.test", async () => ({ status: 200, body: "" }));
const { sdk } = stripe;
const { data: prices } = await sdk.prices.list({
  lookup_keys: ["featured_monthly", "featured_six_months"],
  active: true,
});
const monthly = prices.find(({ lookup_key }) => lookup_key === "featured_monthly")!;
const other = prices.find(({ id }) => id !== monthly.id)!;
const { data: configurations } = await sdk.billingPortal.configurations.list({ active: true });
const { id: configuration } = configurations.find(
  ({ features }) => features.subscription_update.enabled,
)!;
const bare = await sdk.billingPortal.configurations.create({
  features: { invoice_history: { enabled: true } },
});

type Flow = Stripe.BillingPortal.SessionCreateParams.FlowData;

let customer: string;
let subscription: string;
let second: string;
beforeEach(async () => {
  customer = (await sdk.customers.create({ email: "owner@example.test" })).id;
  subscription = await subscribe("Fern & Flour");
  second = await subscribe("Bright Side Electric");
});

async function subscribe(description: string): Promise<string> {
  const session = await sdk.checkout.sessions.create({
    mode: "subscription",
    customer,
    success_url: "http://app.test/",
    line_items: [{ price: monthly.id, quantity: 1 }],
    subscription_data: { description },
  });
  await stripe.pay(session.url!);
  return stripe.session(session.id).subscription as string;
}

const open = (flow_data?: Flow, changes: object = {}) =>
  sdk.billingPortal.sessions.create({
    customer,
    configuration,
    return_url: "http://app.test/back",
    ...(flow_data ? { flow_data } : {}),
    ...changes,
  });
const read = async (url: string): Promise<string> => (await fetch(url)).text();
const send = (url: string, fields: Record<string, string> = {}): Promise<Response> =>
  fetch(url, { method: "POST", body: new URLSearchParams(fields), redirect: "manual" });

const cancel = (
  after_completion?: Stripe.BillingPortal.SessionCreateParams.FlowData.AfterCompletion,
): Flow => ({
  type: "subscription_cancel",
  subscription_cancel: { subscription },
  ...(after_completion ? { after_completion } : {}),
});

describe("a portal session", () => {
  it("without a flow shows all plans by their description", async () => {
    const session = await open();
    expect(session.flow).toBeNull();
    const page = await read(session.url);
    expect(page).toContain("Fern &amp; Flour");
    expect(page).toContain("Bright Side Electric");
  });

  it("to cancel shows that plan alone, and leads back", async () => {
    const session = await open(
      cancel({ type: "redirect", redirect: { return_url: "http://app.test/canceled" } }),
    );
    expect(session.flow).toMatchObject({
      type: "subscription_cancel",
      subscription_cancel: { subscription },
      after_completion: { type: "redirect", redirect: { return_url: "http://app.test/canceled" } },
    });
    const page = await read(session.url);
    expect(page).toContain("Cancel Fern &amp; Flour");
    expect(page).not.toContain("Bright Side Electric");
    expect(page).not.toContain("Payment method");
    const path = session.url.split("?")[0]!;
    expect(await (await send(`${path}/cancel?subscription=${second}`)).text()).toContain(
      "doesn’t offer that",
    );
    expect(stripe.subscription(second).cancel_at).toBeNull();
    const response = await send(`${path}/cancel?subscription=${subscription}`);
    expect(response.headers.get("location")).toBe("http://app.test/canceled");
    expect(stripe.subscription(subscription).cancel_at).not.toBeNull();
    expect(await read(session.url)).toContain("Ends on");
  });

  it("to fix the card confirms it with our words", async () => {
    await stripe.renew(subscription, "declined");
    const session = await open({
      type: "payment_method_update",
      after_completion: {
        type: "hosted_confirmation",
        hosted_confirmation: { custom_message: "Thanks, your card is updated." },
      },
    });
    expect(await read(session.url)).not.toContain("Cancel plan");
    const response = await send(`${session.url}/change-card`, { card: "ok" });
    const page = await read(new URL(response.headers.get("location")!, session.url).href);
    expect(page).toContain("Thanks, your card is updated.");
    expect(page).toContain("http://app.test/back");
  });

  it("to change the plan goes on to the whole portal", async () => {
    const session = await open({
      type: "subscription_update",
      subscription_update: { subscription },
    });
    expect(session.flow).toMatchObject({ after_completion: { type: "portal_homepage" } });
    expect(await read(session.url)).not.toContain("Bright Side Electric");
    const response = await send(`${session.url}/change-plan?subscription=${subscription}`, {
      price: other.id,
    });
    expect(stripe.subscription(subscription).items.data[0]!.price.id).toBe(other.id);
    const page = await read(new URL(response.headers.get("location")!, session.url).href);
    expect(page).toContain("Bright Side Electric");
  });

  interface Refusal {
    what: string;
    ask: () => Promise<unknown>;
    refusal: object;
  }
  const REFUSED: Refusal[] = [
    {
      what: "a type that does not exist",
      ask: () => open({ type: "subscription_gift" }),
      refusal: { param: "flow_data[type]" },
    },
    {
      what: "no subscription",
      ask: () => open({ type: "subscription_cancel" }),
      refusal: { code: "parameter_missing", param: "flow_data[subscription_cancel]" },
    },
    {
      what: "the parameters of another type",
      ask: () => open({ ...cancel(), type: "payment_method_update" }),
      refusal: { param: "flow_data[subscription_cancel]" },
    },
    {
      what: "someone else’s subscription",
      ask: async () => open(cancel(), { customer: (await sdk.customers.create({})).id }),
      refusal: {
        code: "resource_missing",
        param: "flow_data[subscription_cancel][subscription]",
      },
    },
    {
      what: "a plan that is canceled already",
      ask: async () => {
        await sdk.subscriptions.update(subscription, { cancel_at_period_end: true });
        return open(cancel());
      },
      refusal: { param: "flow_data[subscription_cancel][subscription]" },
    },
    {
      what: "a plan that has ended",
      ask: async () => {
        await sdk.subscriptions.cancel(subscription);
        return open({ type: "subscription_update", subscription_update: { subscription } });
      },
      refusal: { param: "flow_data[subscription_update][subscription]" },
    },
    {
      what: "what the configuration turns off",
      ask: () => open({ type: "payment_method_update" }, { configuration: bare.id }),
      refusal: { param: "flow_data[type]" },
    },
    {
      what: "a redirect to nowhere",
      ask: () => open(cancel({ type: "redirect" })),
      refusal: { code: "parameter_missing", param: "flow_data[after_completion][redirect]" },
    },
  ];
  it.each(REFUSED)("is refused for $what", async ({ ask, refusal }) => {
    await expect(ask()).rejects.toMatchObject({ statusCode: 400, ...refusal });
  });
});

describe("a subscription", () => {
  it("is canceled at the end of its period, and not anymore", async () => {
    const end = stripe.subscription(subscription).items.data[0]!.current_period_end;
    expect(
      await sdk.subscriptions.update(subscription, { cancel_at_period_end: true }),
    ).toMatchObject({
      cancel_at_period_end: true,
      cancel_at: end,
      cancellation_details: { reason: "cancellation_requested" },
      status: "active",
    });
    expect(
      await sdk.subscriptions.update(subscription, { cancel_at_period_end: false }),
    ).toMatchObject({ cancel_at_period_end: false, cancel_at: null, canceled_at: null });
    const { data } = stripe.events("customer.subscription.updated").at(-1)!;
    expect(data.previous_attributes).toMatchObject({ cancel_at_period_end: true, cancel_at: end });
  });

  it("keeps the date at which it ends when only the end of its period is taken back", async () => {
    await stripe.cancelAtPeriodEnd(subscription);
    const { cancel_at: date } = stripe.subscription(subscription);
    const change = (params: Stripe.SubscriptionUpdateParams) =>
      sdk.subscriptions.update(subscription, params);
    expect(await change({ cancel_at_period_end: false })).toMatchObject({ cancel_at: date });
    await expect(change({ cancel_at_period_end: false, cancel_at: "" })).rejects.toThrow(
      "Please pass in only one.",
    );
    expect(await change({ cancel_at: "" })).toMatchObject({ cancel_at: null, canceled_at: null });
  });

  it("gets another description and metadata, and no more once it has ended", async () => {
    await sdk.subscriptions.update(subscription, { metadata: { order: "1", note: "x" } });
    expect(
      await sdk.subscriptions.update(subscription, {
        description: "Fern & Flour Bakery",
        metadata: { note: "" },
      }),
    ).toMatchObject({ description: "Fern & Flour Bakery", metadata: { order: "1" } });
    expect(await sdk.subscriptions.update(subscription, { description: "" })).toMatchObject({
      description: null,
    });
    await sdk.subscriptions.cancel(subscription);
    await expect(
      sdk.subscriptions.update(subscription, { cancel_at_period_end: true }),
    ).rejects.toThrow("can only update");
    await sdk.subscriptions.update(subscription, { metadata: { order: "2" } });
  });
});
