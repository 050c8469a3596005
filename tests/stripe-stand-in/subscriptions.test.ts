import fc from "fast-check";
import type { Stripe } from "stripe";
import { afterEach, describe, expect, it } from "vitest";

import { addMonths, nextPeriodEnd } from "../../local/stripe/subscriptions";
import { startTestStripe, type PayOptions } from "../support/stripe";

const stripe = await startTestStripe("http://app.test", async () => ({ status: 200, body: "" }));
const { sdk, account } = stripe;
afterEach(() => stripe.afterRetries("cancel"));

const DAY_MS = 86_400_000;
const priceOf = (lookupKey: string): string =>
  account.store.all("price").find((price) => price.lookup_key === lookupKey)!.id;

/** Buys a subscription for a new customer. Returns its id. */
async function subscribe(
  lookupKey = "featured_monthly",
  options: PayOptions = {},
  discounts: { coupon: string }[] = [],
): Promise<string> {
  const customer = await sdk.customers.create({ email: "owner@example.test" });
  const session = await sdk.checkout.sessions.create({
    mode: "subscription",
    customer: customer.id,
    line_items: [{ price: priceOf(lookupKey), quantity: 1 }],
    subscription_data: { metadata: { order: "order-1" } },
    success_url: "http://app.test/upgrade",
    ...(discounts.length > 0 && { discounts }),
  });
  await stripe.pay(session.url!, options);
  return stripe.session(session.id).subscription as string;
}

/** The invoices of a subscription, newest first. */
const invoicesOf = (subscription: string): Stripe.Invoice[] =>
  account.store
    .all("invoice")
    .filter(({ parent }) => parent?.subscription_details?.subscription === subscription);
const lookupKeyOf = (id: string) => stripe.subscription(id).items.data[0]!.price.lookup_key;
const periodOf = (id: string): { start: number; end: number } => {
  const item = stripe.subscription(id).items.data[0]!;
  return { start: item.current_period_start, end: item.current_period_end };
};
const daysLeft = (id: string): number => (periodOf(id).end * 1000 - account.nowMs) / DAY_MS;
/** The events of a subscription, each with the status that it contains. */
const eventsOf = (id: string): string[] =>
  stripe.events("customer.subscription").flatMap((event) => {
    const { id: subject, status } = event.data.object as Stripe.Subscription;
    return subject === id ? [`${event.type.split(".").at(-1)} ${status}`] : [];
  });

