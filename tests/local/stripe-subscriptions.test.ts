import fc from "fast-check";
import type { Stripe } from "stripe";
import { afterEach, describe, expect, it } from "vitest";

import { after, nextEnd } from "../../local/stripe/interval";
import { startTestStripe, type PayOptions } from "../support/stripe";

const stripe = await startTestStripe("http://app.test", async () => ({ status: 200, words: "" }));
const { sdk } = stripe;
afterEach(() => stripe.afterRetries("cancel"));

const DAY_MS = 86_400_000;
const prices = new Map(
  (await sdk.prices.list({ product: "featured" })).data.map((price) => [
    price.lookup_key,
    price.id,
  ]),
);

async function subscribe(
  lookupKey = "featured_monthly",
  options: PayOptions = {},
): Promise<string> {
  const customer = await sdk.customers.create({ email: "owner@example.test" });
  const session = await sdk.checkout.sessions.create({
    mode: "subscription",
    customer: customer.id,
    line_items: [{ price: prices.get(lookupKey)!, quantity: 1 }],
    subscription_data: { metadata: { order: "order-1" } },
    success_url: "http://app.test/upgrade",
  });
  await stripe.pay(session.url!, options);
  return (await sdk.checkout.sessions.retrieve(session.id)).subscription as string;
}

const invoicesOf = async (subscription: string): Promise<Stripe.Invoice[]> =>
  (await sdk.invoices.list({ subscription })).data;
const periodOf = ({
  items: {
    data: [item],
  },
}: Stripe.Subscription) => [item!.current_period_start, item!.current_period_end] as const;
/** What the app was told of a subscription, and the state that it was told. */
const toldOf = (id: string): string[] =>
  stripe.events("customer.subscription").flatMap((event) => {
    const { id: about, status } = event.data.object as Stripe.Subscription;
    return about === id ? [`${event.type.split(".").at(-1)} ${status}`] : [];
  });
const daysLeft = (id: string): number =>
  (periodOf(stripe.subscription(id))[1] * 1000 - stripe.account.nowMs) / DAY_MS;

