/**
 * What the dashboard says and does about a plan where Stripe works in its own way: when it charges, how it stores an end,
 * and what it takes from a customer's credit. Its clock goes ahead here.
 */
import { http, HttpResponse } from "msw";
import { beforeEach, describe, expect, it } from "vitest";

import { idOf } from "../../local/stripe/ids";
import { createPaymentMethod } from "../../local/stripe/payment-methods";
import { buyingIn } from "../support/buying";
import { forgetPurchases } from "../support/forget-orders";
import { outside } from "../support/outside";
import { createWorld } from "../support/world";

const world = await createWorld({ stripe: true });
const { stripe } = world;
// Time that passes at Stripe would renew the plans of all tests before.
beforeEach(() => forgetPurchases(world));
const { buyPlan, choosePlan, sessionAt } = buyingIn(world);
const { stopLeavingPlans } = await import("~/modules/billing/stop-plans.server");
const { log } = await import("~/http/log.server");

async function ownerWith(name: string) {
  const owner = await world.owner();
  return { owner, listing: await world.listing({ owner, name }) };
}
const billing = ({ id }: { id: number }) => `/listings/${id}/billing`;

const MINUTE_MS = 60_000;

/** Lets the paid period of a plan end, five minutes ago: Stripe has made the next bill, and charges it an hour later. */
async function passPeriod(subscription: string): Promise<void> {
  const { current_period_end: end } = stripe.subscription(subscription).items.data[0]!;
  await stripe.advanceClock((end - stripe.account.now) * 1000 + 5 * MINUTE_MS);
}

const countCharges = () => stripe.account.store.all("charge").length;

describe("in the hour after a renewal, before Stripe charges it", () => {
  it("a plan that is canceled ends, and is not charged for the time that has begun", async () => {
    const { owner, listing } = await ownerWith("Café X");
    const plan = await buyPlan(owner, listing, "six_months");
    await passPeriod(plan);
    const charged = countCharges();
    expect(await owner.submit(billing(listing), { intent: "cancel-plan" })).toRedirectTo(
      `${billing(listing)}/end`,
    );
    const question = await owner.page(`${billing(listing)}/end`);
    expect(question).toSay("we won’t charge you for that period");
    expect(question).not.toSay("stop trying");
    const page = await owner.submit(billing(listing), { intent: "end-plan" });
    expect(page).toRedirectTo(billing(listing));
    expect(await owner.page(billing(listing))).toSay("We won’t charge you again.");
    expect(stripe.subscription(plan).status).toBe("canceled");
    expect(await world.row("places", listing.id)).toMatchObject({ premium: false });
    await stripe.advanceClock(120 * MINUTE_MS);
    expect(countCharges()).toBe(charged);
  });

  it.each(["here", "on Stripe’s page", "with the removal of its listing", "with their account"])(
    "a plan that was changed in that hour, and is canceled %s, ends with the time that the change has paid for",
    async (where) => {
      const { owner, listing } = await ownerWith("Café V");
      const plan = await buyPlan(owner, listing, "six_months");
      await passPeriod(plan);
      await stripe.changePlan(plan, "featured_twelve_months");
      const charged = countCharges();
      if (where === "here") await owner.submit(billing(listing), { intent: "cancel-plan" });
      else if (where === "on Stripe’s page") await stripe.cancelAtPeriodEnd(plan);
      else {
        // Stripe's clock is ahead of the database's.
        await world.sql("update public.subscriptions set period_from = now() where id = $1", [
          plan,
        ]);
        if (where === "with their account")
          await owner.submit("/privacy/delete", {
            intent: "delete",
            current_password: owner.password,
          });
        else await owner.submit(`/listings/${listing.id}/visibility`, { intent: "archive" });
        await stopPlans();
      }
      const { status, cancel_at, items } = stripe.subscription(plan);
      expect([status, cancel_at]).toEqual(["active", items.data[0]!.current_period_end]);
      expect(await world.row("places", listing.id)).toMatchObject({ premium: true });
      await stripe.advanceClock(120 * MINUTE_MS);
      expect(countCharges()).toBe(charged);
    },
  );

  it("a plan that was unpaid for a while ends with the period that is paid for: the drafts from that time are never charged", async () => {
    const { owner, listing } = await ownerWith("Café T");
    const plan = await buyPlan(owner, listing, "six_months");
    await passPeriod(plan);
    const { account } = stripe;
    account.store.transaction(() => {
      for (const draft of account.store.all("invoice"))
        if (draft.status === "draft" && draft.parent?.subscription_details?.subscription === plan)
          account.store.put("invoice", draft.id, {
            ...draft,
            auto_advance: false,
            automatically_finalizes_at: null,
          });
    });
    await owner.submit(billing(listing), { intent: "cancel-plan" });
    expect(stripe.subscription(plan)).toMatchObject({
      status: "active",
      cancel_at_period_end: true,
    });
  });

  it("a plan that Stripe doesn’t end is charged", async () => {
    const { owner, listing } = await ownerWith("Café U");
    const plan = await buyPlan(owner, listing, "six_months");
    await passPeriod(plan);
    const charged = countCharges();
    outside.use(
      http.delete(`${stripe.url}/v1/subscriptions/${plan}`, () =>
        HttpResponse.json({ error: { type: "api_error" } }, { status: 500 }),
      ),
    );
    const answer = await owner.submit(billing(listing), { intent: "end-plan" });
    expect(answer).toSay("so we can’t tell yet whether that worked.");
    outside.resetHandlers();
    await stripe.advanceClock(120 * MINUTE_MS);
    expect(countCharges()).toBe(charged + 1);
  });

  it("so does a plan that is canceled on Stripe’s page, where only its end is set", async () => {
    const { owner, listing } = await ownerWith("Café W");
    const plan = await buyPlan(owner, listing, "six_months");
    await passPeriod(plan);
    const charged = countCharges();
    await stripe.cancelAtPeriodEnd(plan);
    expect(stripe.subscription(plan).status).toBe("canceled");
    expect(await owner.page(billing(listing))).toSay("This plan has ended");
    await stripe.advanceClock(120 * MINUTE_MS);
    expect(countCharges()).toBe(charged);
  });

  it("so does a plan that the team ends on Stripe’s page", async () => {
    const { owner, listing } = await ownerWith("Café Z");
    const plan = await buyPlan(owner, listing, "six_months");
    await passPeriod(plan);
    const charged = countCharges();
    await stripe.cancelNow(plan);
    await stripe.advanceClock(120 * MINUTE_MS);
    expect(countCharges()).toBe(charged);
  });

  it("so does the plan of a listing that was removed", async () => {
    const { owner, listing } = await ownerWith("Café Y");
    const plan = await buyPlan(owner, listing, "six_months");
    await passPeriod(plan);
    const charged = countCharges();
    await world.sql("update public.places set status = 'archived' where id = $1", [listing.id]);
    await stopPlans();
    expect((await world.mailAbout(owner.email, "Your plan has been stopped")).text).toContain(
      "and we won’t charge you for it again.",
    );
    await stripe.advanceClock(120 * MINUTE_MS);
    expect(countCharges()).toBe(charged);
  });
});