describe("a subscription", () => {
  it("renews at the end of each period, and is charged an hour later", async () => {
    const id = await subscribe();
    const { end } = periodOf(id);
    await stripe.advanceClock(end * 1000 - account.nowMs);
    expect(invoicesOf(id)[0]).toMatchObject({
      id: stripe.subscription(id).latest_invoice,
      status: "draft",
      billing_reason: "subscription_cycle",
      amount_due: 4900,
    });
    expect(periodOf(id).start).toBe(end);
    await stripe.advanceClock(3_600_000);
    expect(invoicesOf(id).map(({ status, amount_paid }) => [status, amount_paid])).toEqual([
      ["paid", 4900],
      ["paid", 4900],
    ]);
    expect(eventsOf(id)).toEqual(["created incomplete", "updated active", "updated active"]);
  });

  it("of six months renews after six months", async () => {
    const id = await subscribe("featured_six_months");
    expect(daysLeft(id)).toBeGreaterThan(180);
    await stripe.advanceClock(170 * DAY_MS);
    expect(invoicesOf(id)).toHaveLength(1);
    await stripe.advanceClock(15 * DAY_MS);
    expect(invoicesOf(id).map(({ amount_paid }) => amount_paid)).toEqual([21600, 21600]);
  });

  it("whose card is declined is past due, is retried, and ends", async () => {
    const id = await subscribe("featured_monthly", { card: "fails_later" });
    await stripe.advanceClock(32 * DAY_MS);
    expect(await sdk.subscriptions.retrieve(id)).toMatchObject({ status: "past_due" });
    const [failed] = invoicesOf(id);
    expect(failed).toMatchObject({
      status: "open",
      attempted: true,
      attempt_count: 1,
      hosted_invoice_url: expect.stringContaining("/i/in_"),
    });
    expect(failed!.next_payment_attempt).toBe(
      failed!.status_transitions.finalized_at! + 3 * 86_400,
    );
    await stripe.advanceClock(10 * DAY_MS);
    expect(await sdk.subscriptions.retrieve(id)).toMatchObject({
      status: "canceled",
      cancellation_details: { reason: "payment_failed" },
    });
    expect(invoicesOf(id)[0]).toMatchObject({
      status: "open",
      attempt_count: 4,
      next_payment_attempt: null,
    });
    expect(eventsOf(id).slice(-2)).toEqual(["updated past_due", "deleted canceled"]);
  });

  it("stays unpaid after the last retry when the account is set so, until it is paid", async () => {
    stripe.afterRetries("unpaid");
    const id = await subscribe("featured_six_months", { card: "fails_later" });
    await stripe.advanceClock(200 * DAY_MS);
    expect(stripe.subscription(id)).toMatchObject({ status: "unpaid" });
    await stripe.fixCard(id);
    expect(stripe.subscription(id)).toMatchObject({ status: "active" });
    expect(invoicesOf(id).every(({ status }) => status === "paid")).toBe(true);
  });

  it("that is past due becomes active when the card is fixed", async () => {
    const id = await subscribe();
    await stripe.renew(id, "declined");
    expect(stripe.subscription(id)).toMatchObject({ status: "past_due" });
    await stripe.fixCard(id);
    expect(stripe.subscription(id)).toMatchObject({ status: "active" });
    expect(eventsOf(id).slice(-3)).toEqual([
      "updated past_due",
      "updated past_due",
      "updated active",
    ]);
  });

  it("canceled in the portal ends with its period, which cancel_at alone shows", async () => {
    const id = await subscribe();
    const { end } = periodOf(id);
    await stripe.cancelAtPeriodEnd(id);
    expect(await sdk.subscriptions.retrieve(id)).toMatchObject({
      status: "active",
      cancel_at: end,
      cancel_at_period_end: false,
      cancellation_details: { reason: "cancellation_requested" },
    });
    await stripe.undoCancellation(id);
    expect(await sdk.subscriptions.retrieve(id)).toMatchObject({
      cancel_at: null,
      canceled_at: null,
    });
    await stripe.cancelAtPeriodEnd(id);
    await stripe.advanceClock(32 * DAY_MS);
    expect(stripe.subscription(id)).toMatchObject({ status: "canceled", ended_at: end });
    expect(invoicesOf(id)).toHaveLength(1);
  });

  it("canceled through the API ends at once", async () => {
    expect(await sdk.subscriptions.cancel(await subscribe())).toMatchObject({ status: "canceled" });
    const comment = "Ended by us";
    expect(
      await sdk.subscriptions.cancel(await subscribe(), { cancellation_details: { comment } }),
    ).toMatchObject({ cancellation_details: { reason: "cancellation_requested", comment } });
  });

  it("ends when its customer is deleted", async () => {
    const id = await subscribe();
    await sdk.customers.del(stripe.subscription(id).customer as string);
    expect(stripe.subscription(id)).toMatchObject({ status: "canceled" });
    expect(eventsOf(id).at(-1)).toBe("deleted canceled");
  });

  it("that is canceled is listed only with the status all", async () => {
    const [active, canceled] = [await subscribe(), await subscribe()];
    await stripe.cancelNow(canceled);
    const ids = async (params: Stripe.SubscriptionListParams) =>
      (await sdk.subscriptions.list({ limit: 100, ...params })).data.map(({ id }) => id);
    expect(await ids({})).toContain(active);
    expect(await ids({})).not.toContain(canceled);
    expect(await ids({ status: "all" })).toEqual(expect.arrayContaining([active, canceled]));
    const customer = stripe.subscription(canceled).customer as string;
    expect(await ids({ customer, status: "all" })).toEqual([canceled]);
  });
});

