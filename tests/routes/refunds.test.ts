/** Refunds by the team, in full or in part, here or in Stripe's dashboard, and the books that show them. */
import { randomUUID } from "node:crypto";

import { http, HttpResponse } from "msw";
import { beforeEach, describe, expect, it } from "vitest";

import { buyingIn } from "../support/buying";
import { forgetPurchases } from "../support/forget-orders";
import { listNewsletterDates } from "../support/newsletter-dates";
import { outside } from "../support/outside";
import { createWorld, type Member } from "../support/world";

const world = await createWorld({ stripe: true });
const { stripe } = world;
const { buyPlan, buyJob, sponsor, countEmails } = buyingIn(world);

const threeDays = (await listNewsletterDates(world)).slice(6, 9);
const days = threeDays.slice(0, 2);

const admin = await world.admin();
let owner: Member;
beforeEach(async () => {
  await forgetPurchases(world);
  owner = await world.owner();
});

const orderPage = (order: string) => `/admin/payments/${order}`;
const endPage = (order: string) => `${orderPage(order)}/end`;
const refund = (order: string, fields: Record<string, string>) =>
  admin.submit(orderPage(order), {
    intent: "refund",
    refund: randomUUID(),
    note: "They asked nicely.",
    ...fields,
  });
const refundsOf = (payment: string) =>
  world.sql(
    "select cents::int, status, reason, note, attempt from public.refunds where payment_id = $1 order by created_at",
    [payment],
  );
/** Who did something to what has this id, as the audit log says, first to last; null for the service. */
const actorsOf = async (action: string, id: string) => {
  const entries = await world.sql(
    "select actor from public.audit_log where action = $1 and subject_id = $2 order by id",
    [action, id],
  );
  return entries.map(({ actor }) => actor);
};
const jobIs = async (id: number) => (await world.row("jobs", id)) as { paid: boolean };

describe("a buyer whose bank has returned a payment after a dispute", () => {
  it("reads on the page of the job why it was taken down, and gets one email about what that ended", async () => {
    const { payment, job } = await buyJob(owner);
    const { id: dispute } = await stripe.dispute(payment);
    await stripe.closeDispute(dispute, false);
    const page = await owner.page(`/jobs/${job}/status`);
    expect(page).toSay(
      "After a dispute, a bank returned the payment for this job, so we took it down. No one can see it. It goes live again once you pay.",
    );
    expect(page).not.toSay("No one can see this job yet");
    expect((await world.mailAbout(owner.email, "Your payment was returned")).text).toContain(
      "After a dispute, your bank returned the $5 you paid for a job listing.\n\nThat also ends the days this payment bought.",
    );
    expect(await countEmails(owner, "payment-returned")).toBe(1);
  });

  it("reads so also when they had begun to pay for more days", async () => {
    const { payment, job } = await buyJob(owner);
    await owner.submit(`/jobs/${job}/status`, { intent: "renew" });
    const { id: dispute } = await stripe.dispute(payment);
    await stripe.closeDispute(dispute, false);
    expect(await owner.page(`/jobs/${job}/status`)).toSay(
      "After a dispute, a bank returned the payment for this job, so we took it down.",
    );
  });

  it("reads so on the page of a newsletter order, too", async () => {
    const listing = await world.listing({ owner });
    const { checkout, payment, sponsorship } = await sponsor(owner, listing, days);
    await stripe.pay(checkout);
    const { id: dispute } = await stripe.dispute(payment());
    await stripe.closeDispute(dispute, false);
    const page = await owner.page(`/sponsor/${sponsorship}`);
    expect(page).toSay(
      "Your payment was returned After a dispute, your bank returned your payment to you, so this feature isn’t in the newsletters that were still to come.",
    );
    expect(page).not.toSay("Not paid yet");
    expect((await world.mailAbout(owner.email, "Your payment was returned")).text).toContain(
      "That also cancels the newsletters that haven’t gone out yet.",
    );
  });
});

