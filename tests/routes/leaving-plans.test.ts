/**
 * The plans of people who have asked for the deletion of their account, or for the removal of their listing: they were
 * told that they won't be charged again.
 */
import { http, HttpResponse } from "msw";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { buyingIn } from "../support/buying";
import { forgetPurchases } from "../support/forget-orders";
import { outside } from "../support/outside";
import { createWorld, type Member } from "../support/world";

const world = await createWorld({ stripe: true });
const { stripe } = world;
const { buyPlan, choosePlan, countEmails, sessionAt } = buyingIn(world);
const { stopLeavingPlans } = await import("~/modules/billing/stop-plans.server");
const { reconcilePayments } = await import("~/modules/billing/reconcile.server");
const { log } = await import("~/http/log.server");

const stop = () => stopLeavingPlans({ log: log() });
const billing = ({ id }: { id: number }) => `/listings/${id}/billing`;
/** Stripe's clock is ahead of the database's in no test here: the next bill comes closer instead. */
const renewIn = (hours: number, plan: string) =>
  world.sql(
    "update public.subscriptions set period_to = now() + $1 * interval '1 hour' where id = $2",
    [hours, plan],
  );
const isSetToEnd = (plan: string) => stripe.subscription(plan).cancel_at_period_end;
const paymentsOf = (plan: string) =>
  world.sql(
    "select cents::int, reason, refunded_cents::int from public.payments where subscription_id = $1 order by paid_at, reason",
    [plan],
  );
/** Stripe voids no invoice while a bank debit for it is on its way, and the stand-in has no such renewals. */
const refuseToVoid = () =>
  outside.use(
    http.post(`${stripe.url}/v1/invoices/:id/void`, () =>
      HttpResponse.json({ error: { type: "invalid_request_error" } }, { status: 400 }),
    ),
  );

let owner: Member;
let listing: { id: number };
const askForDeletion = () =>
  owner.submit("/privacy/delete", { intent: "delete", current_password: owner.password });
const askForRemoval = () =>
  owner.submit(`/listings/${listing.id}/visibility`, { intent: "archive" });
beforeEach(async () => {
  // Time that passes at Stripe would renew the plans of all tests before.
  await forgetPurchases(world);
  owner = await world.owner();
  listing = await world.listing({ owner, name: "Café X" });
});