describe("the portal", async () => {
  const configure = (proration_behavior: "always_invoice" | "none") =>
    sdk.billingPortal.configurations.create({
      features: {
        invoice_history: { enabled: true },
        payment_method_update: { enabled: true },
        subscription_cancel: { enabled: true, mode: "at_period_end" },
        subscription_update: {
          enabled: true,
          default_allowed_updates: ["price"],
          proration_behavior,
          products: [
            {
              product: "featured",
              prices: [priceOf("featured_monthly"), priceOf("featured_six_months")],
            },
          ],
        },
      },
    });
  const withoutProration = (await configure("none")).id;
  const withProration = (await configure("always_invoice")).id;

  async function open(id: string, configuration = withoutProration) {
    const { url } = await sdk.billingPortal.sessions.create({
      customer: stripe.subscription(id).customer as string,
      configuration,
      return_url: "http://app.test/",
    });
    const press = (path: string, fields = {}) =>
      fetch(`${url}/${path}`, {
        method: "POST",
        body: new URLSearchParams(fields),
        redirect: "manual",
      });
    return { page: async (query = "") => (await fetch(`${url}${query}`)).text(), press };
  }

  it("cancels after a confirmation, and undoes the cancellation", async () => {
    const id = await subscribe();
    const { page, press } = await open(id);
    expect(await page()).toContain("Renews on");
    expect(await page(`?cancel=${id}`)).toContain("It stays active until");
    await press(`cancel?subscription=${id}`);
    expect(await page()).toContain("Ends on");
    await press(`resume?subscription=${id}`);
    expect(stripe.subscription(id).cancel_at).toBeNull();
  });

  it("changes to a price that it offers, and to no other", async () => {
    const id = await subscribe();
    const { page, press } = await open(id);
    expect(await page()).not.toContain("$408.00");
    await press(`change-plan?subscription=${id}`, { price: priceOf("featured_twelve_months") });
    expect(lookupKeyOf(id)).toBe("featured_monthly");
    await press(`change-plan?subscription=${id}`, { price: priceOf("featured_six_months") });
    expect(lookupKeyOf(id)).toBe("featured_six_months");
    expect(daysLeft(id)).toBeGreaterThan(180);
    expect(invoicesOf(id)[0]).toMatchObject({
      status: "paid",
      amount_paid: 21600,
      billing_reason: "subscription_update",
    });
  });

  it("credits the rest of the old period on the invoice, and what remains to the customer", async () => {
    const id = await subscribe("featured_twelve_months");
    const { press } = await open(id, withProration);
    await press(`change-plan?subscription=${id}`, { price: priceOf("featured_monthly") });
    const [invoice] = invoicesOf(id);
    expect(
      invoice!.lines.data.map(({ amount, parent }) => [
        amount,
        parent!.subscription_item_details!.proration,
      ]),
    ).toEqual([
      [-40800, true],
      [4900, false],
    ]);
    expect(invoice).toMatchObject({ status: "paid", total: -35900, amount_due: 0 });
    expect(account.customer(stripe.subscription(id).customer as string).balance).toBe(-35900);
    await stripe.renew(id);
    expect(invoicesOf(id)[0]).toMatchObject({
      amount_due: 0,
      starting_balance: -35900,
      ending_balance: -31000,
    });
  });

  it("credits no more than was paid for a first month with a discount", async () => {
    const firstMonth = () =>
      subscribe("featured_monthly", {}, [{ coupon: "featured_first_month" }]);
    const id = await firstMonth();
    const { press } = await open(id, withProration);
    await press(`change-plan?subscription=${id}`, { price: priceOf("featured_six_months") });
    expect(invoicesOf(id)[0]!.lines.data.map(({ amount }) => amount)).toEqual([-2900, 21600]);
    // A later month is paid in full.
    const other = await firstMonth();
    await stripe.renew(other);
    const { press: pressOther } = await open(other, withProration);
    await pressOther(`change-plan?subscription=${other}`, {
      price: priceOf("featured_six_months"),
    });
    expect(invoicesOf(other)[0]!.lines.data.map(({ amount }) => amount)).toEqual([-4900, 21600]);
  });

  it("keeps the period when the interval is the same, and charges the difference", async () => {
    const id = await subscribe("featured_monthly_reduced");
    const period = periodOf(id);
    const { press } = await open(id, withProration);
    await press(`change-plan?subscription=${id}`, { price: priceOf("featured_monthly") });
    expect(periodOf(id)).toEqual(period);
    expect(invoicesOf(id)[0]!.lines.data.map(({ amount }) => amount)).toEqual([-2900, 4900]);
  });

  it("simulates a failed renewal, and a fixed card", async () => {
    const id = await subscribe();
    const { page, press } = await open(id);
    await press(`fail?subscription=${id}`);
    expect(await page()).toContain("The last payment failed.");
    await press(`fix?subscription=${id}`);
    expect(stripe.subscription(id).status).toBe("active");
    await press(`renew?subscription=${id}`);
    expect(invoicesOf(id).map(({ status }) => status)).toEqual(["paid", "paid", "paid"]);
  });

  it("links to an open invoice, which can be paid once after the card was changed", async () => {
    const id = await subscribe();
    const { press } = await open(id);
    await press(`fail?subscription=${id}`);
    const { hosted_invoice_url: invoice } = invoicesOf(id)[0]!;
    const payInvoice = () => fetch(`${invoice!}/pay`, { method: "POST" });
    expect(await (await payInvoice()).text()).toContain("The card was declined.");
    await press("change-card", { card: "ok" });
    await payInvoice();
    expect(await (await fetch(invoice!)).text()).toContain("This invoice is paid.");
    expect(stripe.subscription(id).status).toBe("active");
    expect(await (await payInvoice()).text()).toContain("Invoice is paid.");
  });

  it("does not show or change the subscriptions of another customer", async () => {
    const [mine, other] = [await subscribe(), await subscribe()];
    const { press } = await open(mine);
    const answer = await press(`cancel?subscription=${other}`);
    expect(await answer.text()).toContain("isn’t yours");
    expect(stripe.subscription(other).cancel_at).toBeNull();
  });
});