describe("an admin", () => {
  it("refunds a part, which revokes nothing, and then the rest, which does; the buyer gets one email each", async () => {
    const { order, payment, job } = await buyJob(owner);
    expect(await refund(order, { payment, amount: "2" })).toRedirectTo(orderPage(order));
    const page = await admin.page(orderPage(order));
    expect(page).toSay("$2 refunded. The customer gets an email.");
    expect(page).toSay("A full refund also ends the days this payment bought.");
    expect(await jobIs(job)).toMatchObject({ paid: true });
    const mail = await world.mailAbout(owner.email, "Your refund");
    expect(mail.text).toContain("We refunded $2 of the $5 you paid for a job listing.");

    expect(mail.text).not.toContain("That also ends");

    await refund(order, { payment, amount: "3.00" });
    expect(await jobIs(job)).toMatchObject({ paid: false });
    const told = () =>
      world.supabase.mails.filter(
        ({ to, text }) =>
          to === owner.email && text.includes("That also ends the days this payment bought."),
      );
    await expect.poll(told).toHaveLength(1);
    expect(await refundsOf(payment)).toMatchObject([
      { cents: 200, status: "succeeded", reason: "team", note: "They asked nicely." },
      { cents: 300, status: "succeeded", reason: "team" },
    ]);
    expect(await countEmails(owner, "payment-returned")).toBe(2);
    expect(stripe.refunds(payment)).toHaveLength(2);
    const [logged] = await world.sql(
      "select count(*)::int as entries from public.audit_log where action = 'refund' and actor = $1 and subject = 'refunds'",
      [admin.id],
    );
    expect(logged).toMatchObject({ entries: 2 });
    expect(await admin.page(orderPage(order))).toSay("There’s nothing left to refund.");
  });

  it("and the buyer read the same of the newsletters that a full refund cancels", async () => {
    const listing = await world.listing({ owner });
    const { checkout, order, payment } = await sponsor(owner, listing, days);
    await stripe.pay(checkout);
    const canceled = "also cancels the newsletters that haven’t gone out yet.";
    expect(await admin.page(orderPage(order))).toSay(`A full refund ${canceled}`);
    const [{ cents }] = (await world.sql("select cents::int from public.payments where id = $1", [
      payment(),
    ])) as [{ cents: number }];
    await refund(order, { payment: payment(), amount: String(cents / 100) });
    const mail = await world.mailAbout(owner.email, "Your refund");
    expect(mail.text).toContain(`That ${canceled}`);
  });

  it("reads that no email goes to a buyer whose account was deleted", async () => {
    const { order, payment } = await buyJob(owner);
    await admin.post(`/admin/users/${owner.id}/delete`, { intent: "delete" });
    expect(await refund(order, { payment, amount: "2" })).toRedirectTo(orderPage(order));
    expect(await admin.page(orderPage(order))).toSay(
      "$2 refunded. The customer’s account was deleted, so they don’t get an email.",
    );
    expect(await countEmails(owner, "payment-returned")).toBe(0);
  });

  it("reads that Stripe hasn’t confirmed a refund that it answers about without having made it", async () => {
    const { order, payment } = await buyJob(owner);
    const error = { type: "invalid_request_error", code: "charge_already_refunded" };
    outside.use(
      http.post(`${stripe.url}/v1/refunds`, () => HttpResponse.json({ error }, { status: 400 })),
    );
    await refund(order, { payment, amount: "2" });
    const page = await admin.page(orderPage(order));
    expect(page).toSay("The refund of $2 is saved, but Stripe hasn’t confirmed it yet.");
    expect(page).not.toSay("$2 refunded.");
  });

  it("refunds nothing from a page that shows no refund that was made since", async () => {
    const { order, payment } = await buyJob(owner);
    const opened = await admin.page(orderPage(order));
    await refund(order, { payment, amount: "2", left: opened.value("left")! });
    const late = await refund(order, { payment, amount: "2", left: opened.value("left")! });
    expect(late).toHaveStatus(409);
    expect(late).toSay("Another refund on this order came first.");
    expect(stripe.refunds(payment)).toHaveLength(1);
    expect(await refund(order, { payment, amount: "2", left: late.value("left")! })).toRedirectTo(
      orderPage(order),
    );
    expect(stripe.refunds(payment)).toHaveLength(2);
  });

  it("refunds once by a form that is sent twice, and again by a new one", async () => {
    const { order, payment } = await buyJob(owner);
    const id = (await admin.page(orderPage(order))).value("refund")!;
    for (const again of [id, id, randomUUID()])
      expect(await refund(order, { refund: again, payment, amount: "2" })).toRedirectTo(
        orderPage(order),
      );
    expect(stripe.refunds(payment).map(({ amount }) => amount)).toEqual([200, 200]);
    expect(await countEmails(owner, "payment-returned")).toBe(2);
    expect((await refund(order, { refund: "x", payment, amount: "1" })).status).toBe(400);
  });

  it("says that a form was sent already, when it is sent again with another amount", async () => {
    const { order, payment } = await buyJob(owner);
    const id = (await admin.page(orderPage(order))).value("refund")!;
    await refund(order, { refund: id, payment, amount: "1" });
    const again = await refund(order, { refund: id, payment, amount: "3" });
    expect(again).toHaveStatus(409);
    expect(again).toSay("This form was already sent, with another amount");
    expect(stripe.refunds(payment).map(({ amount }) => amount)).toEqual([100]);
    // A webhook that comes late would say that the refund succeeded.
    await stripe.deliverWebhooks();
    await world.sql("update public.refunds set status = 'failed' where id = $1", [id]);
    expect(await refund(order, { refund: id, payment, amount: "1" })).toHaveStatus(409);
  });

  it.each([
    ["more than was paid", { amount: "5.01" }, "That’s more than what’s left of this payment."],
    ["nothing", { amount: "0" }, "Enter an amount in dollars"],
    ["a negative amount", { amount: "-1" }, "Enter an amount in dollars"],
    ["no number", { amount: "all" }, "Enter an amount in dollars"],
    ["without a reason", { amount: "1", note: " " }, "Enter a reason"],
    [
      "someone else’s payment",
      { amount: "1", payment: "other" },
      "That payment belongs to another order.",
    ],
    [
      "an invented payment",
      { amount: "1", payment: "pi_invented" },
      "That payment belongs to another order.",
    ],
  ])(
    "can’t refund %s, and nothing happens",
    async (_what, fields: Record<string, string>, message) => {
      const [{ order, payment }, other] = [await buyJob(owner), await buyJob(await world.owner())];
      const answer = await refund(order, {
        payment,
        ...fields,
        ...(fields["payment"] === "other" ? { payment: other.payment } : {}),
      });
      expect(answer).toSay(message);
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect([...(await refundsOf(payment)), ...(await refundsOf(other.payment))]).toEqual([]);
      expect(stripe.refunds(payment)).toEqual([]);
    },
  );

  it("can’t refund in another currency, what is disputed, or more by sending it ten times at once", async () => {
    const { order, payment } = await buyJob(owner);
    const inEuros = await world.sql("select private.add_refund($1, 1, 'team')", [payment]);
    expect(inEuros).toHaveLength(1);
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => refund(order, { payment, amount: "4.00" })),
    );
    expect(answers.filter(({ status }) => status === 303)).toHaveLength(1);
    const back = stripe.refunds(payment).reduce((sum, { amount }) => sum + amount, 0);
    expect(back).toBeLessThanOrEqual(500);

    const disputed = await buyJob(owner);
    await stripe.dispute(disputed.payment);
    expect(await refund(disputed.order, { payment: disputed.payment, amount: "1" })).toSay(
      "The customer’s bank is still reviewing a dispute about this payment",
    );
    expect(await admin.page(orderPage(disputed.order))).not.toSay("nothing left to refund");
    await expect
      .poll(async () => (await world.mailAbout(admin.email, "A payment is disputed")).text)
      .toContain("$5");
  });

  it("hears of a bank debit that is returned, which is lost at once, and that its plan goes on", async () => {
    const listing = await world.listing({ owner });
    const plan = await buyPlan(owner, listing, "twelve_months");
    const [payment] = await world.sql("select id from public.payments where subscription_id = $1", [
      plan,
    ]);
    stripe.pauseWebhooks();
    const { id } = await stripe.dispute(String(payment!["id"]));
    await stripe.closeDispute(id, false);
    await stripe.resumeWebhooks();
    const mail = await world.mailAbout(admin.email, "A payment was returned");
    expect(mail.text).toContain(
      "A customer’s bank has returned the $408 they paid for a Featured listing. Stripe has withdrawn the money, and there’s no dispute to answer.",
    );
    expect(mail.text).toContain("The plan goes on, and will be charged again.");
    expect(mail.links[0]).toContain(`${world.appUrl}/admin/payments/`);
    await owner.submit(`/listings/${listing.id}/billing`, { intent: "cancel-plan" });

    const job = await buyJob(owner);
    stripe.pauseWebhooks();
    const ofJob = await stripe.dispute(job.payment);
    await stripe.closeDispute(ofJob.id, false);
    await stripe.resumeWebhooks();
    await expect
      .poll(async () => (await world.mailAbout(admin.email, "A payment was returned")).text)
      .toContain("the $5 they paid for a job listing");
    expect((await world.mailAbout(admin.email, "A payment was returned")).text).not.toContain(
      "The plan goes on",
    );
  });

  it("is the only one who sees orders, the books, and refunds", async () => {
    const { order } = await buyJob(owner);
    for (const path of [orderPage(order), endPage(order), "/admin/payments", "/admin/payments.csv"])
      expect(await owner.page(path)).toBeForbidden();
    expect(await admin.page("/admin/payments/00000000-0000-4000-8000-000000000000")).toBeNotFound();
  });

  it.each([
    ["goes on", true],
    ["has ended", false],
    ["ends with their listing", false],
  ])(
    "refunds all of a plan’s payment; its buyer reads that it goes on, if it does: it %s",
    async (state, goesOn) => {
      const listing = await world.listing({ owner });
      await buyPlan(owner, listing);
      const [paid] = await world.sql(
        "select id, order_id, cents from public.payments where owner = $1",
        [owner.id],
      );
      const {
        id,
        order_id: order,
        cents,
      } = paid as { id: string; order_id: string; cents: string };
      if (state === "has ended")
        await admin.submit(orderPage(order), { intent: "end-subscription" });
      if (state === "ends with their listing")
        await owner.post(`/listings/${listing.id}/visibility`, { intent: "archive" });
      await refund(order, { payment: id, amount: String(Number(cents) / 100) });
      const { text } = await world.mailAbout(owner.email, "Your refund");
      expect(text).toContain("for a Featured listing.");
      const words = "Your plan continues, and you’ll be charged again when it renews.";
      expect(text.includes(words)).toBe(goesOn);
    },
  );

  it("reads what an order cost with its discount, as its buyer does", async () => {
    const listing = await world.listing({ owner });
    const plan = await buyPlan(owner, listing, "monthly");
    const [{ id }] = (await world.sql(
      "select id from public.orders where stripe_subscription_id = $1",
      [plan],
    )) as [{ id: string }];
    const page = await admin.page(orderPage(id));
    expect(page).toSay("Paid, $29, ordered");
    expect(page).not.toSay("$49");
  });

  it("ends a subscription from its order’s page, in their own name, as the customer reads", async () => {
    const listing = await world.listing({ owner, name: "Café X" });
    const subscription = await buyPlan(owner, listing);
    const [row] = await world.sql("select id from public.orders where place_id = $1", [listing.id]);
    const question = await admin.page(endPage(String(row!["id"])));
    expect(question.title).toMatch(/^End the plan for Café X · /);
    expect(question).toSay("End the plan for “Café X” now?");
    expect(question).toSay("You can’t undo this.");
    expect(question.body).toContain(`action="${orderPage(String(row!["id"]))}"`);
    expect(stripe.subscription(subscription).status).toBe("active");
    await admin.submit(orderPage(String(row!["id"])), { intent: "end-subscription" });
    expect(stripe.subscription(subscription).status).toBe("canceled");
    expect(await world.row("places", listing.id)).toMatchObject({ premium: false });
    expect(await actorsOf("end-plan", subscription)).toEqual([admin.id]);
    expect(await admin.page("/admin/audit?action=end-plan")).toSay("Asked Stripe to end the plan");
    const mail = await world.mailAbout(owner.email, "Your plan has ended");
    expect(mail.text).toContain("Our team has ended your plan for “Café X”.");
    expect(mail.text).not.toContain("as you asked");
    // Sent again, there is nothing to end, and so nothing to log.
    expect(await admin.get(endPage(String(row!["id"])))).toRedirectTo(
      orderPage(String(row!["id"])),
    );
    await admin.submit(orderPage(String(row!["id"])), { intent: "end-subscription" });
    expect(await actorsOf("end-plan", subscription)).toHaveLength(1);
  });

  it("ends a subscription whose payment failed, and no older email leads to paying for it anymore", async () => {
    const listing = await world.listing({ owner, name: "Café X" });
    const subscription = await buyPlan(owner, listing);
    const [row] = await world.sql("select id from public.orders where place_id = $1", [listing.id]);
    await stripe.renew(subscription, "declined");
    await admin.submit(orderPage(String(row!["id"])), { intent: "end-subscription" });
    expect(stripe.subscription(subscription).status).toBe("canceled");
    const { data } = await stripe.sdk.invoices.list({ subscription });
    expect(data.map(({ status }) => status)).toEqual(["void", "paid"]);
  });
});