describe.each([
  {
    asked: "the deletion of their account",
    ask: () => askForDeletion(),
    changeMind: () => owner.submit("/privacy", { intent: "keep" }),
    says: "You’ve asked us to delete your account",
    email: "You’ve asked us to delete your account, so we’ve canceled your plan for “Café X”",
  },
  {
    asked: "the removal of their listing",
    ask: () => askForRemoval(),
    changeMind: () => owner.submit(`/listings/${listing.id}/visibility`, { intent: "keep" }),
    says: "You’ve asked us to remove this listing",
    email: "You’ve asked us to remove “Café X”, so we’ve canceled its plan",
  },
])("the plan of an owner who has asked for $asked", ({ ask, changeMind, says, email }) => {
  it("is canceled two days before its next bill, which the page and an email say", async () => {
    const plan = await buyPlan(owner, listing, "twelve_months");
    await ask();
    expect(await owner.page(billing(listing))).toSay(`This plan won’t renew ${says}`);
    await renewIn(50, plan);
    expect(await stop()).toMatchObject({ stopped: [] });
    expect(isSetToEnd(plan)).toBe(false);
    await renewIn(47, plan);
    expect(await stop()).toMatchObject({ stopped: [plan] });
    expect(isSetToEnd(plan)).toBe(true);
    expect((await world.mailAbout(owner.email, "Your cancellation")).text).toContain(
      `${email} before its next bill, and we won’t charge you again.`,
    );
    expect(await stop()).toMatchObject({ stopped: [] });
  });

  it("can’t be changed or kept, until they change their mind", async () => {
    const plan = await buyPlan(owner, listing);
    await ask();
    await renewIn(1, plan);
    await stop();
    for (const intent of ["change-plan", "keep-plan", "manage-billing"]) {
      const page = await owner.submit(billing(listing), { intent });
      expect(page).toSay(`${says}, and the plan ends with it.`);
    }
    expect(isSetToEnd(plan)).toBe(true);
    await changeMind();
    await owner.submit(billing(listing), { intent: "keep-plan" });
    expect(await owner.page(billing(listing))).toSay("Your plan renews on");
    expect(await stop()).toMatchObject({ stopped: [] });
  });

  it("ends now when its last payment is owed, also when it was canceled before", async () => {
    const plan = await buyPlan(owner, listing);
    await stripe.renew(plan, "declined");
    await stripe.cancelAtPeriodEnd(plan);
    await ask();
    const page = await owner.page(billing(listing));
    expect(page).toSay("This plan is about to end");
    for (const label of ["Paid until", "Ends"]) expect(page).not.toSay(label);
    expect(await stop()).toMatchObject({ stopped: [plan] });
    expect(stripe.subscription(plan).status).toBe("canceled");
    const { text, links } = await world.mailAbout(owner.email, "Your plan has ended");
    expect(text).toContain("has ended, as you asked.");
    expect(text).not.toContain("upgrade");
    expect(links).toContain(`${world.appUrl}/account/purchases`);
  });

  it("goes on, also when a payment is owed, when they change their mind while plans are being stopped", async () => {
    const plan = await buyPlan(owner, listing);
    await stripe.renew(plan, "declined");
    await ask();
    let asked = 0;
    outside.use(
      http.get(`${stripe.url}/v1/subscriptions/:id`, async () => {
        if (++asked === 1) await changeMind();
      }),
    );
    expect(await stop()).toEqual({ stopped: [], failures: [] });
    expect(asked).toBeGreaterThan(0);
    expect(stripe.subscription(plan).status).toBe("past_due");
  });
});

