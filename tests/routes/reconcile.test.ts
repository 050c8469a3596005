/** `npm run billing:reconcile`: finds where Stripe and the database differ, reports it, and fixes the database. */
import { http, HttpResponse } from "msw";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { idOf } from "../../local/stripe/ids";
import { insertJob, openCheckoutAs } from "../support/buyer";
import { runScript } from "../support/command";
import { forgetOrders, forgetPurchases } from "../support/forget-orders";
import { listNewsletterDates } from "../support/newsletter-dates";
import { outside } from "../support/outside";
import { createWorld, type Member } from "../support/world";

const world = await createWorld({ stripe: true });
const { stripe } = world;
const { reconcilePayments } = await import("~/modules/billing/reconcile.server");
const { log } = await import("~/http/log.server");

const run = (dryRun = false) => reconcilePayments({ dryRun, days: 30, log: log() });
const NO_DIFFERENCE = { differences: [], failures: [] };

let owner: Member;
beforeEach(async () => {
  await forgetPurchases(world);
  owner = await world.owner();
});
afterEach(async () => {
  await stripe.resumeWebhooks();
  outside.resetHandlers();
  expect(await run()).toMatchObject(NO_DIFFERENCE);
});

const newJob = () => insertJob(world, owner);
const sessionOf = (checkout: string) => new URL(checkout).pathname.split("/").at(-1)!;
const orderOf = async (column: string, id: number) =>
  (await world.sql(`select * from public.orders where ${column} = $1`, [id]))[0]!;

async function featured() {
  const listing = await world.listing({ owner });
  const checkout = await openCheckoutAs(world, owner, {
    kind: "upgrade",
    placeId: listing.id,
    plan: "monthly",
  });
  await stripe.pay(checkout);
  return { listing, subscription: stripe.session(sessionOf(checkout)).subscription as string };
}
/** From here on, Stripe’s events are lost. */
function loseEvents() {
  stripe.pauseWebhooks();
  return async (): Promise<void> =>
    stripe.account.store.transaction(() => {
      for (const delivery of stripe.account.store.all("delivery"))
        if (delivery.state === "paused")
          stripe.account.store.put("delivery", delivery.id, { ...delivery, state: "failed" });
    });
}

/** A dry run only reports the difference, the next run fixes it, and then nothing differs anymore. */
async function expectFixed(sentence: RegExp) {
  const before = await world.sql(
    "select id, status, seen from public.orders union all select null, status, seen from public.subscriptions order by 1, 2",
  );
  const preview = await run(true);
  expect(preview.differences).toEqual([expect.stringMatching(sentence)]);
  expect(preview.failures).toEqual([]);
  expect(
    await world.sql(
      "select id, status, seen from public.orders union all select null, status, seen from public.subscriptions order by 1, 2",
    ),
  ).toEqual(before);
  expect(await run()).toMatchObject({
    differences: [expect.stringMatching(sentence)],
    failures: [],
  });
  expect(await run()).toMatchObject(NO_DIFFERENCE);
}