describe("a refund in Stripe’s dashboard", () => {
  it("of a renewal is recorded for that payment alone", async () => {
    const listing = await world.listing({ owner, name: "Café X" });
    await stripe.renew(await buyPlan(owner, listing));
    const [first, second] = await world.sql(
      "select id, reason from public.payments where owner = $1 order by reason",
      [owner.id],
    );
    expect([first!["reason"], second!["reason"]]).toEqual(["purchase", "renewal"]);
    await stripe.refund(String(second!["id"]), 1000);
    expect(
      await world.sql(
        "select refunded_cents::int as back from public.payments where owner = $1 order by reason",
        [owner.id],
      ),
    ).toEqual([{ back: 0 }, { back: 1000 }]);
    expect(await world.row("places", listing.id)).toMatchObject({ premium: true });
    expect(await countEmails(owner, "payment-returned")).toBe(1);
  });

  it("leads to the same state as one that is made here", async () => {
    const [here, there] = [await buyJob(owner), await buyJob(owner)];
    await refund(here.order, { payment: here.payment, amount: "5" });
    await stripe.refund(there.payment);
    const stateOf = (order: string, job: number) =>
      world.sql(
        `select o.status, o.amount_refunded_cents::int as back, o.revoked_at is not null as revoked, j.paid, j.published,
           p.refunded_cents::int as refunded
         from public.orders o join public.jobs j on j.id = $2 join public.payments p on p.order_id = o.id where o.id = $1`,
        [order, job],
      );
    expect(await stateOf(there.order, there.job)).toEqual(await stateOf(here.order, here.job));
  });

  it("keeps as many of the pending refunds as fit together", async () => {
    const { order, payment } = await buyJob(owner);
    outside.use(
      http.post(`${stripe.url}/v1/refunds`, () => HttpResponse.json({}, { status: 500 })),
    );
    for (const amount of ["2", "2"]) await refund(order, { payment, amount });
    await stripe.refund(payment, 200);
    expect(await refundsOf(payment)).toMatchObject([
      { cents: 200, status: "requested", reason: "team" },
      { cents: 200, status: "canceled", reason: "team" },
      { cents: 200, status: "succeeded", reason: "elsewhere" },
    ]);
  });
});