describe("a plan", () => {
  it("renews at the end of each period, and is paid an hour later", async () => {
    const id = await subscribe();
    const [, end] = periodOf(await sdk.subscriptions.retrieve(id));
    await stripe.advance(end * 1000 - stripe.account.nowMs);
    const renewed = await sdk.subscriptions.retrieve(id, { expand: ["latest_invoice"] });
    expect(renewed.latest_invoice).toMatchObject({
      status: "draft",
      billing_reason: "subscription_cycle",
      amount_due: 4900,
    });
    expect(periodOf(renewed)[0]).toBe(end);
    await stripe.advance(3_600_000);
    expect((await invoicesOf(id)).map(({ status, amount_paid }) => [status, amount_paid])).toEqual([
      ["paid", 4900],
      ["paid", 4900],
    ]);
    expect(toldOf(id)).toEqual(["created incomplete", "updated active", "updated active"]);
  });

  it("of six months renews after six months", async () => {
    const id = await subscribe("featured_six_months");
    expect(daysLeft(id)).toBeGreaterThan(180);
    await stripe.advance(170 * DAY_MS);
    expect(await invoicesOf(id)).toHaveLength(1);
    await stripe.advance(15 * DAY_MS);
    expect((await invoicesOf(id)).map(({ amount_paid }) => amount_paid)).toEqual([21600, 21600]);
  });

  it("whose card is declined is past due, tried again, and ends", async () => {
    const id = await subscribe("featured_monthly", { card: "fails_later" });
    await stripe.advance(32 * DAY_MS);
    expect(await sdk.subscriptions.retrieve(id)).toMatchObject({ status: "past_due" });
    const [failed] = await invoicesOf(id);
    expect(failed).toMatchObject({
      status: "open",
      attempted: true,
      attempt_count: 1,
      hosted_invoice_url: expect.stringContaining("/i/in_"),
    });
    expect(failed!.next_payment_attempt).toBe(
      failed!.status_transitions.finalized_at! + 3 * 86_400,
    );
    await stripe.advance(10 * DAY_MS);
    expect(await sdk.subscriptions.retrieve(id)).toMatchObject({
      status: "canceled",
      cancellation_details: { reason: "payment_failed" },
    });
    expect((await invoicesOf(id))[0]).toMatchObject({
      status: "open",
      attempt_count: 4,
      next_payment_attempt: null,
    });
    expect(toldOf(id).slice(-2)).toEqual(["updated past_due", "deleted canceled"]);
  });

  it("stays unpaid after the last try where the account says so, and comes back when it is paid", async () => {
    stripe.afterRetries("unpaid");
    const id = await subscribe("featured_six_months", { card: "fails_later" });
    await stripe.advance(200 * DAY_MS);
    expect(await sdk.subscriptions.retrieve(id)).toMatchObject({ status: "unpaid" });
    await stripe.mendCard(id);
    expect(await sdk.subscriptions.retrieve(id)).toMatchObject({ status: "active" });
    expect((await invoicesOf(id)).every(({ status }) => status === "paid")).toBe(true);
  });

  it("past due is active again once the card is mended", async () => {
    const id = await subscribe();
    await stripe.renew(id, "declined");
    expect(await sdk.subscriptions.retrieve(id)).toMatchObject({ status: "past_due" });
    await stripe.mendCard(id);
    expect(await sdk.subscriptions.retrieve(id)).toMatchObject({ status: "active" });
    expect(toldOf(id).slice(-3)).toEqual([
      "updated past_due",
      "updated past_due",
      "updated active",
    ]);
  });

  it("canceled in the portal ends with its period, told by its date alone", async () => {
    const id = await subscribe();
    const [, end] = periodOf(stripe.subscription(id));
    await stripe.cancelAtPeriodEnd(id);
    expect(await sdk.subscriptions.retrieve(id)).toMatchObject({
      status: "active",
      cancel_at: end,
      cancel_at_period_end: false,
      cancellation_details: { reason: "cancellation_requested" },
    });
    await stripe.resume(id);
    expect(await sdk.subscriptions.retrieve(id)).toMatchObject({
      cancel_at: null,
      canceled_at: null,
    });
    await stripe.cancelAtPeriodEnd(id);
    await stripe.advance(32 * DAY_MS);
    expect(await sdk.subscriptions.retrieve(id)).toMatchObject({
      status: "canceled",
      ended_at: end,
    });
    expect(await invoicesOf(id)).toHaveLength(1);
  });

  it("canceled through the API ends with its period, too, or at once", async () => {
    const [later, now] = [await subscribe(), await subscribe()];
    const updated = await sdk.subscriptions.update(later, { cancel_at_period_end: true });
    expect(updated).toMatchObject({
      cancel_at_period_end: true,
      cancel_at: periodOf(updated)[1],
      status: "active",
    });
    expect(await sdk.subscriptions.update(later, { cancel_at_period_end: false })).toMatchObject({
      cancel_at: null,
      cancel_at_period_end: false,
    });
    expect(
      await sdk.subscriptions.update(later, { cancel_at: periodOf(updated)[1] + 5 }),
    ).toMatchObject({ cancel_at_period_end: false });
    expect(await sdk.subscriptions.cancel(now)).toMatchObject({ status: "canceled" });
  });

  it("ends with its customer", async () => {
    const id = await subscribe();
    await sdk.customers.del(stripe.subscription(id).customer as string);
    expect(await sdk.subscriptions.retrieve(id)).toMatchObject({ status: "canceled" });
    expect(toldOf(id).at(-1)).toBe("deleted canceled");
  });

  it("is listed unless it is canceled, or with all", async () => {
    const [id, gone] = [await subscribe(), await subscribe()];
    await stripe.endNow(gone);
    const ids = async (params: Stripe.SubscriptionListParams) =>
      (await sdk.subscriptions.list({ limit: 100, ...params })).data.map((one) => one.id);
    expect(await ids({})).toContain(id);
    expect(await ids({})).not.toContain(gone);
    expect(await ids({ status: "all" })).toEqual(expect.arrayContaining([id, gone]));
    expect(
      await ids({ customer: stripe.subscription(gone).customer as string, status: "canceled" }),
    ).toEqual([gone]);
    expect(await ids({ price: prices.get("featured_six_months")! })).not.toContain(id);
  });
});