async function stopPlans() {
  const { stopLeavingPlans } = await import("~/modules/billing/stop-plans.server");
  const { log } = await import("~/http/log.server");
  const result = await stopLeavingPlans({ log: log() });
  const { deliverEmailQueue } = await import("~/modules/emails/deliver-queue.server");
  await deliverEmailQueue();
  return result;
}

it("a plan that its owner keeps goes on, even after they canceled it on Stripe’s page", async () => {
  const { owner, listing } = await ownerWith("Café X");
  const plan = await buyPlan(owner, listing);
  await stripe.cancelAtPeriodEnd(plan);
  expect(stripe.subscription(plan)).toMatchObject({ cancel_at_period_end: false });
  await owner.submit(billing(listing), { intent: "keep-plan" });
  expect(await owner.page(billing(listing))).toSay("Your plan renews on");
  expect(stripe.subscription(plan).cancel_at).toBeNull();
});

describe("a plan that our team changes in Stripe’s dashboard", () => {
  it("can be canceled, and kept, also while another change is scheduled for it, which Stripe wants to be removed first", async () => {
    const { owner, listing } = await ownerWith("Café S");
    const plan = await buyPlan(owner, listing);
    await stripe.scheduleChange(plan);
    const canceling = await owner.submit(billing(listing), { intent: "cancel-plan" });
    expect(canceling).toRedirectTo(billing(listing));
    expect(await owner.page(billing(listing))).toSay("Your plan is canceled.");
    expect(stripe.subscription(plan)).toMatchObject({ cancel_at_period_end: true, schedule: null });
    await stripe.scheduleChange(plan);
    await owner.submit(billing(listing), { intent: "keep-plan" });
    expect(stripe.subscription(plan)).toMatchObject({ cancel_at: null, schedule: null });
  });

  it("ends with the removal of its listing, also while another change is scheduled for it", async () => {
    const { owner, listing } = await ownerWith("Café R");
    const plan = await buyPlan(owner, listing);
    await stripe.scheduleChange(plan);
    await world.sql("update public.places set status = 'archived' where id = $1", [listing.id]);
    expect(await stopPlans()).toMatchObject({ stopped: [plan], failures: [] });
    expect(stripe.subscription(plan)).toMatchObject({ cancel_at_period_end: true });
  });

  it("hasn’t ended because Stripe takes no change of it", async () => {
    const { owner, listing } = await ownerWith("Café Q");
    const plan = await buyPlan(owner, listing);
    outside.use(
      http.post(`${stripe.url}/v1/subscriptions/${plan}`, () =>
        HttpResponse.json({ error: { type: "invalid_request_error" } }, { status: 400 }),
      ),
    );
    const answer = await owner.submit(billing(listing), { intent: "cancel-plan" });
    expect(answer).toSay("That didn’t work, and it’s our fault. Nothing has changed.");
    outside.resetHandlers();
  });

  it("and that is to end after more than its present period renews, as its owner reads, until the last one", async () => {
    const { owner, listing } = await ownerWith("Café P");
    const plan = await buyPlan(owner, listing, "six_months");
    const { current_period_end: paidUntil } = stripe.subscription(plan).items.data[0]!;
    await stripe.sdk.subscriptions.update(plan, { cancel_at: paidUntil + 90 * 86_400 });
    await stripe.deliverWebhooks();
    expect(await owner.page(billing(listing))).toSay("Your plan renews on");
    expect(world.mail(owner.email).subject).not.toBe("Your cancellation");

    await passPeriod(plan);
    await stripe.advanceClock(120 * MINUTE_MS);
    const page = await owner.page(billing(listing));
    expect(page).toSay("The plan won’t renew, and we won’t charge you again.");
    await world.mailAbout(owner.email, "Your cancellation");
  });
});

it("the plan of a removed listing ends with the time that is paid for, also when it had a later end", async () => {
  const { owner, listing } = await ownerWith("Café X");
  const plan = await buyPlan(owner, listing);
  const { current_period_end: paidUntil } = stripe.subscription(plan).items.data[0]!;
  await stripe.sdk.subscriptions.update(plan, { cancel_at: paidUntil + 90 * 86_400 });
  await stripe.deliverWebhooks();
  await world.sql("update public.places set status = 'archived' where id = $1", [listing.id]);
  expect(await stopPlans()).toMatchObject({ stopped: [plan] });
  expect(stripe.subscription(plan).cancel_at).toBe(paidUntil);
  expect(await stopPlans()).toMatchObject({ stopped: [] });
});

it("a renewal is recorded that a customer’s credit has paid for, except some of its tax", async () => {
  const { owner, listing } = await ownerWith("Café X");
  const plan = await buyPlan(owner, listing);
  const { account } = stripe;
  const customer = account.customer(idOf(stripe.subscription(plan).customer));
  account.store.transaction(() => {
    account.store.put("customer", customer.id, { ...customer, balance: -5290 });
    account.save(
      "subscription",
      {
        ...stripe.subscription(plan),
        automatic_tax: { ...stripe.subscription(plan).automatic_tax, enabled: true },
      },
      "customer.subscription.updated",
    );
  });
  stripe.setTax(10);
  await stripe.renew(plan);
  stripe.setTax(0);
  expect(
    await world.sql(
      "select cents::int, tax_cents::int from public.payments where subscription_id = $1 and reason = 'renewal'",
      [plan],
    ),
  ).toEqual([{ cents: 100, tax_cents: 100 }]);
  await stripe.cancelNow(plan);
  expect(await world.row("places", listing.id)).toMatchObject({ premium: false });
});

it("a plan to which tax is added says so, and so does the notice before it renews", async () => {
  stripe.setTax(10);
  const { owner, listing } = await ownerWith("Café X");
  const plan = await buyPlan(owner, listing, "twelve_months");
  stripe.setTax(0);
  const { account } = stripe;
  account.store.transaction(() => {
    const subscription = stripe.subscription(plan);
    const automatic_tax = { ...subscription.automatic_tax, enabled: true };
    account.save(
      "subscription",
      { ...subscription, automatic_tax },
      "customer.subscription.updated",
    );
  });
  await stripe.deliverWebhooks();
  const page = await owner.page(billing(listing));
  expect(page).toSay("It costs $408 plus tax and continues");
  expect(page).toSay("Price $408 plus tax every 12 months");
  await world.sql(
    "update public.subscriptions set period_to = now() + interval '6 days' where id = $1",
    [plan],
  );
  const { queueRenewalNotices } = await import("~/modules/billing/emails.server");
  const { deliverEmailQueue } = await import("~/modules/emails/deliver-queue.server");
  await queueRenewalNotices();
  await deliverEmailQueue();
  expect((await world.mailAbout(owner.email, "Your plan renews soon")).text).toContain(
    "we’ll charge $408 plus tax to keep",
  );
});