describe("a refund that fails later", () => {
  it("has a state, reaches the team, and is tried again under a new key, at night or by hand", async () => {
    const { order, payment } = await buyJob(owner);
    await refund(order, { payment, amount: "5" });
    await stripe.failRefund(stripe.refunds(payment)[0]!.id);
    expect(await refundsOf(payment)).toMatchObject([{ status: "failed", attempt: 1 }]);
    expect((await world.mailAbout(admin.email, "A refund failed")).text).toContain("$5");
    expect(await admin.page(orderPage(order))).toSay("Returned by the bank");
    expect(await owner.page("/account/purchases")).toSay("Refund delayed");

    const { reconcilePayments } = await import("~/modules/billing/reconcile.server");
    const { log } = await import("~/http/log.server");
    const night = (dryRun: boolean) => reconcilePayments({ dryRun, days: 30, log: log() });
    const predicted = await night(true);
    expect(predicted.differences.filter((one) => one.includes(order))).toEqual([
      expect.stringContaining("a refund failed and is tried again"),
    ]);
    expect((await night(false)).differences).toEqual(predicted.differences);
    expect(await refundsOf(payment)).toMatchObject([{ status: "succeeded", attempt: 2 }]);
    expect(stripe.refunds(payment).map(({ status }) => status)).toEqual(["succeeded", "failed"]);
    // The news of the first attempt, arriving again, changes nothing.
    await stripe.deliver(stripe.events("refund").map(({ id }) => id));
    expect(await refundsOf(payment)).toMatchObject([{ status: "succeeded", attempt: 2 }]);

    await stripe.failRefund(stripe.refunds(payment)[0]!.id);
    const [row] = await world.sql("select id from public.refunds where payment_id = $1", [payment]);
    await admin.submit(orderPage(order), { intent: "retry", refund: String(row!["id"]) });
    expect(await refundsOf(payment)).toMatchObject([{ status: "succeeded", attempt: 3 }]);
    expect(await actorsOf("retry-refund", String(row!["id"]))).toEqual([null, admin.id]);
    expect(await countEmails(owner, "payment-returned")).toBe(1);
  });

  it("and was then made by hand, is over: nothing fails each night", async () => {
    const { order, payment } = await buyJob(owner);
    await refund(order, { payment, amount: "5" });
    await stripe.failRefund(stripe.refunds(payment)[0]!.id);
    await stripe.refund(payment);
    expect(await refundsOf(payment)).toMatchObject([
      { status: "canceled" },
      { status: "succeeded" },
    ]);
    const { reconcilePayments } = await import("~/modules/billing/reconcile.server");
    const { log } = await import("~/http/log.server");
    const night = await reconcilePayments({ dryRun: false, days: 30, log: log() });
    expect(night.differences.filter((one) => one.includes(order))).toEqual([]);
  });

  describe("of a part of the payment", () => {
    /** Buys newsletters, cancels all but the last, and the bank returns the refund. */
    async function cancelAllButOne(dates = days) {
      const listing = await world.listing({ owner, name: "Café X" });
      const { checkout, payment, order, sponsorship } = await sponsor(owner, listing, dates);
      await stripe.pay(checkout);
      const page = `/sponsor/${sponsorship}`;
      await owner.submit(page, { intent: "cancel-dates", date: dates.slice(0, -1) });
      await stripe.failRefund(stripe.refunds(payment())[0]!.id);
      return { order, payment: payment(), page, sponsorship };
    }
    async function passNight() {
      const { reconcilePayments } = await import("~/modules/billing/reconcile.server");
      const { log } = await import("~/http/log.server");
      await reconcilePayments({ dryRun: false, days: 30, log: log() });
    }
    const returned = (payment: string) =>
      stripe
        .refunds(payment)
        .filter(({ status }) => status !== "failed")
        .reduce((sum, { amount }) => sum + amount, 0);

    it.each(["here", "in Stripe’s dashboard"])(
      "is not made twice when someone makes it by hand %s, and the other newsletter stays",
      async (where) => {
        const { order, payment, sponsorship } = await cancelAllButOne();
        if (where === "here") await refund(order, { payment, amount: "45" });
        else await stripe.refund(payment, 4500);
        await passNight();
        // The news of the first attempt, arriving again, changes nothing.
        await stripe.deliver(stripe.events("refund").map(({ id }) => id));
        await passNight();
        expect(returned(payment)).toBe(4500);
        expect(await refundsOf(payment)).toMatchObject([
          { cents: 4500, status: "canceled", reason: "canceled" },
          { cents: 4500, status: "succeeded" },
        ]);
        expect(await world.row("sponsorships", sponsorship)).toMatchObject({ paid: true });
      },
    );

    it("is still made as far as it fits when the team tries a smaller one by hand", async () => {
      const { order, payment } = await buyJob(owner);
      await refund(order, { payment, amount: "5" });
      await stripe.failRefund(stripe.refunds(payment)[0]!.id);
      await refund(order, { payment, amount: "1" });
      expect(await refundsOf(payment)).toMatchObject([
        { cents: 500, status: "canceled" },
        { cents: 100, status: "succeeded" },
        { cents: 400, status: "failed" },
      ]);
      await passNight();
      expect(returned(payment)).toBe(500);
      await passNight();
      expect(stripe.refunds(payment)).toHaveLength(3);
    });

    it("is made again once, also when the team had made it in Stripe’s dashboard", async () => {
      const { payment, job } = await buyJob(owner);
      await stripe.refund(payment, 100);
      await stripe.failRefund(stripe.refunds(payment)[0]!.id);
      for (let night = 1; night <= 3; night += 1) await passNight();
      expect(stripe.refunds(payment).map(({ status }) => status)).toEqual(["succeeded", "failed"]);
      expect(await refundsOf(payment)).toMatchObject([{ status: "succeeded", attempt: 2 }]);
      expect(await jobIs(job)).toMatchObject({ paid: true });
    });

    it("is still made when the team refunds another amount, or another newsletter is canceled", async () => {
      const first = await cancelAllButOne();
      await refund(first.order, { payment: first.payment, amount: "10" });
      await passNight();
      expect(returned(first.payment)).toBe(5500);

      const second = await cancelAllButOne();
      await owner.submit(second.page, { intent: "cancel-dates", date: days.slice(1) });
      await passNight();
      expect(returned(second.payment)).toBe(9000);

      const third = await cancelAllButOne();
      await refund(third.order, { payment: third.payment, amount: "10" });
      await owner.submit(third.page, { intent: "cancel-dates", date: days.slice(1) });
      await passNight();
      expect(returned(third.payment)).toBe(9000);
    });

    it("is part of what the last newsletter’s sponsor gets back, when it didn’t fit anymore", async () => {
      const { order, payment, page } = await cancelAllButOne(threeDays);
      // Of $135, $90 were returned by the bank, and $85 are left: refunded in full, the last newsletter would be lost.
      await refund(order, { payment, amount: "50" });
      await passNight();
      expect(returned(payment)).toBe(5000);
      await owner.submit(page, { intent: "cancel-dates", date: threeDays.slice(2) });
      expect(returned(payment)).toBe(13500);
    });
  });

  it("waits for a dispute about its payment, and isn’t made once that is lost, as the team reads", async () => {
    const { order, payment } = await buyJob(owner);
    await refund(order, { payment, amount: "1" });
    await stripe.failRefund(stripe.refunds(payment)[0]!.id);
    const returned = (await admin.page(orderPage(order))).value("refund")!;
    const { id: dispute } = await stripe.dispute(payment);
    expect(await admin.page(orderPage(order))).not.toSay("Try again");
    // From a page that was opened before.
    await admin.submit(orderPage(order), { intent: "retry", refund: returned });
    expect(await admin.page(orderPage(order))).toSay("Waiting for the dispute");
    await stripe.closeDispute(dispute, false);
    const page = await admin.page(orderPage(order));
    expect(page).toSay("Not sent: the dispute was lost");
    expect(page).not.toSay("Not sent yet");
  });
});

