/** Canceling newsletters that are paid for, and deleting unpaid orders. */
import { randomUUID } from "node:crypto";

import { bypass, http, HttpResponse } from "msw";
import { beforeEach, describe, expect, it, vi } from "vitest";

import { buyingIn } from "../support/buying";
import { forgetSponsors } from "../support/forget-orders";
import { sponsorshipForm } from "../support/forms";
import { listNewsletterDates } from "../support/newsletter-dates";
import { outside } from "../support/outside";
import type { PayOptions } from "../support/stripe";
import { createWorld, type Member } from "../support/world";

const world = await createWorld({ stripe: true });
const { DAY_MS, formatFullDate, formatShortDate } = await import("~/text/dates");
const { stripe } = world;
const { sponsor, sessionAt, buyJob, countEmails } = buyingIn(world);
const days = await listNewsletterDates(world);
const far = days.slice(6, 9) as [string, string, string];

const admin = await world.admin();
let owner: Member;
let listing: { id: number };
beforeEach(async () => {
  await forgetSponsors(world);
  owner = await world.owner();
  listing = await world.listing({ owner, name: "Café X" });
});

async function buy(dates: string[], options: PayOptions = {}, fields = {}) {
  const ordered = await sponsor(owner, listing, dates, fields);
  await stripe.pay(ordered.checkout, options);
  return { ...ordered, path: `/sponsor/${ordered.sponsorship}`, payment: ordered.payment() };
}
const cancel = (path: string, dates: string[]) =>
  owner.submit(path, { intent: "cancel-dates", date: dates });
const spotsOf = async (day: string) =>
  (
    await world.sql(
      "select paid_count as paid from public.sponsorship_dates where weekday_date = $1",
      [day],
    )
  )[0]?.["paid"];
const back = (payment: string) =>
  stripe.refunds(payment).reduce((sum, { amount }) => sum + amount, 0);
/** A booked newsletter goes out: it was for the latest day until today. Returns that day. */
async function send(sponsorship: number, booked: string): Promise<string> {
  const [{ day }] = (await world.sql(
    `select max(d)::date::text as day from generate_series(private.today() - 6, private.today(), interval '1 day') d
     where private.is_newsletter_day(d::date)`,
  )) as [{ day: string }];
  await world.sql(
    `insert into public.sponsorship_dates as d (weekday_date, paid_count) values ($1, 1)
     on conflict (weekday_date) do update set paid_count = d.paid_count + 1`,
    [day],
  );
  await world.sql(
    "update public.sponsorship_dates set paid_count = paid_count - 1 where weekday_date = $1",
    [booked],
  );
  await world.sql(
    "update public.sponsorship_spots set weekday_date = $2 where sponsorship_id = $1 and weekday_date = $3",
    [sponsorship, day, booked],
  );
  await world.sql(
    `update public.sponsorships set sponsorship_dates = array_replace(sponsorship_dates, $3::date, $2::date)
     where id = $1`,
    [sponsorship, day, booked],
  );
  return day;
}
const setDeadline = (count: string) =>
  admin.submit("/admin/newsletter-dates", { intent: "deadline", days: count });