describe.each([
  { asked: "the deletion of their account", ask: () => askForDeletion() },
  { asked: "the removal of their listing", ask: () => askForRemoval() },
])("a plan that was renewed when its owner asked for $asked", ({ ask }) => {
  const PASSED_MS = 5 * 60_000;

  // An hour, and up to three days while an endpoint of the Stripe account doesn't answer.
  it.each([0, 70])(
    "ends while the bill of the new period is a draft, after %i hours, and isn’t charged",
    async (hours) => {
      const plan = await buyPlan(owner, listing, "twelve_months");
      const { current_period_end: end } = stripe.subscription(plan).items.data[0]!;
      await stripe.advanceClock((end - stripe.account.now) * 1000 + PASSED_MS);
      // Stripe's clock is ahead of the database's.
      await world.sql(
        "update public.subscriptions set period_from = now() - $2 * interval '1 hour' where id = $1",
        [plan, hours],
      );
      await ask();
      expect((await stop()).stopped).toContain(plan);
      expect(stripe.subscription(plan).status).toBe("canceled");
      await stripe.advanceClock(120 * 60_000);
      expect(await paymentsOf(plan)).toHaveLength(1);
    },
  );

  it("names no end that isn’t paid for while that bill is a draft", async () => {
    const plan = await buyPlan(owner, listing, "twelve_months");
    const { current_period_end: end } = stripe.subscription(plan).items.data[0]!;
    const archive = `/listings/${listing.id}/archive`;
    expect(await owner.page(archive)).toSay("You’ve paid for it until");
    await stripe.advanceClock((end - stripe.account.now) * 1000 + PASSED_MS);
    /** Stripe's clock is ahead of the database's. */
    const renewed = (interval: string) =>
      world.sql(
        `with renewed as (update public.subscriptions set period_from = now() - $2::interval,
            period_to = now() - $2::interval + interval '1 year' where id = $1 returning period_from)
          update public.payments set period_to = renewed.period_from from renewed
            where subscription_id = $1 and reason = 'purchase'`,
        [plan, interval],
      );
    await renewed("5 minutes");
    expect(await owner.page(archive)).toSay(
      "Removal stops its plan, so you won’t be charged again.",
    );
    expect(await owner.page(archive)).not.toSay("What you’ve paid for");
    await ask();
    const page = await owner.page(billing(listing));
    expect(page).toSay(
      "so the plan is about to end. Its current period isn’t paid for, and we won’t charge you for it.",
    );
    for (const wrong of ["Changed your mind?", "won’t renew", "ends with your account"])
      expect(page).not.toSay(wrong);
    for (const date of ["Paid until", "Ends ", "It ends on"]) expect(page).not.toSay(date);
    // Once it is paid for.
    await stripe.advanceClock(60 * 60_000);
    expect(await paymentsOf(plan)).toHaveLength(2);
    await renewed("2 hours");
    expect((await owner.page(billing(listing))).text).toMatch(/Paid until|Ends /);
  });

  it("names no end that isn’t paid for either when a longer period was paid for before it was changed", async () => {
    const plan = await buyPlan(owner, listing, "twelve_months");
    await stripe.advanceClock(30 * 24 * 60 * 60_000);
    await stripe.changePlan(plan, "featured_monthly");
    const { current_period_end: end } = stripe.subscription(plan).items.data[0]!;
    await stripe.advanceClock((end - stripe.account.now) * 1000 + PASSED_MS);
    // Stripe's clock is ahead of the database's.
    const ahead = stripe.account.now * 1000 - Date.now();
    for (const rows of ["subscriptions", "payments"])
      await world.sql(
        `update public.${rows} set period_from = period_from - $2 * interval '1 ms',
          period_to = period_to - $2 * interval '1 ms'
          where ${rows === "payments" ? "subscription_id" : "id"} = $1`,
        [plan, ahead],
      );
    expect(await owner.page(`/listings/${listing.id}/archive`)).not.toSay("What you’ve paid for");
    await ask();
    const page = await owner.page(billing(listing));
    for (const date of ["Paid until", "Ends ", "ends on"]) expect(page).not.toSay(date);
  });

  it("says what happens to a first payment that is on its way", async () => {
    await stripe.pay(await choosePlan(owner, listing), { card: "debit" });
    await ask();
    const page = await owner.page(billing(listing));
    expect(page).toSay("so we’ll refund your payment when it arrives, and the plan ends.");
    expect(page).not.toSay("becomes Featured");
  });

  it("asks for no other card, and names no date, when its first payment fails", async () => {
    const checkout = await choosePlan(owner, listing, "twelve_months");
    await stripe.pay(checkout, { card: "debit_fails" });
    const plan = sessionAt(checkout).subscription as string;
    const archive = await owner.page(`/listings/${listing.id}/archive`);
    expect(archive).toSay("When it arrives, we’ll refund it.");
    expect(archive).not.toSay("isn’t refunded");
    await ask();
    expect(await owner.page(billing(listing))).not.toSay("Paid until");
    await stripe.advanceClock(10 * 86_400_000);
    expect(stripe.subscription(plan).status).toBe("past_due");
    const page = await owner.page(billing(listing));
    expect(page).toSay("We won’t try to collect your last payment again.");
    for (const date of ["Paid until", "Ends "]) expect(page).not.toSay(date);
    await stop();
    expect(await countEmails(owner, "payment-failed")).toBe(0);
    expect(await countEmails(owner, "subscription-ended")).toBe(1);
  });

  it("goes on until two days before its next bill once it is charged", async () => {
    const plan = await buyPlan(owner, listing, "twelve_months");
    await ask();
    expect((await stop()).stopped).not.toContain(plan);
    expect(isSetToEnd(plan)).toBe(false);
  });

  /** Stripe's clock is ahead of the database's. */
  const chargedAgo = (minutes: number, plan: string) =>
    world.sql(
      `with charged as (update public.payments set paid_at = now() - $2 * interval '1 minute',
          period_from = now() - ($2 + 60) * interval '1 minute'
          where subscription_id = $1 and reason = 'renewal' returning period_from)
        update public.subscriptions s set period_from = charged.period_from from charged where s.id = $1`,
      [plan, minutes],
    );

  it("is refunded and ends when it was charged after they had asked, before it was canceled", async () => {
    const plan = await buyPlan(owner, listing);
    await ask();
    await stripe.renew(plan);
    await chargedAgo(0, plan);
    expect((await stop()).stopped).toContain(plan);
    expect(stripe.subscription(plan).status).toBe("canceled");
    expect(await paymentsOf(plan)).toMatchObject(
      expect.arrayContaining([
        expect.objectContaining({ reason: "purchase", refunded_cents: 0 }),
        expect.objectContaining({ reason: "renewal", cents: 4900, refunded_cents: 4900 }),
      ]),
    );
    expect((await world.mailAbout(owner.email, "Your refund")).text).toContain(
      "You were charged just before we could stop your plan, which has ended now.",
    );
    expect((await stop()).stopped).not.toContain(plan);
  });

  it("isn’t refunded for a period that is over", async () => {
    const plan = await buyPlan(owner, listing);
    await ask();
    await stripe.renew(plan);
    await world.sql(
      "update public.payments set period_to = now() where subscription_id = $1 and reason = 'renewal'",
      [plan],
    );
    await stripe.renew(plan);
    await stop();
    const renewals = (await paymentsOf(plan)).filter(({ reason }) => reason === "renewal");
    expect(renewals.map((renewal) => renewal["refunded_cents"]).sort()).toEqual([0, 4900]);
  });

  it("isn’t refunded when it was charged before they asked", async () => {
    const plan = await buyPlan(owner, listing);
    await stripe.renew(plan);
    await chargedAgo(5, plan);
    await ask();
    expect((await stop()).stopped).not.toContain(plan);
    expect(await paymentsOf(plan)).toMatchObject([{}, { refunded_cents: 0 }]);
  });

  it("has no notice of a renewal, and says that a debit still comes", async () => {
    const plan = await buyPlan(owner, listing, "twelve_months");
    await ask();
    await renewIn(100, plan);
    const { queueRenewalNotices } = await import("~/modules/billing/emails.server");
    await queueRenewalNotices();
    expect(
      await world.sql(
        "select kind from private.email_queue where recipient = $1 and kind = 'renewal-coming'",
        [owner.id],
      ),
    ).toEqual([]);
    await world.sql("update public.subscriptions set awaits_payment = true where id = $1", [plan]);
    const page = await owner.page(billing(listing));
    expect(page).toSay("A payment for the plan is already on its way from your bank.");
    expect(page).not.toSay("won’t charge you again");
  });
});