describe("reports and fixes", () => {
  it("a payment whose event never arrived", async () => {
    const job = await newJob();
    const forget = loseEvents();
    await stripe.pay(await openCheckoutAs(world, owner, { kind: "job", jobId: job }));
    await forget();
    await expectFixed(/^Order [0-9a-f-]{36}: open here, paid at Stripe$/);
    expect(await world.row("jobs", job)).toMatchObject({ paid: true, published: true });
    expect((await world.mailAbout(owner.email, "Your receipt")).text).toContain("$5");
  });

  it("a payment of a former checkout of the order", async () => {
    const job = await newJob();
    const forget = loseEvents();
    const checkout = await openCheckoutAs(world, owner, { kind: "job", jobId: job });
    await world.sql(
      "update public.orders set stripe_checkout_session_id = null, expires_at = null where job_id = $1",
      [job],
    );
    await stripe.pay(checkout);
    await forget();
    await expectFixed(/: open here, paid at Stripe$/);
    expect(await world.row("jobs", job)).toMatchObject({ paid: true });
  });

  it("an expired checkout and the dates that it held", async () => {
    const listing = await world.listing({ owner });
    const [day] = await listNewsletterDates(world);
    const { id } = await world.insert("sponsorships", {
      place_id: listing.id,
      promo_text: "Buns!",
      owner: owner.id,
      sponsorship_dates: `{${day}}`,
    });
    const forget = loseEvents();
    const checkout = await openCheckoutAs(world, owner, {
      kind: "sponsorship",
      sponsorshipId: id as number,
    });
    await stripe.expire(sessionOf(checkout));
    await forget();
    await expectFixed(/: open here, expired at Stripe$/);
    expect(
      await world.sql("select from public.sponsorship_spots where sponsorship_id = $1", [id]),
    ).toHaveLength(0);
  });

  it("a subscription that ended", async () => {
    const { listing, subscription } = await featured();
    const forget = loseEvents();
    await stripe.cancelNow(subscription);
    await forget();
    await expectFixed(/subscription canceled/);
    expect(await world.row("places", listing.id)).toMatchObject({
      premium: false,
      subscription_status: "canceled",
    });
  });

  it("a subscription whose payment failed, and one whose card was fixed", async () => {
    const { listing, subscription } = await featured();
    const forget = loseEvents();
    await stripe.renew(subscription, "declined");
    await expectFixed(/subscription past_due/);
    expect(await world.row("places", listing.id)).toMatchObject({
      premium: true,
      subscription_status: "past_due",
    });
    await stripe.fixCard(subscription);
    await forget();
    await expectFixed(/subscription active/);
    expect(await world.row("places", listing.id)).toMatchObject({
      premium: true,
      subscription_status: "active",
    });
  });

  it("what a plan that has ended still says: credit that the team has returned, and a debit that has failed", async () => {
    const { listing, subscription } = await featured();
    const { account } = stripe;
    const setBalance = (balance: number) =>
      account.store.transaction(() => {
        const customer = account.customer(idOf(stripe.subscription(subscription).customer));
        account.save("customer", { ...customer, balance }, "customer.updated");
      });
    setBalance(-35_900);
    await stripe.cancelNow(subscription);
    // Recent orders are compared anyway.
    await world.sql("update public.orders set paid_at = now() - interval '40 days'");
    const page = `/listings/${listing.id}/billing`;
    expect(await owner.page(page)).toSay("You still have $359 in credit. Please get in touch");
    setBalance(0);
    await expectFixed(/subscription canceled/);
    expect(await owner.page(page)).not.toSay("credit");

    await world.sql("update public.subscriptions set awaits_payment = true");
    expect(await owner.page(page)).toSay("When it arrives, we’ll refund it.");
    await expectFixed(/subscription canceled/);
    expect(await owner.page(page)).not.toSay("refund");
  });

  it("a plan that goes on although its account was deleted", async () => {
    const { subscription } = await featured();
    await world.sql("delete from auth.users where id = $1", [owner.id]);
    await expectFixed(/^Subscription sub_\w+: its account was deleted, but it’s still running$/);
    expect(stripe.subscription(subscription).status).toBe("canceled");
  });

  it("a listing that was changed by hand", async () => {
    const { listing } = await featured();
    await world.sql("update public.places set premium = false where id = $1", [listing.id]);
    await expectFixed(/subscription active/);
    expect(await world.row("places", listing.id)).toMatchObject({ premium: true });
  });

  it("a payment that the team refunded at Stripe", async () => {
    const job = await newJob();
    const checkout = await openCheckoutAs(world, owner, { kind: "job", jobId: job });
    await stripe.pay(checkout);
    const forget = loseEvents();
    await stripe.refund(stripe.session(sessionOf(checkout)).payment_intent as string);
    await forget();
    await expectFixed(/: paid here, refunded at Stripe$/);
    expect(await world.row("jobs", job)).toMatchObject({ paid: false, published: false });
  });

  /** A job that was paid for 31 days ago. Returns the id of the payment. */
  async function paidLongAgo() {
    const job = await newJob();
    const checkout = await openCheckoutAs(world, owner, { kind: "job", jobId: job });
    await stripe.pay(checkout);
    const payment = stripe.session(sessionOf(checkout)).payment_intent as string;
    stripe.account.store.transaction(() => {
      const charge = stripe.account.store
        .all("charge")
        .find((one) => one.payment_intent === payment)!;
      stripe.account.store.put("charge", charge.id, {
        ...charge,
        created: charge.created - 31 * 86_400,
      });
    });
    await world.sql(
      "update public.orders set paid_at = paid_at - interval '31 days' where job_id = $1",
      [job],
    );
    await world.sql(
      "update public.jobs set expiration_date = expiration_date - interval '31 days' where id = $1",
      [job],
    );
    await world.sql(
      "update public.payments set paid_at = paid_at - interval '31 days' where id = $1",
      [payment],
    );
    return { job, payment };
  }

  it("a refund of a payment that was made long ago", async () => {
    const { job, payment } = await paidLongAgo();
    const forget = loseEvents();
    await stripe.refund(payment);
    await forget();
    await expectFixed(/: paid here, refunded at Stripe$/);
    expect(await world.row("jobs", job)).toMatchObject({ paid: false });
  });

  it.each([
    { days: 2, emails: 1 },
    { days: 40, emails: 0 },
  ])("a refund of $days days ago, with $emails emails about it", async ({ days, emails }) => {
    const { payment } = await paidLongAgo();
    const forget = loseEvents();
    await stripe.refund(payment);
    await forget();
    const [refund] = stripe.refunds(payment);
    stripe.account.store.transaction(() =>
      stripe.account.store.put("refund", refund!.id, {
        ...refund!,
        created: refund!.created - days * 86_400,
      }),
    );
    await reconcilePayments({ dryRun: false, days: 3650, log: log() });
    const sent = await world.sql(
      "select id from private.email_queue where kind = 'payment-returned' and recipient = $1",
      [owner.id],
    );
    expect(sent).toHaveLength(emails);
  });

  it("a dispute about a payment that was made long ago, and its end", async () => {
    const { job, payment } = await paidLongAgo();
    const forget = loseEvents();
    const { id } = await stripe.dispute(payment);
    await expectFixed(/: paid here, disputed at Stripe$/);
    stripe.account.store.transaction(() =>
      stripe.account.store.put("dispute", id, {
        ...stripe.account.get("dispute", id),
        created: Math.floor(Date.now() / 1000) - 31 * 86_400,
      }),
    );
    await stripe.closeDispute(id, false);
    await forget();
    await expectFixed(/^Payment pi_\w+: details differ$/);
    expect(await world.row("jobs", job)).toMatchObject({ paid: false });
  });

  it("the end of a dispute about a renewal", async () => {
    const { subscription } = await featured();
    await stripe.renew(subscription);
    const [{ id: payment }] = (await world.sql(
      "select id from public.payments where subscription_id = $1 and reason = 'renewal'",
      [subscription],
    )) as [{ id: string }];
    const { id } = await stripe.dispute(payment);
    const forget = loseEvents();
    await stripe.closeDispute(id, true);
    await forget();
    await expectFixed(/^Payment pi_\w+: subscription active$/);
    expect(await world.sql("select dispute from public.payments where id = $1", [payment])).toEqual(
      [{ dispute: "won" }],
    );
  });

  it("a refund that is due", async () => {
    const job = await newJob();
    const checkout = await openCheckoutAs(world, owner, { kind: "job", jobId: job });
    await stripe.pay(checkout);
    const { id } = await orderOf("job_id", job);
    await world.sql(
      "update public.orders set refund_reason = 'changed', seen = seen + 1 where id = $1",
      [id],
    );
    await expectFixed(/to be refunded/);
    expect(
      stripe.account.get(
        "payment_intent",
        stripe.session(sessionOf(checkout)).payment_intent as string,
      ),
    ).toBeDefined();
    expect(await orderOf("job_id", job)).toMatchObject({ status: "refunded" });
  });

  it("a customer with a former email address of the account", async () => {
    const { listing } = await featured();
    const customer = String((await world.row("places", listing.id))!["stripe_cus_id"]);
    await world.sql("update auth.users set email = $1 where id = $2", [
      `new-${owner.email}`,
      owner.id,
    ]);
    await expectFixed(
      new RegExp(`^Customer ${customer}: still has an email address that the account has left$`),
    );
    expect(await stripe.sdk.customers.retrieve(customer)).toMatchObject({
      email: `new-${owner.email}`,
    });
  });
});