it("someone who cancels while the debit of a renewal is on its way reads that it still comes", async () => {
  const { owner, listing } = await ownerWith("Café X");
  const plan = await buyPlan(owner, listing, "six_months");
  const { account } = stripe;
  account.store.transaction(() => {
    const latest = account.get("invoice", idOf(stripe.subscription(plan).latest_invoice)!);
    account.store.put("invoice", latest.id, { ...latest, status: "open" });
  });
  await owner.submit(billing(listing), { intent: "cancel-plan" });
  const words =
    "A payment for the plan is already on its way from your bank. We won’t charge you after that.";
  const page = await owner.page(billing(listing));
  expect(page).toSay(`${words} Changed your mind?`);
  expect(page).not.toSay("You won’t be charged again");
  expect((await world.mailAbout(owner.email, "Your cancellation")).text).toContain(words);
});

it("someone who cancels after a change of plan reads about the earlier debit that still comes", async () => {
  const { owner, listing } = await ownerWith("Café X");
  const checkout = await choosePlan(owner, listing);
  await stripe.pay(checkout, { card: "debit" });
  const plan = sessionAt(checkout).subscription as string;
  const { account } = stripe;
  account.store.transaction(() => {
    const customer = account.customer(idOf(stripe.subscription(plan).customer));
    const card = createPaymentMethod(account, "ok", customer);
    account.store.put("subscription", plan, {
      ...stripe.subscription(plan),
      default_payment_method: card.id,
    });
  });
  await stripe.changePlan(plan, "featured_twelve_months");
  await owner.submit(billing(listing), { intent: "cancel-plan" });
  const page = await owner.page(billing(listing));
  expect(page).toSay("A payment for the plan is already on its way from your bank.");
  expect(page).not.toSay("we won’t charge you again");
  await stripe.advanceClock(10 * 24 * 60 * MINUTE_MS);
  expect(
    await world.sql(
      "select cents::int from public.payments where subscription_id = $1 order by cents",
      [plan],
    ),
  ).toEqual([{ cents: 2900 }, { cents: 37900 }]);
  expect(await owner.page(billing(listing))).toSay("and we won’t charge you again.");
});

it("what a cheaper plan leaves in credit is shown, used, and not lost without a word", async () => {
  const { owner, listing } = await ownerWith("Café X");
  const other = await world.listing({ owner, name: "Café Y" });
  const plan = await buyPlan(owner, listing, "twelve_months");
  await buyPlan(owner, other, "six_months");
  await stripe.changePlan(plan, "featured_monthly");
  const goesOn = "You have $359 in credit. We’ll apply it to your next bills.";
  for (const one of [listing, other]) expect(await owner.page(billing(one))).toSay(goesOn);
  const changed = await world.mailAbout(owner.email, "Your plan has changed");
  expect(changed.text).toContain(goesOn);

  await stripe.renew(plan);
  expect(await owner.page(billing(listing))).toSay("You have $310 in credit.");
  const renewed = (await world.mailAbout(owner.email, "Your renewal receipt")).text;
  expect(renewed).toContain(
    "Your credit covered your renewal, so there was nothing to pay. It keeps “Café X” Featured from",
  );
  expect(renewed).toContain("You have $310 in credit. We’ll apply it to your next bills.");
  await owner.submit(billing(listing), { intent: "cancel-plan" });
  for (const one of [listing, other])
    expect(await owner.page(billing(one))).toSay("We’ll apply it to your next bills.");
  await owner.submit(billing(other), { intent: "cancel-plan" });
  for (const one of [listing, other])
    expect(await owner.page(billing(one))).toSay(
      "You still have $310 in credit. Please get in touch about it.",
    );
});

describe("a plan with a discount that lasts", () => {
  /** A promotion code of the team's. */
  async function makeCode(
    code: string,
    coupon: { percent_off: number; duration: "forever" | "once" },
  ) {
    const { id } = await stripe.sdk.coupons.create(coupon);
    await stripe.sdk.promotionCodes.create({ code, promotion: { type: "coupon", coupon: id } });
  }

  async function buyWith(code: string) {
    const { owner, listing } = await ownerWith("Café X");
    const checkout = await choosePlan(owner, listing, "six_months");
    await stripe.pay(checkout, { code });
    const plan = idOf(sessionAt(checkout).subscription)!;
    return { owner, listing, plan };
  }

  it("is said to cost what it charges, on its page and before it renews", async () => {
    await makeCode("HALF4EVER", { percent_off: 50, duration: "forever" });
    const { owner, listing, plan } = await buyWith("HALF4EVER");
    const page = await owner.page(billing(listing));
    expect(page).toSay("It costs $108 and continues until you cancel.");
    expect(page).toSay("Price $108 every 6 months");
    expect(page).not.toSay("$216");
    await world.sql(
      "update public.subscriptions set period_to = now() + interval '6 days' where id = $1",
      [plan],
    );
    const { queueRenewalNotices } = await import("~/modules/billing/emails.server");
    const { deliverEmailQueue } = await import("~/modules/emails/deliver-queue.server");
    await queueRenewalNotices();
    await deliverEmailQueue();
    expect((await world.mailAbout(owner.email, "Your plan renews soon")).text).toContain(
      "we’ll charge $108 to keep",
    );
    await stripe.renew(plan, "ok");
    expect((await world.mailAbout(owner.email, "Your renewal receipt")).text).toContain(
      "You paid $108 to keep",
    );
  });

  it("isn’t said to be paid for with credit when it costs nothing", async () => {
    await makeCode("ALL4EVER", { percent_off: 100, duration: "forever" });
    const { owner, plan } = await buyWith("ALL4EVER");
    await stripe.renew(plan);
    const { text } = await world.mailAbout(owner.email, "Your renewal receipt");
    expect(text).toContain("There was nothing to pay for your renewal. It keeps “Café X” Featured");
    expect(text).not.toContain("credit");
  });

  it("costs its whole price next when its discount was for the first bill", async () => {
    const { owner, listing } = await buyWith("RAINBOW50");
    expect(await owner.page(billing(listing))).toSay("It costs $216");
  });
});