it("a checkout that was open when the removal of its listing was asked for is refunded", async () => {
  const checkout = await choosePlan(owner, listing, "twelve_months");
  await askForRemoval();
  await stripe.pay(checkout);
  expect(await paymentsOf(sessionAt(checkout).subscription as string)).toEqual([
    { cents: 40800, reason: "purchase", refunded_cents: 40800 },
  ]);
});

it("someone else’s plan goes on when the owner of the listing asks for its removal", async () => {
  const plan = await buyPlan(owner, listing);
  const next = await world.owner();
  await world.sql("update public.places set owner = $1 where id = $2", [next.id, listing.id]);
  await next.submit(`/listings/${listing.id}/visibility`, { intent: "archive" });
  await renewIn(1, plan);
  expect(await stop()).toMatchObject({ stopped: [] });
});

it("a paid plan isn’t said to be owed while the end of its period isn’t known", async () => {
  const plan = await buyPlan(owner, listing);
  await askForRemoval();
  const setPeriodEnd = (end: string | null) =>
    world.sql("update public.subscriptions set period_to = $2 where id = $1", [plan, end]);
  await setPeriodEnd(null);
  const page = await owner.page(billing(listing));
  expect(page).toSay("This plan won’t renew");
  expect(page).toSay("so the plan won’t renew, and we won’t charge you again.");
  expect(page).not.toSay("your last payment");
  await setPeriodEnd("2099-01-01");
});