describe("a change of plan", () => {
  it("with another interval begins a new period now, and is billed now", async () => {
    const id = await subscribe();
    await stripe.changePlan(id, "featured_six_months");
    const changed = await sdk.subscriptions.retrieve(id);
    expect(changed.items.data[0]!.price.lookup_key).toBe("featured_six_months");
    expect(daysLeft(id)).toBeGreaterThan(180);
    expect((await invoicesOf(id))[0]).toMatchObject({
      status: "paid",
      amount_paid: 21600,
      billing_reason: "subscription_update",
    });
  });

  it("credits what is left of the old plan, on the invoice or to the customer", async () => {
    const id = await subscribe("featured_twelve_months");
    const item = stripe.subscription(id).items.data[0]!.id;
    await sdk.subscriptions.update(id, {
      items: [{ id: item, price: prices.get("featured_monthly")! }],
      proration_behavior: "always_invoice",
    });
    const [bill] = await invoicesOf(id);
    expect(
      bill!.lines.data.map(({ amount, parent }) => [
        amount,
        parent!.subscription_item_details!.proration,
      ]),
    ).toEqual([
      [-40800, true],
      [4900, false],
    ]);
    expect(bill).toMatchObject({ status: "paid", total: -35900, amount_due: 0 });
    const customer = (await sdk.customers.retrieve(
      stripe.subscription(id).customer as string,
    )) as Stripe.Customer;
    expect(customer.balance).toBe(-35900);
    await stripe.renew(id);
    expect((await invoicesOf(id))[0]).toMatchObject({
      amount_due: 0,
      starting_balance: -35900,
      ending_balance: -31000,
    });
  });

  it("with the same interval keeps its period, and adds the difference to the next invoice", async () => {
    const id = await subscribe("featured_monthly_reduced");
    const period = periodOf(stripe.subscription(id));
    const item = stripe.subscription(id).items.data[0]!.id;
    await sdk.subscriptions.update(id, {
      items: [{ id: item, price: prices.get("featured_monthly")! }],
    });
    expect(periodOf(stripe.subscription(id))).toEqual(period);
    expect(await invoicesOf(id)).toHaveLength(1);
    await stripe.renew(id);
    expect((await invoicesOf(id))[0]!.lines.data.map(({ amount }) => amount)).toEqual([
      -2900, 4900, 4900,
    ]);
  });
});