describe("the books of a month", () => {
  it("have every cent that Stripe has: payments, refunds, and disputes", async () => {
    const listing = await world.listing({ owner, name: "Café X" });
    await stripe.renew(await buyPlan(owner, listing));
    const [partly, won, lost] = [await buyJob(owner), await buyJob(owner), await buyJob(owner)];
    await stripe.refund(partly.payment, 123);
    const disputes = [await stripe.dispute(won.payment), await stripe.dispute(lost.payment)];
    await stripe.closeDispute(disputes[0]!.id, true);
    await stripe.closeDispute(disputes[1]!.id, false);

    const months = new Set(
      stripe.account.store
        .all("charge")
        .map(({ created }) => new Date(created * 1000).toISOString().slice(0, 7)),
    );
    let sum = 0;
    for (const month of months) {
      const csv = await admin.page(`/admin/payments.csv?month=${month}`);
      expect(csv).toHaveStatus(200);
      const [head, ...rows] = csv.body.trim().split("\r\n");
      const column = head!.replace("\uFEFF", "").split(",").indexOf("Amount");
      for (const row of rows) sum += Math.round(Number(row.split(",")[column]) * 100);
    }
    const charged = stripe.account.store
      .all("charge")
      .filter(({ paid }) => paid)
      .reduce((total, { amount_captured }) => total + amount_captured, 0);
    const refunded = stripe.account.store
      .all("refund")
      .filter(({ status }) => status !== "failed")
      .reduce((total, { amount }) => total + amount, 0);
    const withdrawn = stripe.account.store
      .all("dispute")
      .filter(({ status }) => status !== "won")
      .reduce((total, { amount }) => total + amount, 0);
    expect(sum).toBe(charged - refunded - withdrawn);
    expect(await admin.page("/admin/payments")).toSay("Balance");
  });

  it("stay as they were when a refund that the bank returned is tried again, or made by hand", async () => {
    const { order, payment } = await buyJob(owner);
    await refund(order, { payment, amount: "2" });
    await refund(order, { payment, amount: "3" });
    const [three, two] = stripe.refunds(payment).map(({ id }) => id) as [string, string];
    await stripe.failRefund(two);
    await stripe.failRefund(three);
    const movements = async () => {
      const csv = await admin.page("/admin/payments.csv");
      return csv.body
        .split("\r\n")
        .filter((row) => row.includes(payment))
        .map((row) => row.split(","))
        .map((cells) => `${cells[1]} ${cells[5]} ${cells[9]}`)
        .sort();
    };
    const before = await movements();
    expect((await admin.page("/admin/payments.csv")).body).toMatch(
      new RegExp(`,Payment,Job listing,[^,]*,Purchase,5,.*${payment}`),
    );
    expect(before).toEqual(
      [
        `Payment 5 `,
        `Refund -2 ${two}`,
        `Refund -3 ${three}`,
        `Refund returned by the bank 2 ${two}`,
        `Refund returned by the bank 3 ${three}`,
      ].sort(),
    );

    const [row] = await world.sql("select id from public.refunds where stripe_id = $1", [two]);
    await admin.submit(orderPage(order), { intent: "retry", refund: String(row!["id"]) });
    await stripe.refund(payment, 300);
    const [byHand, again] = stripe.refunds(payment).map(({ id }) => id) as [string, string];
    expect(await movements()).toEqual(
      [...before, `Refund -2 ${again}`, `Refund -3 ${byHand}`].sort(),
    );
  });
});