it("a former owner can’t keep a plan that ends with their account", async () => {
  const plan = await buyPlan(owner, listing);
  await world.sql("update public.places set owner = null where id = $1", [listing.id]);
  await askForDeletion();
  await renewIn(1, plan);
  expect(await stop()).toMatchObject({ stopped: [plan] });
  const page = await owner.page("/account/purchases");
  expect(page).toSay("Your plan ends with your account, and we won’t charge you again.");
  const answer = await owner.submit("/account/purchases", {
    intent: "keep-plan",
    subscription: plan,
  });
  expect(answer).toSay("and the plan ends with it.");
  expect(isSetToEnd(plan)).toBe(true);
});

it("a checkout that was open when its buyer asked for the deletion of their account is refunded", async () => {
  const checkout = await choosePlan(owner, listing, "twelve_months");
  await askForDeletion();
  await stripe.pay(checkout);
  const plan = sessionAt(checkout).subscription as string;
  expect(stripe.subscription(plan).status).toBe("canceled");
  expect(await paymentsOf(plan)).toEqual([
    { cents: 40800, reason: "purchase", refunded_cents: 40800 },
  ]);
  expect((await world.mailAbout(owner.email, "Your refund")).text).toContain(
    "We refunded it because you’ve asked us to delete your account.",
  );
});

it("the audit log says who ended a plan, also when the next one couldn’t be ended, so that its payer isn’t deleted yet", async () => {
  const admin = await world.admin();
  const plans = [
    await buyPlan(owner, listing),
    await buyPlan(owner, await world.listing({ owner, name: "Café Y" })),
  ];
  const ended: string[] = [];
  outside.use(
    http.delete(`${stripe.url}/v1/subscriptions/:id`, ({ params }) => {
      ended.push(String(params["id"]));
      return ended.length > 1 ? HttpResponse.json({ error: {} }, { status: 500 }) : undefined;
    }),
  );
  const page = await admin.submit(`/admin/users/${owner.id}/delete`, { intent: "delete" });
  expect(page).toSay("Some of this user’s plans may have ended.");
  expect(plans).toContain(ended[0]);
  expect(stripe.subscription(ended[0]!).status).toBe("canceled");
  expect(
    await world.sql(
      "select actor from public.audit_log where action = 'end-plan' and subject_id = $1",
      [ended[0]],
    ),
  ).toEqual([{ actor: admin.id }]);
});

it("a debit that arrives after its payer’s account was deleted is refunded", async () => {
  const admin = await world.admin();
  const plan = await buyPlan(owner, listing);
  await stripe.renew(plan, "declined");
  refuseToVoid();
  const { account } = stripe;
  const customer = account.customer(stripe.subscription(plan).customer as string);
  await admin.submit(`/admin/users/${owner.id}/delete`, { intent: "delete" });
  // A debit needs no customer anymore, which the stand-in looks for.
  account.store.transaction(() => account.store.put("customer", customer.id, customer));
  await stripe.advanceClock(60_000);
  await stripe.payByLink(plan);
  expect(await paymentsOf(plan)).toEqual([
    { cents: 2900, reason: "purchase", refunded_cents: 0 },
    { cents: 4900, reason: "renewal", refunded_cents: 4900 },
  ]);
});

it("so is a first debit that arrives after that", async () => {
  const admin = await world.admin();
  const checkout = await choosePlan(owner, listing);
  await stripe.pay(checkout, { card: "debit" });
  const plan = sessionAt(checkout).subscription as string;
  refuseToVoid();
  await admin.submit(`/admin/users/${owner.id}/delete`, { intent: "delete" });
  await stripe.advanceClock(10 * 86_400_000);
  expect(await paymentsOf(plan)).toEqual([
    { cents: 2900, reason: "purchase", refunded_cents: 2900 },
  ]);
});