it("names what was paid for an order that a restore has lost, until it is refunded and its plan has ended", async () => {
  const job = await newJob();
  const checkout = await openCheckoutAs(world, owner, { kind: "job", jobId: job });
  await stripe.pay(checkout);
  const ofJob = stripe.session(sessionOf(checkout)).payment_intent as string;
  const { subscription } = await featured();
  const ofPlan = stripe.account.store
    .all("charge")
    .find(({ payment_intent }) => payment_intent !== ofJob)!.payment_intent as string;
  // As before these orders.
  await forgetOrders(world);
  await world.sql(
    "update public.places set premium = false, stripe_cus_id = null, stripe_subscription_id = null, subscription_status = null where stripe_subscription_id = $1",
    [subscription],
  );
  const lost = async (dryRun = false) => {
    const { differences, failures } = await run(dryRun);
    expect(differences).toEqual([]);
    return failures
      .map((failure) => {
        expect(failure).toMatch(/^Order [0-9a-f-]{36}: not in this database, as after a restore; /);
        return failure.split("at Stripe: ")[1];
      })
      .sort();
  };
  expect(await lost(true)).toEqual([ofJob, `${ofPlan}, ${subscription}`].sort());
  expect(await lost()).toEqual([ofJob, `${ofPlan}, ${subscription}`].sort());

  // Another installation that sells on the same account needs no one's work.
  const session = stripe.session(sessionOf(checkout));
  const setAddress = (success_url: string | null) =>
    stripe.account.store.transaction(() =>
      stripe.account.store.put("checkout.session", session.id, { ...session, success_url }),
    );
  setAddress("https://other.example/jobs?paid=x");
  expect(await lost()).toEqual([`${ofPlan}, ${subscription}`]);
  expect((await run()).notes).toEqual([
    expect.stringMatching(
      `and bought at https://other.example. If that isn’t another installation, .* at Stripe: ${ofJob}$`,
    ),
  ]);
  setAddress(session.success_url);

  await stripe.refund(ofJob);
  expect(await lost()).toEqual([`${ofPlan}, ${subscription}`]);
  await stripe.refund(ofPlan);
  expect(await lost()).toEqual([subscription]);
  await stripe.cancelNow(subscription);
  expect(await lost()).toEqual([]);
});