describe("credit that has paid for a plan which should not have been bought", () => {
  /** Someone with $359 in credit, and the checkout of a plan for a listing that is removed meanwhile. */
  async function openForRemoved(plan: string) {
    const { owner, listing } = await ownerWith("Café X");
    const other = await world.listing({ owner, name: "Café Y" });
    const paid = await buyPlan(owner, listing, "twelve_months");
    await stripe.changePlan(paid, "featured_monthly");
    const customer = idOf(stripe.subscription(paid).customer);
    const creditOf = () => -stripe.account.customer(customer).balance;
    expect(creditOf()).toBe(35900);
    const checkout = await choosePlan(owner, other, plan);
    await world.sql("update public.places set status = 'archived' where id = $1", [other.id]);
    return { owner, listing, checkout, creditOf };
  }

  it("is credit again, once, as its buyer reads on the page and in an email", async () => {
    const { owner, listing, checkout, creditOf } = await openForRemoved("six_months");
    const back = new URL(await stripe.pay(checkout));
    expect(creditOf()).toBe(35900);
    const page = await owner.page(`${back.pathname}${back.search}`);
    expect(page).toSay("Credit that you used is yours again.");
    expect(page).not.toSay("can take a few days");
    expect((await world.mailAbout(owner.email, "Your refund")).text).toContain(
      "We refunded the $216 of credit that paid for a Featured listing. It’s yours again.",
    );
    expect(await owner.page(billing(listing))).toSay("You have $359 in credit.");
    const { subscription } = sessionAt(checkout);
    expect(stripe.subscription(idOf(subscription)!).status).toBe("canceled");

    for (const { id } of stripe.events()) await stripe.deliver(id);
    expect(creditOf()).toBe(35900);
  });

  it("is credit again, and the rest is refunded, when it has paid for a part", async () => {
    const { owner, checkout, creditOf } = await openForRemoved("twelve_months");
    await stripe.pay(checkout);
    expect(creditOf()).toBe(35900);
    const [charge] = stripe.account.store.all("charge");
    expect(charge).toMatchObject({ amount_captured: 4900, amount_refunded: 4900 });
    const listRefunds = () =>
      world.supabase.mails
        .filter(({ to, subject }) => to === owner.email && subject === "Your refund")
        .map(({ text }) => /We refunded the \$\d+ (of credit|you paid)/.exec(text)?.[0])
        .sort();
    // Each is an email of its own.
    await expect
      .poll(listRefunds)
      .toEqual(["We refunded the $359 of credit", "We refunded the $49 you paid"]);
  });

  it("isn’t returned twice when Stripe has returned it with the bill, which was voided", async () => {
    const { owner, listing } = await ownerWith("Café X");
    const other = await world.listing({ owner, name: "Café Y" });
    const paid = await buyPlan(owner, listing, "twelve_months");
    await stripe.changePlan(paid, "featured_monthly");
    const creditOf = () =>
      0 - stripe.account.customer(idOf(stripe.subscription(paid).customer)).balance;
    const checkout = await choosePlan(owner, other, "twelve_months");
    await stripe.pay(checkout, { card: "debit" });
    expect(creditOf()).toBe(0);
    stripe.account.changeSettings({ voidsDebits: true });
    const admin = await world.admin();
    const order = sessionAt(checkout).client_reference_id!;
    await admin.submit(`/admin/payments/${order}`, { intent: "end-subscription" });
    stripe.account.changeSettings({ voidsDebits: false });
    expect(creditOf()).toBe(35900);
    await stripe.advanceClock(4 * 86_400_000);
    const { reconcilePayments } = await import("~/modules/billing/reconcile.server");
    const { log } = await import("~/http/log.server");
    await reconcilePayments({ dryRun: false, days: 30, log: log() });
    const [charge] = stripe.account.store.all("charge").filter((one) => one.paid);
    expect(charge).toMatchObject({ amount_captured: 4900, amount_refunded: 4900 });
    expect(creditOf()).toBe(35900);
  });

  it("is credit again also when Stripe’s answer is lost, or when we stop before the plan has ended", async () => {
    const { checkout, creditOf } = await openForRemoved("six_months");
    let isLost = true;
    outside.use(
      http.delete(`${stripe.url}/v1/subscriptions/:id`, () => {
        if (!isLost) return undefined;
        isLost = false;
        return HttpResponse.error();
      }),
    );
    await stripe.pay(checkout);
    expect(isLost).toBe(false);
    await stripe.advanceClock(2 * 86_400_000);
    const { subscription } = sessionAt(checkout);
    expect(stripe.subscription(idOf(subscription)!).status).toBe("canceled");
    expect(creditOf()).toBe(35900);
  });
});