describe("the next owner of a job, which went with its listing", () => {
  const jobOfNextOwner = async () => {
    const listing = await world.listing({ owner });
    const next = await world.owner();
    const bought = await buyJob(owner);
    await world.sql("update public.jobs set place_id = $1 where id = $2", [listing.id, bought.job]);
    await world.sql("update public.places set owner = $1 where id = $2", [next.id, listing.id]);
    expect(await world.row("jobs", bought.job)).toMatchObject({ owner: next.id, paid: true });
    return { ...bought, next };
  };

  it("hears that it was taken down because its payment was returned to who had made it", async () => {
    const { payment, job, next } = await jobOfNextOwner();
    const { id: dispute } = await stripe.dispute(payment);
    await stripe.closeDispute(dispute, false);
    const { text, links } = await world.mailAbout(next.email, "About your job listing");
    expect(text).toContain("and that payment was returned to them.");
    expect(text).toContain("So the job has no days left, and no one can see it.");
    expect(links).toContain(`${world.appUrl}/jobs/${job}/status`);
    const page = await next.page(`/jobs/${job}/status`);
    expect(page).toSay("No one can see this job. It goes live once you pay.");
    // Who made the payment hears of it in an email of their own.
    expect(await countEmails(owner, "payment-returned")).toBe(1);
    expect(await countEmails(owner, "job-payment-returned")).toBe(0);
    // Sent after the job was paid for again, it wouldn't be true.
    const isOutdated = async () =>
      (
        await world.sql(
          "select private.is_outdated('job-payment-returned', jsonb_build_object('job_id', $1::bigint), $2) as yes",
          [job, next.id],
        )
      )[0]!["yes"];
    expect(await isOutdated()).toBe(false);
    await stripe.pay((await next.submit(`/jobs/${job}/status`, { intent: "pay" })).location!);
    expect(await isOutdated()).toBe(true);
  });

  it("hears how long it stays when they have paid for days of their own", async () => {
    const { order, payment, job, next } = await jobOfNextOwner();
    const renewal = await next.submit(`/jobs/${job}/status`, { intent: "renew" });
    await stripe.pay(renewal.location!);
    await refund(order, { payment, amount: "5" });
    const { text } = await world.mailAbout(next.email, "About your job listing");
    expect(text).toContain("and that payment was returned to them.");
    expect(text).toMatch(/So the job has fewer days left: it expires on \w+ \d+, \d{4} at /);
    expect(await jobIs(job)).toMatchObject({ paid: true });
  });

  it("hears nothing where that took nothing away: the job had expired, or only their own days were left", async () => {
    const { payment, job, next } = await jobOfNextOwner();
    const other = await jobOfNextOwner();
    const renewal = await other.next.submit(`/jobs/${other.job}/status`, { intent: "renew" });
    await stripe.pay(renewal.location!);
    const expires = (id: number, at: string) =>
      world.sql(`update public.jobs set expiration_date = now() + interval '${at}' where id = $1`, [
        id,
      ]);
    await expires(job, "-20 days");
    await expires(other.job, "5 days");
    for (const one of [payment, other.payment]) {
      const { id: dispute } = await stripe.dispute(one);
      await stripe.closeDispute(dispute, false);
    }
    expect(await countEmails(owner, "payment-returned")).toBe(2);
    expect(await countEmails(next, "job-payment-returned")).toBe(0);
    expect(await countEmails(other.next, "job-payment-returned")).toBe(0);
  });
});