describe("a buyer", () => {
  it("reads what stays booked, how to cancel it, and which jobs have gone, when the listing leaves them, as its next owner reads what is booked", async () => {
    const { path } = await buy([far[0], far[2]]);
    const { job } = await buyJob(owner);
    await world.sql("update public.jobs set place_id = $1 where id = $2", [listing.id, job]);
    const next = await world.owner();
    await world.sql("update public.places set owner = $1, owner_email = $2 where id = $3", [
      next.id,
      next.email,
      listing.id,
    ]);
    const { deliverEmailQueue } = await import("~/modules/emails/deliver-queue.server");
    await deliverEmailQueue();
    const { text } = await world.mailAbout(owner.email, "A change to your account");
    expect(text).toContain("1 paid job went with it, so you can’t edit or renew it anymore.");
    expect(text).toContain(
      `The listing is still booked for the newsletters on ${formatShortDate(far[0])} and ${formatShortDate(far[2])}.`,
    );
    // And so does the next owner.
    const received = await world.mailAbout(next.email, "You have a new listing");
    expect(received.text).toContain(
      `A former owner has booked it for the newsletters on ${formatShortDate(far[0])} and ${formatShortDate(far[2])}.`,
    );
    expect(await cancel(path, [far[0], far[2]])).toRedirectTo(path);
  });

  it("reads apart which of those newsletters can’t be canceled anymore, by what was promised when they paid", async () => {
    const { queueRenewalNotices } = await import("~/modules/billing/emails.server");
    const { deliverEmailQueue } = await import("~/modules/emails/deliver-queue.server");
    const [soon, later] = [days[0], days[4]!];
    const { order } = await buy([soon, later]);
    await world.sql(`do $$ begin
      set local session_replication_role = replica;
      update public.places set status = 'flagged', modified_at = now() - interval '1 day' where id = ${listing.id};
    end $$`);
    const read = async () => {
      await world.sql("delete from private.email_queue where kind = 'feature-unseen'");
      await queueRenewalNotices();
      await deliverEmailQueue();
      return (await world.mailAbout(owner.email, "About your newsletter dates")).text;
    };
    // Both of them can be canceled until the day before.
    await setDeadline("10");
    await world.sql("update public.orders set cancellation_days = 0 where id = $1", [order]);
    expect(await read()).not.toContain("too late");
    await world.sql("update public.orders set cancellation_days = 10 where id = $1", [order]);
    const [booked, late] = (await read()).split("It’s too late to cancel these:");
    expect(booked).toContain(`You’ve booked:\n\n• ${formatFullDate(later)}`);
    expect(booked).not.toContain(formatFullDate(soon));
    expect(late).toContain(formatFullDate(soon));
    await world.sql("update public.orders set cancellation_days = 60 where id = $1", [order]);
    await setDeadline("60");
    expect(await read()).toMatch(/You’ve booked these, and it’s too late to cancel:\n\n• .*\n• /);
    await setDeadline("3");
  });

  it("reads so although someone saves the listing again and again while it waits to be seen", async () => {
    const { queueRenewalNotices } = await import("~/modules/billing/emails.server");
    await buy([days[0], days[4]!]);
    await world.sql(`do $$ begin
      set local session_replication_role = replica;
      update public.places set status = 'new', waiting_since = now() - interval '1 day', modified_at = now()
        where id = ${listing.id};
    end $$`);
    await world.sql("delete from private.email_queue where kind = 'feature-unseen'");
    await queueRenewalNotices();
    expect(await countEmails(owner, "feature-unseen")).toBe(1);
    await world.sql("delete from private.email_queue where kind = 'feature-unseen'");
  });

  it("reads in an email that comes late which of them can be canceled by then, and nothing once all have gone out", async () => {
    const { queueRenewalNotices } = await import("~/modules/billing/emails.server");
    const { deliverEmailQueue, settleEmailDelivery } =
      await import("~/modules/emails/deliver-queue.server");
    const [soon, later] = [days[1], days[3]!];
    await setDeadline("2");
    await buy([soon, later]);
    await setDeadline("3");
    await world.sql(`do $$ begin
      set local session_replication_role = replica;
      update public.places set status = 'flagged', modified_at = now() - interval '1 day' where id = ${listing.id};
    end $$`);
    await settleEmailDelivery();
    await queueRenewalNotices();
    const letItBe = (day: string) =>
      world.sql(`create or replace function private.today() returns date
        language sql stable set search_path = '' as $$ select ${day} $$`);
    const due = () =>
      world.sql(
        "select from private.due_emails d join private.email_queue q on q.id = d.id where q.kind = 'feature-unseen'",
      );
    await letItBe(`date '${later}'`);
    expect(await due()).toEqual([]);
    await letItBe("(now() at time zone 'UTC')::date");
    expect(await due()).toHaveLength(1);
    vi.useFakeTimers({ now: Date.parse(`${soon}T12:00:00Z`) - DAY_MS, toFake: ["Date"] });
    await deliverEmailQueue();
    vi.useRealTimers();
    const { text } = await world.mailAbout(owner.email, "About your newsletter dates");
    const [booked, late] = text.split("It’s too late to cancel these:");
    expect(booked).toContain(`You’ve booked:\n\n• ${formatFullDate(later)}`);
    expect(booked).not.toContain(formatFullDate(soon));
    expect(late).toContain(formatFullDate(soon));
  });

  it("reads once a week which newsletters a flagged listing is left out of, while there is time to cancel them", async () => {
    const { queueRenewalNotices } = await import("~/modules/billing/emails.server");
    const { deliverEmailQueue, settleEmailDelivery } =
      await import("~/modules/emails/deliver-queue.server");
    const { path } = await buy([days[0], days[1], far[0]]);
    const queued = async () => {
      await queueRenewalNotices();
      return await countEmails(owner, "feature-unseen");
    };
    const set = (status: string, ago: string) =>
      world.sql(`do $$ begin
        update public.places set status = '${status}' where id = ${listing.id};
        set local session_replication_role = replica;
        update public.places set modified_at = now() - interval '${ago}' where id = ${listing.id};
      end $$`);
    const order = async () => (await owner.page(path)).text;
    await set("published", "1 day");
    expect(await queued()).toBe(0);
    expect(await order()).not.toContain("We don’t feature a listing");
    // While the decision can be undone.
    await set("flagged", "9 minutes");
    expect(await queued()).toBe(0);
    // The email about the removal has said it.
    await set("archived", "1 day");
    expect(await queued()).toBe(0);
    await set("flagged", "1 day");
    for (let times = 0; times < 2; times += 1) expect(await queued()).toBe(1);
    expect(await order()).toContain("No one can see this listing right now");
    // Public again before it could be sent, unless an event of the payment that came late has had it sent already.
    await settleEmailDelivery();
    const sent = () =>
      world.sql(
        "select from private.email_queue where kind = 'feature-unseen' and sent_at is not null",
      );
    const before = await sent();
    await set("published", "1 day");
    await deliverEmailQueue();
    expect(await sent()).toEqual(before);
    await set("flagged", "1 day");
    await deliverEmailQueue();
    const { text } = await world.mailAbout(owner.email, "About your newsletter dates");
    expect(text).toContain("No one can see “Café X” right now");
    expect(text).toContain(formatFullDate(days[0]));
    expect(text).not.toContain(formatFullDate(far[0]));
    expect(text).toContain("please cancel what you’ve booked while you can still get a refund.");
    expect(text).toContain(path);
    await world.sql(
      "update private.email_queue set key = key || ':last week' where kind = 'feature-unseen'",
    );
    // Not on the first day of a week, either, when it was sent on the last day of the week before.
    expect(await queued()).toBe(1);
    await world.sql(
      "update private.email_queue set created_at = created_at - interval '5 days' where kind = 'feature-unseen'",
    );
    expect(await queued()).toBe(2);
    // What was canceled before it could be sent.
    await world.sql("delete from public.sponsorship_spots where weekday_date = $1", [days[0]]);
    await deliverEmailQueue();
    expect(
      await world.sql(
        "select from private.email_queue where kind = 'feature-unseen' and sent_at is null",
      ),
    ).toHaveLength(1);
    // A former owner learns nothing of the listing.
    await world.sql("delete from private.email_queue where kind = 'feature-unseen'");
    await world.sql("update public.places set owner = $1 where id = $2", [
      (await world.owner()).id,
      listing.id,
    ]);
    await set("flagged", "1 day");
    expect(await queued()).toBe(0);
  });

  it("cancels newsletters and gets their share back; their spots are free at once", async () => {
    const { path, payment } = await buy(far);
    expect(await owner.page(path)).toSay(
      "You can cancel a newsletter for a refund until 3 days before it goes out",
    );
    expect(await cancel(path, [far[1]])).toRedirectTo(path);
    expect(await owner.page(path)).toSay("1 newsletter canceled. Your refund is on its way");
    expect(await spotsOf(far[1])).toBe(0);
    expect(await spotsOf(far[0])).toBe(1);
    expect(back(payment)).toBe(4500);
    expect(await owner.page(path)).toSay("You paid $135. $45 of it was refunded.");
    expect((await world.mailAbout(owner.email, "Your refund")).text).toContain(
      "We refunded $45 of the $135 you paid for a newsletter feature.",
    );

    await cancel(path, [far[0], far[2]]);
    expect(back(payment)).toBe(13500);
    expect(
      await world.sql("select paid, sponsorship_dates from public.sponsorships where owner = $1", [
        owner.id,
      ]),
    ).toMatchObject([{ paid: false, sponsorship_dates: [] }]);
    expect(await countEmails(owner, "payment-returned")).toBe(2);
    for (const page of [path, "/sponsor"]) {
      expect(await owner.page(page)).toSay("Canceled");
      expect(await owner.page(page)).not.toSay("Not paid yet");
    }
    expect(await owner.page(path)).toSay(
      "Deleting this order can’t be undone. It doesn’t change your refund.",
    );
    expect(await owner.submit(path, { intent: "delete" })).toRedirectTo("/sponsor");
    expect(back(payment)).toBe(13500);
  });

  it("gets back what was really paid, to the cent, in whatever parts dates of a discounted order are canceled", async () => {
    const { path, payment } = await buy(far, { code: "RAINBOW50" }, { rate: "45.35" });
    const [row] = await world.sql("select cents::int as cents from public.payments where id = $1", [
      payment,
    ]);
    expect(row!["cents"]).toBe(6802);
    for (const date of far) await cancel(path, [date]);
    expect(back(payment)).toBe(6802);
  });

  it("keeps the newsletters that they book after a cancellation whose refund comes late", async () => {
    const { path, payment, sponsorship } = await buy([far[0]]);
    const noRefunds = http.post(`${stripe.url}/v1/refunds`, () => HttpResponse.error());
    outside.use(noRefunds);
    expect(await cancel(path, [far[0]])).toRedirectTo(path);
    expect(await owner.page(path)).toSay("your refund will start tonight");
    expect(back(payment)).toBe(0);

    const form = { ...sponsorshipForm(listing, { sponsorship_dates: [far[1], far[2]] }) };
    const version = (await owner.page(path)).value("version");
    const paying = await owner.submit(path, { ...form, version, intent: "save" });
    await stripe.pay(paying.location!);
    expect(await world.row("sponsorships", sponsorship)).toMatchObject({ paid: true });

    outside.resetHandlers();
    const { reconcilePayments } = await import("~/modules/billing/reconcile.server");
    const { log } = await import("~/http/log.server");
    await reconcilePayments({ dryRun: false, days: 30, log: log() });
    expect(back(payment)).toBe(4500);
    expect(await world.row("sponsorships", sponsorship)).toMatchObject({ paid: true });
    const spots = await world.sql(
      "select weekday_date::text as day from public.sponsorship_spots where sponsorship_id = $1 order by 1",
      [sponsorship],
    );
    expect(spots.map((spot) => spot["day"])).toEqual([far[1], far[2]]);
  });

  it("keeps the other newsletter when our team has refunded most of the order: they cancel both, or none", async () => {
    const { order, path, payment } = await buy([far[0], far[1]]);
    const page = `/admin/payments/${order}`;
    const asked = { intent: "refund", refund: randomUUID(), note: "A misprint.", payment };
    expect(await admin.submit(page, { ...asked, amount: "72" })).toRedirectTo(page);
    expect(await cancel(path, [far[0]])).toSay(
      "what’s left doesn’t cover the newsletters you’d keep",
    );
    expect([await spotsOf(far[0]), await spotsOf(far[1])]).toEqual([1, 1]);
    expect(back(payment)).toBe(7200);
    expect(await cancel(path, [far[0], far[1]])).toRedirectTo(path);
    expect(back(payment)).toBe(9000);
    expect([await spotsOf(far[0]), await spotsOf(far[1])]).toEqual([0, 0]);
  });

  it("cancels what is still to come when our team has refunded the newsletter that went out", async () => {
    const { order, path, payment, sponsorship } = await buy([far[0], far[1]]);
    await send(sponsorship, far[0]);
    const page = `/admin/payments/${order}`;
    const asked = { intent: "refund", refund: randomUUID(), note: "A misprint.", payment };
    expect(await admin.submit(page, { ...asked, amount: "45" })).toRedirectTo(page);
    expect(await cancel(path, [far[1]])).toRedirectTo(path);
    expect(back(payment)).toBe(9000);
    expect(await spotsOf(far[1])).toBe(0);
  });

  it("cancels what they book in an order that was refunded after a newsletter had gone out", async () => {
    const { path, payment, sponsorship } = await buy([far[0], far[1]]);
    await send(sponsorship, far[0]);
    await stripe.refund(payment);
    const form = sponsorshipForm(listing, { sponsorship_dates: [far[2]] });
    const version = (await owner.page(path)).value("version");
    const { location } = await owner.submit(path, { ...form, version, intent: "save" });
    await stripe.pay(location!);
    expect(await world.row("sponsorships", sponsorship)).toMatchObject({ paid: true });

    expect(await cancel(path, [far[2]])).toRedirectTo(path);
    expect(back(sessionAt(location!).payment_intent as string)).toBe(4500);
    expect(await world.row("sponsorships", sponsorship)).toMatchObject({ paid: false });
    expect(await spotsOf(far[2])).toBe(0);
  });

  it("gets the rest back when our team has refunded a part at Stripe, of which no event has come yet", async () => {
    const { order, path, payment } = await buy(far);
    stripe.pauseWebhooks();
    await stripe.refund(payment, 5000);
    expect(await cancel(path, far)).toRedirectTo(path);
    expect(await owner.page(path)).toSay("3 newsletters canceled. Your refund is on its way");
    await stripe.resumeWebhooks();
    expect(stripe.refunds(payment).map(({ amount }) => amount)).toEqual([8500, 5000]);
    expect(await world.row("orders", order)).toMatchObject({ status: "refunded" });
    const told = () =>
      world.supabase.mails
        .filter(({ to, subject }) => to === owner.email && subject === "Your refund")
        .map(({ text }) => /We refunded \$\d+ of the \$135/.exec(text)?.[0])
        .sort();
    await expect.poll(told).toEqual(["We refunded $50 of the $135", "We refunded $85 of the $135"]);
  });

  it("reads that their bank reviews a dispute in place of a form that would be refused, and may cancel once they lost it", async () => {
    const { path, payment } = await buy(far);
    const form = "Cancel and refund";
    expect(await owner.page(path)).toSay(form);
    const { id } = await stripe.dispute(payment);
    const page = await owner.page(path);
    expect(page).toSay("Disputed");
    expect(page).not.toSay("Paid");
    expect(page).toSay(
      "Your bank is still reviewing a dispute about this payment, so you can’t cancel newsletters yet.",
    );
    expect(page).not.toSay(form);
    expect(await owner.page("/sponsor")).toSay("Disputed");
    // Lost in part, the order stays paid for.
    await world.sql("update public.payments set dispute = 'lost' where id = $1", [payment]);
    expect(await owner.page(path)).toSay("Partly returned");
    expect(await owner.page(path)).toSay("Your bank has returned money for this order to you");
    expect(await owner.page(path)).not.toSay(form);
    await world.sql("update public.payments set dispute = 'open' where id = $1", [payment]);
    await stripe.closeDispute(id, true);
    expect(await owner.page(path)).toSay(form);
    expect(await owner.page(path)).not.toSay("Dispute");
  });

  it("isn’t promised a refund of an order that a coupon paid for", async () => {
    await stripe.sdk.promotionCodes.create({
      promotion: {
        type: "coupon",
        coupon: (await stripe.sdk.coupons.create({ percent_off: 100 })).id,
      },
      code: "ALLOFIT",
    });
    const { path } = await buy([far[0]], { code: "ALLOFIT" });
    expect(await cancel(path, [far[0]])).toRedirectTo(path);
    const page = await owner.page(path);
    expect(page).toSay("1 newsletter canceled.");
    expect(page).not.toSay("Your refund is on its way");
    expect(await spotsOf(far[0])).toBe(0);
  });

  it("waits with a cancellation for the bank’s decision about the payment, in the buyer’s words", async () => {
    const { path, payment } = await buy([far[0]]);
    await stripe.dispute(payment);
    const answer = await cancel(path, [far[0]]);
    expect(answer).toSay("Your bank is still reviewing a dispute about this payment");
    expect(answer).not.toSay("Stripe");
    expect(await spotsOf(far[0])).toBe(1);
  });

  it("can’t cancel after the team’s deadline, the same newsletter twice, or someone else’s", async () => {
    expect(await setDeadline("60")).toRedirectTo("/admin/newsletter-dates");
    const { path, payment } = await buy([far[0]]);
    expect(await owner.page(path)).toSay("It’s too late to cancel any of yours.");
    expect(await cancel(path, [far[0]])).toSay("It’s too late to cancel one of these newsletters.");
    expect(back(payment)).toBe(0);
    for (const wrong of ["0", "61", "-1", "x", ""])
      expect(await setDeadline(wrong)).toSay("Enter a number of days from 1 to 60.");
    await setDeadline("3");
    const stranger = await world.owner();
    expect(await stranger.submit(path, { intent: "cancel-dates", date: [far[0]] })).toBeNotFound();
    expect(await cancel(path, [far[1]])).toSay("Select the newsletters you want to cancel.");
    await Promise.all([cancel(path, [far[0]]), cancel(path, [far[0]]), cancel(path, [far[0]])]);
    expect(back(payment)).toBe(4500);
  });

  it("stays on the order’s page when no newsletter is selected, and reads what to do", async () => {
    const { path, payment } = await buy([far[0]]);
    expect(await cancel(path, [])).toRedirectTo(path);
    const page = await owner.page(path);
    expect(page).toSay("Select the newsletters you want to cancel. Nothing was changed.");
    expect(page).toSay("Cancel and refund");
    expect(back(payment)).toBe(0);
  });

  it("keeps the deadline that they paid under when the team sets an earlier one, and gets a later one", async () => {
    const { path, payment } = await buy([far[0], far[1]]);
    await setDeadline("60");
    expect(await owner.page(path)).toSay("for a refund until 3 days before it goes out");
    expect(await cancel(path, [far[0]])).toRedirectTo(path);
    expect(back(payment)).toBe(4500);
    await setDeadline("2");
    expect(await owner.page(path)).toSay("for a refund until 2 days before it goes out");
    await setDeadline("3");
  });

  it("selects again when one of the newsletters was canceled in another tab", async () => {
    const { path, payment } = await buy([far[0], far[1]]);
    await cancel(path, [far[0]]);
    const refunded = back(payment);
    expect(await cancel(path, [far[0], far[1]])).toRedirectTo(path);
    const page = await owner.page(path);
    expect(page).toSay("One of these newsletters was already canceled, so nothing was changed.");
    expect(page).toSay(formatFullDate(far[1]));
    expect(back(payment)).toBe(refunded);
  });

  it("is refunded once although Stripe’s answer is lost", async () => {
    const { path, payment } = await buy([far[0], far[1]]);
    let lost = 0;
    outside.use(
      http.post(`${stripe.url}/v1/refunds`, async ({ request }) => {
        const { url, method, headers } = bypass(request);
        await fetch(url, { method, headers, body: await request.clone().text() });
        lost += 1;
        return HttpResponse.error();
      }),
    );
    stripe.pauseWebhooks();
    expect(await cancel(path, [far[0]])).toRedirectTo(path);
    expect(lost).toBeGreaterThan(1);
    const page = await owner.page(path);
    expect(page).toSay("1 newsletter canceled.");
    expect(page).toSay("We can’t reach our payment provider right now");
    outside.resetHandlers();
    // The nightly comparison asks for it again.
    const { reconcilePayments } = await import("~/modules/billing/reconcile.server");
    const { log } = await import("~/http/log.server");
    await reconcilePayments({ dryRun: false, days: 30, log: log() });
    await stripe.resumeWebhooks();
    expect(await owner.page(path)).toSay("You paid $90. $45 of it was refunded.");
    expect(stripe.refunds(payment)).toMatchObject([{ amount: 4500 }]);
  });

  it("deletes an order that held newsletters until its checkout expired", async () => {
    const { sponsorship } = await sponsor(owner, listing, [far[0]]);
    await world.sql(
      "update public.sponsorship_spots set held_until = now() - interval '1 minute' where sponsorship_id = $1",
      [sponsorship],
    );
    await world.sql(
      "update public.orders set expires_at = now() - interval '1 minute' where sponsorship_id = $1",
      [sponsorship],
    );
    await owner.submit(`/sponsor/${sponsorship}`, { intent: "delete" });
    expect(await owner.page("/sponsor")).toSay("Order deleted.");
    expect(await world.row("sponsorships", sponsorship)).toBeUndefined();
  });

  it("deletes an unpaid order, which closes its checkout, and not a paid one", async () => {
    const { checkout, sponsorship } = await sponsor(owner, listing, [far[0]]);
    expect(await owner.submit(`/sponsor/${sponsorship}`, { intent: "delete" })).toRedirectTo(
      "/sponsor",
    );
    expect(await world.row("sponsorships", sponsorship)).toBeUndefined();
    const session = stripe.session(new URL(checkout).pathname.split("/").at(-1)!);
    expect(session.status).toBe("expired");
    const { path } = await buy([far[1]]);
    await owner.submit(path, { intent: "delete" });
    expect(await owner.page(path)).toSay("Only unpaid orders can be deleted.");
  });

  it("can neither delete nor pay again for an order of which a newsletter was sent, also once it is refunded", async () => {
    const { path, payment, sponsorship } = await buy([far[0], far[1]]);
    const sent = await send(sponsorship, far[0]);
    await stripe.refund(payment);
    expect(await world.row("sponsorships", sponsorship)).toMatchObject({ paid: false });

    expect(await owner.page(path)).not.toSay("Delete order");
    expect(await owner.submit(path, { intent: "delete" })).toSay(
      "A newsletter with your feature goes out today or has already gone out, so this order stays here for your records.",
    );
    const paying = await owner.submit("/sponsor", {
      intent: "pay",
      sponsorship: String(sponsorship),
    });
    expect(await owner.page(paying.location!)).toSay("Some of your dates can’t be booked");
    expect(
      await world.sql(
        "select weekday_date::text as day from public.sponsorship_spots where sponsorship_id = $1",
        [sponsorship],
      ),
    ).toEqual([{ day: sent }]);
  });
});