describe("a bill that a cheaper plan has credited before anyone paid it", () => {
  const creditOf = (plan: string) =>
    stripe.account.customer(idOf(stripe.subscription(plan).customer)).balance;
  const billsOf = (plan: string, status: string) =>
    stripe.account.store
      .all("invoice")
      .filter((bill) => bill.status === status && bill.auto_advance !== false)
      .filter(({ parent }) => idOf(parent!.subscription_details!.subscription) === plan);

  it("is dropped with that credit in the hour after the renewal, so that it pays for no other plan", async () => {
    const { owner, listing } = await ownerWith("Café X");
    const other = await world.listing({ owner, name: "Café Y" });
    const plan = await buyPlan(owner, listing, "twelve_months");
    await passPeriod(plan);
    expect(billsOf(plan, "draft")).toHaveLength(1);
    await stripe.changePlan(plan, "featured_monthly");
    expect(creditOf(plan)).toBe(0);
    expect(billsOf(plan, "draft")).toEqual([]);
    expect(await owner.page(billing(listing))).not.toSay("in credit");
    await buyPlan(owner, other, "twelve_months");
    expect(stripe.account.store.all("charge")[0]!.amount_captured).toBe(40800);
    expect(stripe.subscription(plan).status).toBe("active");
  });

  it("is dropped with that credit when it was declined, and the cheaper plan goes on", async () => {
    const { owner, listing } = await ownerWith("Café X");
    const plan = await buyPlan(owner, listing);
    await declineFromNowOn(plan);
    await stripe.changePlan(plan, "featured_twelve_months");
    expect(billsOf(plan, "open")).toHaveLength(1);
    await stripe.changePlan(plan, "featured_monthly");
    expect(creditOf(plan)).toBe(0);
    expect(billsOf(plan, "open")).toEqual([]);
    expect(await owner.page(billing(listing))).toSay("Your plan renews on");
  });

  it("costs no credit for what was paid, and is taken back once", async () => {
    const { owner, listing } = await ownerWith("Café X");
    const other = await world.listing({ owner, name: "Café Y" });
    const [plan, paid] = [
      await buyPlan(owner, listing),
      await buyPlan(owner, other, "twelve_months"),
    ];
    await stripe.changePlan(paid, "featured_monthly");
    expect(creditOf(plan)).toBe(-35900);
    await declineFromNowOn(plan);
    await stripe.changePlan(plan, "featured_twelve_months");
    await stripe.changePlan(plan, "featured_monthly");
    await owner.submit(billing(listing), { intent: "check-plan" });
    await owner.submit(billing(listing), { intent: "cancel-plan" });
    // The month that has begun costs $20 more than what is left of the first one, which had a discount.
    expect(creditOf(plan)).toBe(-33900);
    expect(await owner.page(billing(other))).toSay("You have $339 in credit.");
  });

  it("is its customer’s credit again where credit had paid for a part of it, and the plan ends", async () => {
    const { owner, listing } = await ownerWith("Café X");
    const other = await world.listing({ owner, name: "Café Y" });
    const plan = await buyPlan(owner, listing);
    await stripe.changePlan(await buyPlan(owner, other, "twelve_months"), "featured_monthly");
    await declineFromNowOn(plan);
    await stripe.changePlan(plan, "featured_twelve_months");
    expect(creditOf(plan)).toBe(0);
    await owner.submit(billing(listing), { intent: "end-plan" });
    expect(billsOf(plan, "open")).toEqual([]);
    expect(creditOf(plan)).toBe(-35900);
  });

  it("leaves the credit to the team when Stripe takes nothing back", async () => {
    const { owner, listing } = await ownerWith("Café X");
    const plan = await buyPlan(owner, listing);
    await declineFromNowOn(plan);
    await stripe.changePlan(plan, "featured_twelve_months");
    outside.use(
      http.post(`${stripe.url}/v1/customers/:id/balance_transactions`, () =>
        HttpResponse.json({ error: { type: "invalid_request_error" } }, { status: 403 }),
      ),
    );
    await stripe.changePlan(plan, "featured_monthly");
    outside.resetHandlers();
    expect(creditOf(plan)).toBe(-35900);
    expect(await owner.page(billing(listing))).toSay("Your plan renews on");
  });

  it("can’t be credited while it is on its way from a bank, also from a page of before", async () => {
    const { owner, listing } = await ownerWith("Café X");
    const checkout = await choosePlan(owner, listing, "twelve_months");
    await stripe.pay(checkout, { card: "debit" });
    const page = await owner.page(billing(listing));
    expect(page).not.toSay("Change plan");
    expect(page).toSay("You can change your plan once it has arrived.");
    const answer = await owner.submit(billing(listing), { intent: "change-plan" });
    expect(answer).toSay("Your payment is still on its way from your bank.");
    const { location } = await owner.submit(billing(listing), { intent: "manage" });
    const [session] = stripe.account.store.all("billing_portal.session");
    expect(location).toBe(session!.url);
    const { features } = stripe.account.get(
      "billing_portal.configuration",
      idOf(session!.configuration),
    );
    expect(features.subscription_update.enabled).toBe(false);
    await stripe.advanceClock(4 * 86_400_000);
    expect(await owner.page(billing(listing))).toSay("Change plan");
    expect((await owner.post(billing(listing), { intent: "change-plan" })).status).toBe(303);
  });

  it("can’t be changed on Stripe’s page from a page of before it was canceled, and its payer reads why", async () => {
    const { owner, listing } = await ownerWith("Café X");
    await buyPlan(owner, listing);
    await owner.submit(billing(listing), { intent: "cancel-plan" });
    const answer = await owner.submit(billing(listing), { intent: "change-plan" });
    expect(answer).toSay("You’ve canceled this plan. To change it, select “Keep plan” first.");
  });

  it("and is refunded when it arrives leaves no credit, which would return it once more", async () => {
    const { owner, listing } = await ownerWith("Café X");
    const other = await world.listing({ owner, name: "Café Y" });
    const checkout = await choosePlan(owner, listing, "twelve_months");
    await stripe.pay(checkout, { card: "debit" });
    const plan = sessionAt(checkout).subscription as string;
    await stripe.changePlan(plan, "featured_monthly");
    expect(creditOf(plan)).toBe(-35900);
    await owner.submit(`/listings/${listing.id}/visibility`, { intent: "archive" });
    await stripe.advanceClock(4 * 86_400_000);
    const [charge] = stripe.account.store.all("charge").filter(({ paid }) => paid);
    expect(charge).toMatchObject({ amount_captured: 40800, amount_refunded: 40800 });
    expect(creditOf(plan)).toBe(0);
    await buyPlan(owner, other, "six_months");
    expect(stripe.account.store.all("charge")[0]!.amount_captured).toBe(21600);
  });

  it("is shown to the team that refunds the bill’s payment, with what it goes on paying for", async () => {
    const { owner, listing } = await ownerWith("Café X");
    const admin = await world.admin();
    const plan = await buyPlan(owner, listing, "twelve_months");
    const [{ order }] = (await world.sql(
      "select order_id as order from public.subscriptions where id = $1",
      [plan],
    )) as [{ order: string }];
    const note = "This customer has $359 in credit in Stripe";
    expect(await admin.page(`/admin/payments/${order}`)).not.toSay("in credit");
    await stripe.changePlan(plan, "featured_monthly");
    expect(await admin.page(`/admin/payments/${order}`)).toSay(note);
    const [payment] = await world.sql(
      "select id from public.payments where order_id = $1 and reason = 'purchase'",
      [order],
    );
    await admin.submit(`/admin/payments/${order}`, {
      intent: "refund",
      refund: crypto.randomUUID(),
      payment: payment!["id"] as string,
      amount: "408",
      note: "They asked nicely.",
    });
    // Whether it was fair to keep is for the team to decide.
    expect(creditOf(plan)).toBe(-35900);
    expect(await admin.page(`/admin/payments/${order}`)).toSay(note);
  });

  it("costs its customer the credit, once, when the bank returns the payment after a dispute", async () => {
    const { owner, listing } = await ownerWith("Café X");
    const plan = await buyPlan(owner, listing, "twelve_months");
    await stripe.changePlan(plan, "featured_monthly");
    expect(creditOf(plan)).toBe(-35900);
    const [{ id }] = (await world.sql(
      "select id from public.payments where subscription_id = $1 and reason = 'purchase'",
      [plan],
    )) as [{ id: string }];
    const dispute = await stripe.dispute(id);
    expect(creditOf(plan)).toBe(-35900);
    await stripe.closeDispute(dispute.id, false);
    expect(creditOf(plan)).toBe(0);
    expect(await owner.page(billing(listing))).not.toSay("in credit");

    await stripe.changePlan(plan, "featured_twelve_months");
    await stripe.changePlan(plan, "featured_monthly");
    const credit = creditOf(plan);
    expect(credit).toBeLessThan(0);
    await owner.submit(billing(listing), { intent: "check-plan" });
    expect(creditOf(plan)).toBe(credit);
  });

  it("is its customer’s when a later payment left it, whatever the bank returns of the first month", async () => {
    const { owner, listing } = await ownerWith("Café X");
    const plan = await buyPlan(owner, listing);
    const [{ id }] = (await world.sql(
      "select id from public.payments where subscription_id = $1 and reason = 'purchase'",
      [plan],
    )) as [{ id: string }];
    const dispute = await stripe.dispute(id);
    await passPeriod(plan);
    await stripe.advanceClock(120 * MINUTE_MS);
    await stripe.changePlan(plan, "featured_twelve_months");
    await stripe.changePlan(plan, "featured_monthly");
    const credit = creditOf(plan);
    expect(credit).toBe(-35900);
    await stripe.closeDispute(dispute.id, false);
    expect(creditOf(plan)).toBe(credit);
    expect(await owner.page(billing(listing))).toSay("You have $359 in credit.");
  });

  /** The customer's card is declined, as when its bank has blocked it. */
  async function declineFromNowOn(plan: string): Promise<void> {
    const { account } = stripe;
    account.store.transaction(() => {
      const card = createPaymentMethod(
        account,
        "declined",
        account.customer(idOf(stripe.subscription(plan).customer)),
      );
      account.store.put("subscription", plan, {
        ...stripe.subscription(plan),
        default_payment_method: card.id,
      });
    });
  }
});