describe("the portal", async () => {
  const configuration = await sdk.billingPortal.configurations.create({
    features: {
      invoice_history: { enabled: true },
      payment_method_update: { enabled: true },
      subscription_cancel: { enabled: true, mode: "at_period_end" },
      subscription_update: {
        enabled: true,
        default_allowed_updates: ["price"],
        proration_behavior: "none",
        products: [
          {
            product: "featured",
            prices: [prices.get("featured_monthly")!, prices.get("featured_six_months")!],
          },
        ],
      },
    },
  });
  async function open(id: string, more: Partial<Stripe.BillingPortal.SessionCreateParams> = {}) {
    const { url } = await sdk.billingPortal.sessions.create({
      customer: stripe.subscription(id).customer as string,
      configuration: configuration.id,
      return_url: "http://app.test/",
      ...more,
    });
    const press = (path: string, fields = {}) =>
      fetch(`${url}/${path}`, {
        method: "POST",
        body: new URLSearchParams(fields),
        redirect: "manual",
      });
    return { page: async (query = "") => (await fetch(`${url}${query}`)).text(), press };
  }

  it("cancels, after asking, and takes it back", async () => {
    const id = await subscribe();
    const { page, press } = await open(id);
    expect(await page()).toContain("Renews on");
    expect(await page(`?cancel=${id}`)).toContain("It stays until");
    await press(`cancel?subscription=${id}`);
    expect(await page()).toContain("Ends on");
    await press(`resume?subscription=${id}`);
    expect(stripe.subscription(id).cancel_at).toBeNull();
  });

  it("begins with the question when it was opened for that", async () => {
    const id = await subscribe();
    const { page } = await open(id, {
      flow_data: { type: "subscription_cancel", subscription_cancel: { subscription: id } },
    });
    expect(await page()).toContain("Cancel Featured listing, $49.00 / month?");
  });

  it("changes to a plan that is offered, and to no other", async () => {
    const id = await subscribe();
    const { page, press } = await open(id);
    expect(await page()).not.toContain("$408.00");
    await press(`change-plan?subscription=${id}`, { price: prices.get("featured_twelve_months")! });
    expect(stripe.subscription(id).items.data[0]!.price.lookup_key).toBe("featured_monthly");
    await press(`change-plan?subscription=${id}`, { price: prices.get("featured_six_months")! });
    expect(stripe.subscription(id).items.data[0]!.price.lookup_key).toBe("featured_six_months");
  });

  it("lets a renewal fail, and mends it", async () => {
    const id = await subscribe();
    const { page, press } = await open(id);
    await press(`fail?subscription=${id}`);
    expect(await page()).toContain("The last payment failed.");
    await press(`mend?subscription=${id}`);
    expect(stripe.subscription(id).status).toBe("active");
    await press(`renew?subscription=${id}`);
    expect((await invoicesOf(id)).map(({ status }) => status)).toEqual(["paid", "paid", "paid"]);
  });

  it("shows an open invoice, which the person can pay once the card is another", async () => {
    const id = await subscribe();
    const { press } = await open(id);
    await press(`fail?subscription=${id}`);
    const [{ hosted_invoice_url: invoice }] = (await invoicesOf(id)) as [Stripe.Invoice];
    const payInvoice = () => fetch(`${invoice!}/pay`, { method: "POST" });
    expect(await (await payInvoice()).text()).toContain("The card was declined.");
    await press("change-card", { card: "ok" });
    await payInvoice();
    expect(await (await fetch(invoice!)).text()).toContain("It is paid.");
    expect(stripe.subscription(id).status).toBe("active");
  });

  it("shows nobody else's plans, and touches none", async () => {
    const [mine, other] = [await subscribe(), await subscribe()];
    const { press } = await open(mine);
    const answer = await press(`cancel?subscription=${other}`);
    expect(await answer.text()).toContain("somebody else’s");
    expect(stripe.subscription(other).cancel_at).toBeNull();
  });
});

describe("periods", () => {
  const month = { interval: "month", interval_count: 1 } as const;
  const at = (text: string): number => Date.parse(`${text}T10:00:00Z`) / 1000;

  it("of months take the month's last day where there is no such day, and come back", () => {
    expect([1, 2, 13].map((times) => after(at("2027-01-31"), month, times))).toEqual([
      at("2027-02-28"),
      at("2027-03-31"),
      at("2028-02-29"),
    ]);
    expect(after(at("2028-02-29"), { interval: "year", interval_count: 1 })).toBe(at("2029-02-28"));
  });

  it("follow one another without a gap, whatever the anchor", () => {
    const interval = fc.record({
      interval: fc.constantFrom("day" as const, "week" as const, "month" as const, "year" as const),
      interval_count: fc.integer({ min: 1, max: 12 }),
    });
    fc.assert(
      fc.property(fc.integer({ min: 1.6e9, max: 2.2e9 }), interval, (anchor, recurring) => {
        let end = anchor;
        for (let turn = 1; turn <= 30; turn += 1) {
          const next = nextEnd(anchor, recurring, end);
          expect(next).toBe(after(anchor, recurring, turn));
          expect(next).toBeGreaterThan(end);
          end = next;
        }
      }),
      { numRuns: 100 },
    );
  });
});