it("leaves a customer at an address that the account took while the list was read", async () => {
  const { listing } = await featured();
  const customer = String((await world.row("places", listing.id))!["stripe_cus_id"]);
  const email = `new-${owner.email}`;
  outside.use(
    http.get(`${stripe.url}/v1/customers`, async () => {
      await world.sql("update auth.users set email = $1 where id = $2", [email, owner.id]);
      await stripe.sdk.customers.update(customer, { email });
    }),
  );
  expect(await run()).toMatchObject(NO_DIFFERENCE);
  expect(await stripe.sdk.customers.retrieve(customer)).toMatchObject({ email });
});

describe("the command", () => {
  const env = () => ({
    APP_URL: world.appUrl,
    SESSION_SECRET: "a secret for tests, of 32 and more characters",
    SUPABASE_URL: world.supabase.url,
    SUPABASE_PUBLISHABLE_KEY: world.supabase.publishableKey,
    SUPABASE_SECRET_KEY: world.supabase.secretKey,
    STRIPE_SECRET_KEY: stripe.secretKey,
    STRIPE_WEBHOOK_SECRET: stripe.webhookSecret,
    STRIPE_API_URL: stripe.url,
  });

  it("reports what it would fix, fixes it, and then reports nothing", async () => {
    const job = await newJob();
    const forget = loseEvents();
    await stripe.pay(await openCheckoutAs(world, owner, { kind: "job", jobId: job }));
    await forget();
    expect(await runScript("billing-reconcile", ["--dry-run"], env())).toMatchObject({
      code: 0,
      said: expect.stringMatching(
        /differs {2}Order .*: open here, paid at Stripe\n\d+ compared, 1 differ, 0 failed/,
      ),
    });
    expect(await world.row("jobs", job)).toMatchObject({ paid: false });
    expect(await runScript("billing-reconcile", [], env())).toMatchObject({
      code: 0,
      said: expect.stringMatching(/fixed {4}Order .*\n\d+ compared, 1 fixed, 0 failed/),
    });
    expect(await world.row("jobs", job)).toMatchObject({ paid: true });
    expect(await runScript("billing-reconcile", [], env())).toMatchObject({
      code: 0,
      said: expect.stringMatching(/compared, 0 fixed, 0 failed/),
    });
  });

  it("exits with 1 and a sentence when it can’t run, without printing a key", async () => {
    const wrong = await runScript("billing-reconcile", ["--days", "soon"], env());
    expect(wrong).toMatchObject({
      code: 1,
      said: expect.stringContaining("--days takes a number of days"),
    });
    const {
      STRIPE_SECRET_KEY: _key,
      STRIPE_WEBHOOK_SECRET: _secret,
      STRIPE_API_URL: _url,
      ...without
    } = env();
    expect(await runScript("billing-reconcile", [], without)).toMatchObject({
      code: 1,
      said: expect.stringContaining("No payments are set up"),
    });
    const refused = await runScript("billing-reconcile", [], {
      ...env(),
      STRIPE_SECRET_KEY: "sk_test_another",
    });
    expect(refused.code).toBe(1);
    expect(refused.said).not.toContain("sk_test_another");
  });

  it("continues with the other payments when Stripe fails for one, and counts the failure", async () => {
    const [one, other] = [await newJob(), await newJob()];
    const forget = loseEvents();
    const checkout = await openCheckoutAs(world, owner, { kind: "job", jobId: one });
    await stripe.pay(checkout);
    await stripe.pay(await openCheckoutAs(world, owner, { kind: "job", jobId: other }));
    await forget();
    outside.use(
      http.get(
        `${stripe.url}/v1/checkout/sessions/${sessionOf(checkout)}`,
        () => new HttpResponse("<html>", { status: 502 }),
      ),
    );
    const { differences, failures } = await run();
    expect(differences).toHaveLength(1);
    expect(failures).toEqual([expect.stringMatching(/^Order .*: unavailable/)]);
    expect(await world.row("jobs", other)).toMatchObject({ paid: true });
    outside.resetHandlers();
    expect(await run()).toMatchObject({
      differences: [expect.stringContaining("paid at Stripe")],
      failures: [],
    });
  });
});