describe("a plan whose payment", () => {
  const newestPayment = () => idOf(stripe.account.store.all("charge")[0]!.payment_intent)!;
  const lose = async () => {
    const dispute = await stripe.dispute(newestPayment());
    await stripe.closeDispute(dispute.id, false);
  };

  it.each([
    ["a bank has returned", lose],
    ["a bank is deciding about", () => stripe.dispute(newestPayment())],
    ["our team has refunded", () => stripe.refund(newestPayment())],
    ["our team has refunded for the most part", () => stripe.refund(newestPayment(), 20500)],
  ])(
    "%s can’t be changed, which would credit it, until there is another payment",
    async (_, happens) => {
      const { owner, listing } = await ownerWith("Café X");
      const other = await world.listing({ owner, name: "Bar Y" });
      await buyPlan(owner, other, "twelve_months");
      await stripe.advanceClock(MINUTE_MS);
      const plan = await buyPlan(owner, listing, "twelve_months");
      /** Whether it can be changed, directly and on Stripe's page for all plans. */
      const canChange = async () => {
        const { location } = await owner.post(billing(listing), { intent: "change-plan" });
        const all = await owner.post(billing(other), { intent: "manage" });
        const page = await (await fetch(all.location!)).text();
        return [location !== null, page.includes("Change plan")];
      };
      expect(await canChange()).toEqual([true, true]);
      await happens();
      expect(await canChange()).toEqual([false, false]);
      const page = await owner.page(billing(listing));
      expect(page).toSay("so this plan can’t be changed right now.");
      expect(page).not.toSay("Change plan");
      expect(await owner.page(billing(other))).toSay("Change plan");
      expect(await owner.submit(billing(listing), { intent: "change-plan" })).toSay(
        "so this plan can’t be changed right now.",
      );
      // Another plan of theirs can.
      expect((await owner.post(billing(other), { intent: "change-plan" })).location).not.toBeNull();
      await stripe.renew(plan, "ok");
      expect(await canChange()).toEqual([true, true]);
    },
  );

  it.each([
    ["a bank has returned", lose],
    ["our team has refunded", () => stripe.refund(newestPayment())],
  ])("%s isn’t said to stay paid when its payer cancels it", async (_, happens) => {
    const { owner, listing } = await ownerWith("Café X");
    await buyPlan(owner, listing, "twelve_months");
    await stripe.advanceClock(MINUTE_MS);
    expect(await owner.page(billing(listing))).toSay("which isn’t refunded");
    await happens();
    const page = await owner.page(billing(listing));
    expect(page).not.toSay("which isn’t refunded");
    expect(page).toSay("stays Featured until the end of the current period");
    await owner.submit(billing(listing), { intent: "cancel-plan" });
    expect(await world.row("places", listing.id)).toMatchObject({ premium: true });
  });

  it("a bank has returned to us after all can be changed again, and so can one of which no more than half was refunded", async () => {
    const { owner, listing } = await ownerWith("Café X");
    await buyPlan(owner, listing, "twelve_months");
    const dispute = await stripe.dispute(newestPayment());
    await stripe.closeDispute(dispute.id, true);
    await stripe.refund(newestPayment(), 20400);
    expect((await owner.post(billing(listing), { intent: "change-plan" })).status).toBe(303);
  });
});