describe("billing periods", () => {
  const at = (day: string): number => Date.parse(`${day}T10:00:00Z`) / 1000;
  const every = (interval_count: number) => ({ recurring: { interval_count } }) as Stripe.Price;

  it("end on the last day of a shorter month, and on the 31st again after it", () => {
    expect([1, 2, 13].map((count) => addMonths(at("2027-01-31"), count))).toEqual([
      at("2027-02-28"),
      at("2027-03-31"),
      at("2028-02-29"),
    ]);
    expect(addMonths(at("2028-02-29"), 12)).toBe(at("2029-02-28"));
    expect(nextPeriodEnd(at("2027-01-31"), every(1), at("2027-02-28"))).toBe(at("2027-03-31"));
  });

  it("follow one another without a gap, from any anchor", () => {
    const anchors = fc.integer({ min: 1.6e9, max: 2.2e9 });
    fc.assert(
      fc.property(anchors, fc.integer({ min: 1, max: 12 }), (anchor, months) => {
        let end = anchor;
        for (let period = 1; period <= 30; period += 1) {
          const next = nextPeriodEnd(anchor, every(months), end);
          const days = (next - end) / 86_400;
          expect(days).toBeGreaterThanOrEqual(28 * months);
          expect(days).toBeLessThanOrEqual(31 * months);
          end = next;
        }
      }),
      { numRuns: 100 },
    );
  });
});