it("so is a debit that was sent before the account was deleted", async () => {
  const admin = await world.admin();
  const checkout = await choosePlan(owner, listing);
  await stripe.pay(checkout, { card: "debit" });
  const plan = sessionAt(checkout).subscription as string;
  await stripe.advanceClock(4 * 86_400_000);
  await stripe.renew(plan);
  await admin.submit(`/admin/users/${owner.id}/delete`, { intent: "delete" });
  await stripe.advanceClock(4 * 86_400_000);
  expect(await paymentsOf(plan)).toEqual([
    { cents: 2900, reason: "purchase", refunded_cents: 0 },
    { cents: 4900, reason: "renewal", refunded_cents: 4900 },
  ]);
});

describe("a debit that arrives although its bill was voided when the account was deleted", () => {
  beforeEach(() => stripe.account.changeSettings({ voidsDebits: true }));
  afterEach(() => stripe.account.changeSettings({ voidsDebits: false }));

  it.each(["purchase", "renewal"])("is found, recorded, and refunded: a %s", async (reason) => {
    const admin = await world.admin();
    const checkout = await choosePlan(owner, listing);
    await stripe.pay(checkout, { card: "debit" });
    const plan = sessionAt(checkout).subscription as string;
    if (reason === "renewal") {
      await stripe.advanceClock(4 * 86_400_000);
      await stripe.renew(plan);
    }
    await admin.submit(`/admin/users/${owner.id}/delete`, { intent: "delete" });
    expect(stripe.account.store.all("invoice")[0]!.status).toBe("void");
    await stripe.advanceClock(4 * 86_400_000);
    const compare = (dryRun: boolean) => reconcilePayments({ dryRun, days: 30, log: log() });
    expect((await compare(true)).differences.join()).not.toBe("");
    expect(await compare(false)).toMatchObject({ failures: [] });
    const cents = reason === "renewal" ? 4900 : 2900;
    expect((await paymentsOf(plan)).at(-1)).toEqual({ cents, reason, refunded_cents: cents });
    expect(await compare(true)).toMatchObject({ differences: [] });
  });
});

it("what was paid before an account was deleted isn’t refunded when it is recorded late", async () => {
  const admin = await world.admin();
  const plan = await buyPlan(owner, listing, "twelve_months");
  await stripe.renew(plan);
  await admin.submit(`/admin/users/${owner.id}/delete`, { intent: "delete" });
  const forgetAndRecord = async (reason: string) => {
    await world.sql("delete from public.payments where subscription_id = $1 and reason ~ $2", [
      plan,
      reason,
    ]);
    await reconcilePayments({ dryRun: false, days: 3650, log: log() });
    return paymentsOf(plan);
  };
  const kept = ["purchase", "renewal"].map((reason) => ({
    cents: 40800,
    reason,
    refunded_cents: 0,
  }));
  // All of them, as of before payments were recorded; and one that another run has missed.
  expect(await forgetAndRecord(".")).toEqual(kept);
  expect(await forgetAndRecord("purchase")).toEqual(kept);
});

it("a late payment for a plan that has ended is found by the reconciliation when its events are lost", async () => {
  const plan = await buyPlan(owner, listing);
  await world.sql("update public.orders set paid_at = paid_at - interval '40 days'");
  await stripe.renew(plan, "declined");
  refuseToVoid();
  await owner.submit(billing(listing), { intent: "end-plan" });
  await stripe.advanceClock(60_000);
  stripe.pauseWebhooks();
  await stripe.payByLink(plan);
  expect(await paymentsOf(plan)).toHaveLength(1);
  const run = (dryRun: boolean) => reconcilePayments({ dryRun, days: 30, log: log() });
  expect((await run(true)).differences.join()).toContain(plan);
  await run(false);
  expect((await paymentsOf(plan)).at(-1)).toMatchObject({ cents: 4900, refunded_cents: 4900 });
  expect((await run(true)).differences).toEqual([]);
  await stripe.resumeWebhooks();
});