describe("a plan that the team has paused at Stripe", () => {
  async function pausedPlan() {
    const { owner, listing } = await ownerWith("Café X");
    const plan = await buyPlan(owner, listing);
    await setStatus(plan, "paused");
    return { owner, listing, plan };
  }
  async function setStatus(plan: string, status: "active" | "paused") {
    const { account } = stripe;
    account.store.transaction(() =>
      account.save(
        "subscription",
        { ...stripe.subscription(plan), status },
        `customer.subscription.${status === "paused" ? "paused" : "resumed"}`,
      ),
    );
    await stripe.advanceClock(MINUTE_MS);
  }

  it("isn’t said to have ended, because it is charged again when it goes on", async () => {
    const { owner, listing, plan } = await pausedPlan();
    const page = await owner.page(billing(listing));
    expect(page).toSay("This plan is paused The listing isn’t Featured, and you aren’t charged.");
    expect(page).not.toSay("This plan has ended");
    expect(page).not.toSay("won’t be charged again");
    expect(
      await world.sql(
        "select from private.email_queue where recipient = $1 and kind = 'subscription-ended'",
        [owner.id],
      ),
    ).toEqual([]);
    await setStatus(plan, "active");
    expect(await world.row("places", listing.id)).toMatchObject({ premium: true });
    expect(await owner.page(billing(listing))).toSay("Your plan renews on");
  });

  it("is told to the former owner who would pay for it again, when its listing goes to someone else", async () => {
    const { owner, listing } = await pausedPlan();
    await world.sql("update public.places set owner = $2 where id = $1", [
      listing.id,
      (await world.owner()).id,
    ]);
    // (No request of the app would send it: the change was made past the app.)
    await world.passUndoWindow();
    const mail = await world.mailAbout(owner.email, "A change to your account");
    expect(mail.text).toContain(
      "Your plan for it is paused. When it resumes, you’ll be charged again. You can cancel it under My Account, in Purchases.",
    );
    expect(mail.links).toContain(`${world.appUrl}/account/purchases`);
    const page = await owner.page("/account/purchases");
    expect(page).toSay("This plan is paused. When it resumes, you’ll be charged again.");
    expect(page).not.toSay("You’re still paying for these.");
  });

  it("is told to its owner by email, each time that it is paused, while that is true", async () => {
    const { owner, listing, plan } = await pausedPlan();
    const told = () =>
      world.supabase.mails.filter(
        ({ to, subject }) => to === owner.email && subject === "Your plan is paused",
      );
    await expect.poll(told).toHaveLength(1);
    const [mail] = told();
    expect(mail!.text).toContain(
      "Your plan for “Café X” is paused. The listing isn’t Featured, and you aren’t charged. When the plan resumes, you’ll be charged again.",
    );
    expect(mail!.links).toContain(`${world.appUrl}${billing(listing)}`);
    const isOutdated = () =>
      world.sql(
        "select private.is_outdated('plan-paused', jsonb_build_object('subscription', $1::text), null) as it",
        [plan],
      );
    expect(await isOutdated()).toEqual([{ it: false }]);
    await owner.submit(billing(listing), { intent: "check-plan" });
    await setStatus(plan, "active");
    expect(await isOutdated()).toEqual([{ it: true }]);
    await setStatus(plan, "paused");
    await expect.poll(told).toHaveLength(2);
  });

  it("is told to the next owner of its listing as what it means for them: it isn’t Featured", async () => {
    const { listing, plan } = await pausedPlan();
    const next = await world.owner();
    await setStatus(plan, "active");
    await world.sql("update public.places set owner = $1 where id = $2", [next.id, listing.id]);
    await setStatus(plan, "paused");
    const mail = await world.mailAbout(next.email, "Your listing isn’t Featured anymore");
    expect(mail.text).toContain("Someone else’s plan kept “Café X” Featured");
    expect(mail.text).not.toContain("paused");
  });

  it("can be canceled by who pays for it, also after the listing has gone to someone else", async () => {
    const { owner, listing, plan } = await pausedPlan();
    const { id } = await world.owner();
    await world.sql("update public.places set owner = $2 where id = $1", [listing.id, id]);
    expect(await owner.page("/account/purchases")).toSay(
      "This plan is paused. When it resumes, you’ll be charged again.",
    );
    await owner.submit("/account/purchases", { subscription: plan, intent: "end-plan" });
    expect(stripe.subscription(plan).status).toBe("canceled");
  });

  it("doesn’t end because someone looks at the other plans, or leaves the payment page", async () => {
    const { owner, listing, plan } = await pausedPlan();
    expect(await owner.page(billing(listing))).not.toSay("Upgrade now");
    const choose = (who: typeof owner) =>
      who.submit("/upgrade", { intent: "upgrade", place: listing.id, plan: "monthly" });
    expect(await choose(owner)).toSay(
      "The plan of this listing is paused. Cancel it under “Plan and payments” before you choose another one, or get in touch.",
    );
    const next = await world.owner();
    await world.sql("update public.places set owner = $2 where id = $1", [listing.id, next.id]);
    expect(await choose(next)).toSay(
      "The account that owned this listing before has a plan for it, which is paused.",
    );
    expect(stripe.subscription(plan).status).toBe("paused");
    await setStatus(plan, "active");
    expect(await world.row("places", listing.id)).toMatchObject({ premium: true });
  });

  it("can be canceled: it ends then, and its owner gets an email that it has", async () => {
    const { owner, listing, plan } = await pausedPlan();
    expect(await owner.page(billing(listing))).toSay("Cancel plan");
    await owner.submit(billing(listing), { intent: "end-plan" });
    expect(stripe.subscription(plan).status).toBe("canceled");
    expect(await owner.page(billing(listing))).toSay("We won’t charge you again.");
    expect((await world.mailAbout(owner.email, "Your plan has ended")).text).toContain("Café X");
  });

  it("ends at once when its owner asks for the removal of the listing, who reads so before and after", async () => {
    const { owner, listing, plan } = await pausedPlan();
    expect(await owner.page(`/listings/${listing.id}/archive`)).toSay(
      "Removal ends its plan, and we won’t charge you again.",
    );
    await owner.submit(`/listings/${listing.id}/visibility`, { intent: "archive" });
    const page = await owner.page(billing(listing));
    expect(page).toSay(
      "This plan is about to end You’ve asked us to remove this listing, so your paused plan is about to end, and we won’t charge you again.",
    );
    for (const words of ["resumes", "Changed your mind?"]) expect(page).not.toSay(words);
    await stopLeavingPlans({ log: log() });
    expect(stripe.subscription(plan).status).toBe("canceled");
  });

  it("ends with the removal of its listing, and no email speaks of a bill that is owed or of time that is paid for", async () => {
    const { owner, listing, plan } = await pausedPlan();
    const admin = await world.admin();
    const { version } = (await world.row("places", listing.id))!;
    await admin.submit(`/admin/listings/${listing.id}`, {
      intent: "archive",
      version: String(version),
      batch: crypto.randomUUID(),
    });
    await world.passUndoWindow();
    const removed = await world.mailAbout(owner.email, "Your listing was removed");
    expect(removed.text).toContain(
      "We’re stopping its plan, so you won’t be charged for it again. We’ll email you once that’s done.",
    );
    await stopLeavingPlans({ log: log() });
    expect(stripe.subscription(plan).status).toBe("canceled");
    const stopped = await world.mailAbout(owner.email, "Your plan has been stopped");
    expect(stopped.text).toContain("The plan was paused, so it has ended right away.");
    expect(stopped.text).not.toContain("bill");
  });
});

it("a plan of which the team has set a quantity at Stripe is shown with what it charges", async () => {
  const { owner, listing } = await ownerWith("Café X");
  const plan = await buyPlan(owner, listing);
  const { account } = stripe;
  account.store.transaction(() => {
    const { items, ...rest } = stripe.subscription(plan);
    account.store.put("subscription", plan, {
      ...rest,
      items: { ...items, data: items.data.map((item) => ({ ...item, quantity: 2 })) },
    });
  });
  await owner.submit(billing(listing), { intent: "check-plan" });
  expect(await owner.page(billing(listing))).toSay("$98 a month");
});

it("what credit has paid for isn’t said to be charged, and a full refund of the rest is one", async () => {
  const { owner, listing } = await ownerWith("Café X");
  const other = await world.listing({ owner, name: "Café Y" });
  await stripe.changePlan(await buyPlan(owner, listing, "twelve_months"), "featured_monthly");
  const checkout = await choosePlan(owner, other, "twelve_months");
  await stripe.pay(checkout);
  const [charge] = stripe.account.store.all("charge");
  expect(charge!.amount_captured).toBe(4900);
  await expect
    .poll(() => world.mail(owner.email).text)
    .toContain("You paid $49 for a Featured listing.");
  await stripe.refund(charge!.payment_intent as string);
  expect(
    await world.sql("select status from public.orders where id = $1", [
      sessionAt(checkout).client_reference_id,
    ]),
  ).toEqual([{ status: "refunded" }]);
});

it("a first debit that arrives after the team has ended its plan is refunded", async () => {
  const { owner, listing } = await ownerWith("Café X");
  const admin = await world.admin();
  const checkout = await choosePlan(owner, listing, "twelve_months");
  await stripe.pay(checkout, { card: "debit" });
  const order = `/admin/payments/${sessionAt(checkout).client_reference_id}`;
  await admin.submit(order, { intent: "end-subscription" });
  expect(await owner.page(billing(listing))).toSay("When it arrives, we’ll refund it.");
  expect(await admin.page(order)).toSay("Payment on its way, $408");
  await stripe.advanceClock(4 * 86_400_000);
  expect(await admin.page(order)).toSay("Refunded, $408");
  expect(await world.row("places", listing.id)).toMatchObject({ premium: false });
  const { text } = await world.mailAbout(owner.email, "Your refund");
  expect(text).toContain("We refunded the $408 you paid for a Featured listing.");
});

it("so is an earlier one, before another purchase whose debit is on its way, which then counts", async () => {
  const { owner, listing } = await ownerWith("Café X");
  const admin = await world.admin();
  const first = await choosePlan(owner, listing, "six_months");
  await stripe.pay(first, { card: "debit" });
  const order = `/admin/payments/${sessionAt(first).client_reference_id}`;
  await admin.submit(order, { intent: "end-subscription" });
  await stripe.advanceClock(86_400_000);
  await stripe.pay(await choosePlan(owner, listing, "six_months"), { card: "debit" });
  await stripe.advanceClock(2.5 * 86_400_000);
  expect(await world.row("places", listing.id)).toMatchObject({ premium: false });
  await stripe.advanceClock(86_400_000);
  expect(
    await world.sql(
      "select cents::int, refunded_cents::int from public.payments where owner = $1 order by refunded_cents",
      [owner.id],
    ),
  ).toEqual([
    { cents: 21600, refunded_cents: 0 },
    { cents: 21600, refunded_cents: 21600 },
  ]);
  expect(await world.row("places", listing.id)).toMatchObject({ premium: true });
});

it("so is that of a renewal, and its owner reads so", async () => {
  const { owner, listing } = await ownerWith("Café X");
  const admin = await world.admin();
  const checkout = await choosePlan(owner, listing, "twelve_months");
  await stripe.pay(checkout, { card: "debit" });
  const plan = sessionAt(checkout).subscription as string;
  await stripe.advanceClock(4 * 86_400_000);
  await stripe.renew(plan);
  const order = `/admin/payments/${sessionAt(checkout).client_reference_id}`;
  await admin.submit(order, { intent: "end-subscription" });
  const page = await owner.page(billing(listing));
  expect(page).toSay("already on its way from your bank. When it arrives, we’ll refund it.");
  expect(page).not.toSay("won’t be charged again");
  await stripe.advanceClock(4 * 86_400_000);
  expect(
    await world.sql(
      `select cents::int, reason, refunded_cents::int as refunded from public.payments
        where subscription_id = $1 order by reason`,
      [plan],
    ),
  ).toEqual([
    { cents: 40800, reason: "purchase", refunded: 0 },
    { cents: 40800, reason: "renewal", refunded: 40800 },
  ]);
  expect((await world.mailAbout(owner.email, "Your refund")).text).toContain(
    "We refunded the $408 you paid",
  );
  expect(await owner.page(billing(listing))).toSay("you won’t be charged again.");
});

/** Changes to twelve months with another card, while the first debit of a plan is on its way. */
async function changeByCard(plan: string): Promise<void> {
  const { account } = stripe;
  account.store.transaction(() => {
    const customer = account.customer(idOf(stripe.subscription(plan).customer));
    const card = createPaymentMethod(account, "ok", customer);
    account.save(
      "subscription",
      { ...stripe.subscription(plan), default_payment_method: card.id },
      "customer.subscription.updated",
    );
  });
  await stripe.changePlan(plan, "featured_twelve_months");
}

it("a charge for a change of plan counts, also while the first debit is on its way and when that fails", async () => {
  const { owner, listing } = await ownerWith("Café X");
  const checkout = await choosePlan(owner, listing);
  await stripe.pay(checkout, { card: "debit_fails" });
  const plan = sessionAt(checkout).subscription as string;
  const { account } = stripe;
  await changeByCard(plan);
  const [charge] = account.store.all("charge").filter(({ paid }) => paid);
  const recorded = () =>
    world.sql("select id, cents::int, reason from public.payments where subscription_id = $1", [
      plan,
    ]);
  const paid = { id: charge!.payment_intent, cents: charge!.amount, reason: "plan-change" };
  expect(await recorded()).toEqual([paid]);
  expect(await world.row("places", listing.id)).toMatchObject({ premium: true });

  while (stripe.subscription(plan).status === "active") await stripe.advanceClock(720 * MINUTE_MS);
  expect(await world.row("places", listing.id)).toMatchObject({ premium: true });
  await owner.submit(billing(listing), { intent: "end-plan" });
  expect(await world.row("places", listing.id)).toMatchObject({ premium: false });
  expect(await recorded()).toEqual([paid]);
  const admin = await world.admin();
  const order = sessionAt(checkout).client_reference_id!;
  const refund = {
    intent: "refund",
    refund: crypto.randomUUID(),
    payment: paid.id as string,
    amount: (paid.cents / 100).toFixed(2),
    note: "Never Featured for what it paid.",
  };
  expect(await admin.post(`/admin/payments/${order}`, refund)).toRedirectTo(
    `/admin/payments/${order}`,
  );
  expect(account.get("charge", charge!.id).amount_refunded).toBe(paid.cents);
});

it("a plan that is Featured because of a paid change features nothing once its first debit is refunded", async () => {
  const { owner, listing } = await ownerWith("Café X");
  const checkout = await choosePlan(owner, listing);
  await stripe.pay(checkout, { card: "debit" });
  await changeByCard(sessionAt(checkout).subscription as string);
  expect(await world.row("places", listing.id)).toMatchObject({ premium: true });
  await owner.submit(`/listings/${listing.id}/visibility`, { intent: "archive" });
  await stripe.advanceClock(4 * 86_400_000);
  expect(
    await world.sql("select cents = refunded_cents as back from public.payments where owner = $1", [
      owner.id,
    ]),
  ).toEqual([{ back: true }, { back: true }]);
  expect(await world.row("places", listing.id)).toMatchObject({
    premium: false,
    subscription_status: "canceled",
  });
  expect(await owner.page(billing(listing))).toSay("This listing isn’t Featured");
});

it("isn’t said to have ended as its payer asked when our team deletes its customer at Stripe", async () => {
  const { owner, listing } = await ownerWith("Café X");
  const plan = await buyPlan(owner, listing);
  await stripe.sdk.customers.del(stripe.subscription(plan).customer as string);
  const { text } = await world.mailAbout(owner.email, "Your plan has ended");
  expect(text).toContain("Our team has ended your plan for “Café X”.");
  expect(text).not.toContain("as you asked");
});
