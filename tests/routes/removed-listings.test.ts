/** What is paid for a listing that its owner hides, or that leaves the directory: newsletters, jobs, and its plan. */
import { randomUUID } from "node:crypto";

import { http, HttpResponse } from "msw";
import { beforeEach, describe, expect, it, vi } from "vitest";

import type * as Rules from "~/modules/sponsorships/rules";

import { buyingIn } from "../support/buying";
import { forgetSponsors } from "../support/forget-orders";
import { jobForm, listingForm } from "../support/forms";
import { listNewsletterDates } from "../support/newsletter-dates";
import { outside } from "../support/outside";
import { createWorld, type Member } from "../support/world";

/** Whether every newsletter is one that the team may have begun to write. */
const writing = vi.hoisted(() => ({ all: false }));
vi.mock("~/modules/sponsorships/rules", async (load) => {
  const rules = await load<typeof Rules>();
  const listDatesInPreparation: typeof Rules.listDatesInPreparation = (dates, now) =>
    writing.all ? [...dates] : rules.listDatesInPreparation(dates, now);
  return { ...rules, listDatesInPreparation };
});

const world = await createWorld({ stripe: true });
const { stripe } = world;
const { sponsor, sessionAt, buyPlan, choosePlan, countEmails } = buyingIn(world);
const { stopLeavingPlans } = await import("~/modules/billing/stop-plans.server");
const { log } = await import("~/http/log.server");
const { formatDays } = await import("~/modules/sponsorships/rules");
const { emailTemplates } = await import("~/modules/emails/templates.server");
const [date, next] = (await listNewsletterDates(world)).slice(6, 8) as [string, string];

const admin = await world.admin();
let owner: Member;
let listing: { id: number };
beforeEach(async () => {
  writing.all = false;
  await forgetSponsors(world);
  owner = await world.owner();
  listing = await world.listing({ owner, name: "Café X" });
});

const setVisibility = (intent: string, by = owner) =>
  by.submit(`/listings/${listing.id}/visibility`, { intent });
const review = () => `/admin/listings/${listing.id}`;
/** Returns the form that was sent. */
async function decide(intent: string) {
  const row = await world.row("places", listing.id);
  const form = { intent, version: String(row!["version"]), batch: randomUUID() };
  expect(await admin.submit(review(), form)).toHaveStatus(303);
  return form;
}
async function buyFeature(dates = [date]) {
  const ordered = await sponsor(owner, listing, dates);
  await stripe.pay(ordered.checkout);
  return ordered;
}

describe("a newsletter feature", () => {
  it("of a listing that isn't public is apart, and marked for the team that writes the newsletter", async () => {
    await buyFeature();
    const other = await world.owner();
    const shown = await world.listing({ owner: other, name: "Café Open" });
    await stripe.pay((await sponsor(other, shown, [date])).checkout);
    const features = async () => (await admin.page(`/admin/newsletter-dates?date=${date}`)).text;
    expect(await features()).not.toContain("leave it out");

    for (const [hide, show] of [
      ["hidden = true", "hidden = false"],
      ["status = 'archived'", "status = 'published'"],
      ["status = 'flagged'", "status = 'published'"],
      ["status = 'new'", "status = 'published'"],
    ] as const) {
      await world.sql(`update public.places set ${hide} where id = $1`, [listing.id]);
      expect(await features()).toMatch(
        /Features on .*Café Open .*leave these out, because no one can find their listings.*Café X Not public: leave it out/s,
      );
      await world.sql(`update public.places set ${show} where id = $1`, [listing.id]);
      expect(await features()).not.toContain("leave it out");
    }
  });

  it("with the words of a former owner is marked for the team, so that it asks the owner before it sends them", async () => {
    await buyFeature();
    const features = async () => (await admin.page(`/admin/newsletter-dates?date=${date}`)).text;
    const mark = "Written by a former owner: ask the current owner first";
    expect(await features()).not.toContain(mark);
    await world.sql("update public.places set owner = $2 where id = $1", [
      listing.id,
      (await world.owner()).id,
    ]);
    expect(await features()).toContain(`Café X ${mark}`);
  });

  it("has the approved name of its listing for the team that writes the newsletter", async () => {
    await buyFeature();
    await owner.post(`/listings/${listing.id}`, listingForm({ name: "Café Unapproved" }));
    expect(await world.row("places", listing.id)).toMatchObject({ name: "Café Unapproved" });
    const { text } = await admin.page(`/admin/newsletter-dates?date=${date}`);
    expect(text).toContain("Café X");
    expect(text).not.toContain("Unapproved");
  });

  it("that is paid for after its listing was removed is refunded", async () => {
    const { checkout, order, payment } = await sponsor(owner, listing, [date]);
    await decide("archive");
    await stripe.pay(checkout);
    expect(
      (
        await world.sql("select status, refund_reason from public.orders where id = $1", [order])
      )[0],
    ).toEqual({ status: "refunded", refund_reason: "changed" });
    expect(stripe.refunds(payment()).map(({ amount }) => amount)).toEqual([4500]);
    await admin.page("/admin/listings");
    expect((await admin.page(`/admin/newsletter-dates?date=${date}`)).text).not.toContain("Café X");
  });

  it("is named with a link to cancel it when its owner hides or removes the listing", async () => {
    const { sponsorship } = await buyFeature([date, next]);
    const link = `href="/sponsor/${sponsorship}"`;
    const words = "It’s booked for newsletters, but we can’t feature it while no one can find it.";
    const asked = await owner.page(`/listings/${listing.id}/archive`);
    expect(asked).toSay(
      "It’s booked for newsletters. If you hide or remove it, we won’t feature it while no one can find it, and your booking isn’t canceled or refunded. You can cancel these newsletters first:",
    );
    expect(asked.body).toContain(link);

    const hidden = await setVisibility("hide");
    expect(hidden).toRedirectTo(`/listings/${listing.id}/visibility`);
    const page = await owner.page(`/listings/${listing.id}/visibility`);
    expect(page).toSay(`${words} You can cancel these newsletters:`);
    expect(page.body).toContain(link);
    await owner.submit(`/sponsor/${sponsorship}`, { intent: "cancel-dates", date: [date, next] });
    expect((await owner.page(`/listings/${listing.id}/visibility`)).text).not.toContain("booked");
  });

  it("is offered for cancellation before its listing is hidden or removed only while it can be canceled", async () => {
    const daysUntil = Math.round((Date.parse(next) - Date.now()) / 86_400_000);
    await world.sql(
      "insert into private.settings (name, enabled, days) values ('cancellation_days', true, $1) on conflict (name) do update set days = excluded.days",
      [daysUntil],
    );
    try {
      await buyFeature([date, next]);
      const [late, inTime] = [date, next].map((day) => formatDays([day]));
      for (const page of ["archive", "visibility"])
        expect(await owner.page(`/listings/${listing.id}/${page}`)).toSay(
          `your booking isn’t canceled or refunded. You can cancel this newsletter first: ${inTime}. It’s too late to cancel: ${late}.`,
        );
      await world.sql("update public.payments set dispute = 'open' where owner = $1", [owner.id]);
      for (const page of ["archive", "visibility"])
        expect(await owner.page(`/listings/${listing.id}/${page}`)).toSay(
          `your booking isn’t canceled or refunded. It’s too late to cancel: ${late}. Because of a dispute, you can’t cancel: ${inTime}.`,
        );
    } finally {
      await world.sql("delete from private.settings where name = 'cancellation_days'");
    }
  });

  it("that may be written already isn’t promised to be left out: who hides or removes the listing, or cancels, reads what to do", async () => {
    const { sponsorship } = await buyFeature([date, next]);
    const words =
      /For .*, our team may already have copied the feature into the newsletter\. If it shouldn’t go out/;
    const pages = ["visibility", "archive"].map((page) => `/listings/${listing.id}/${page}`);
    for (const page of pages) expect((await owner.page(page)).text).not.toMatch(words);
    writing.all = true;
    for (const page of pages) expect((await owner.page(page)).text).toMatch(words);
    await setVisibility("hide");
    expect((await owner.page(pages[0]!)).text).toMatch(words);
    await owner.submit(`/sponsor/${sponsorship}`, { intent: "cancel-dates", date: [date, next] });
    expect((await owner.page(`/sponsor/${sponsorship}`)).text).toMatch(
      /2 newsletters canceled\. For .*, our team may already have copied the feature/,
    );
  });

  it("is named when the team archives its listing, with a link to its order", async () => {
    const { order } = await buyFeature();
    const page = await admin.page(review());
    expect(page).toSay("Archiving or flagging this listing doesn’t cancel its newsletters.");
    expect(page.body).toContain(`href="/admin/payments/${order}"`);
    await decide("archive");
    expect(await admin.page("/admin/listings")).toSay(
      "Still booked for 1 newsletter. No one can find the listing, so don’t feature it.",
    );
    expect(await admin.page(review())).toSay(
      "Don’t feature this listing, because no one can find it.",
    );
  });

  it("of a former owner isn't the next one's to read about", async () => {
    const { sponsorship } = await buyFeature();
    const next = await world.owner();
    await world.sql("update public.places set owner = $2 where id = $1", [listing.id, next.id]);
    const page = await next.page(`/listings/${listing.id}/archive`);
    expect(page).toHaveStatus(200);
    expect(page.body).not.toContain(`/sponsor/${sponsorship}`);
    expect(page.text).not.toContain("booked");
  });

  it("of a former owner is theirs to hear about when the listing is removed, unless that is undone", async () => {
    const { sponsorship } = await buyFeature();
    const heir = await world.owner();
    await world.sql("update public.places set owner = $2, name = 'Café Heir' where id = $1", [
      listing.id,
      heir.id,
    ]);
    const form = await decide("archive");
    await admin.submit(review(), { intent: "undo", batch: form.batch });
    await world.passUndoWindow();
    const about = () =>
      world.supabase.mails.filter(
        ({ to, subject }) => to === owner.email && subject === "About what you’ve booked",
      );
    await decide("archive");
    expect(about()).toEqual([]);
    await world.passUndoWindow();
    expect((await world.mailAbout(heir.email, "Your listing was removed")).text).not.toContain(
      "booked",
    );
    const mail = await world.mailAbout(owner.email, "About what you’ve booked");
    expect(mail.text).toMatch(
      /“Café X”, which used to be yours, has been removed from the directory. The listing is still booked for the newsletter on \w+ \d+\. We don’t feature a listing that no one can find. You may still be able to cancel/,
    );
    expect(mail.links).toContain(`${world.appUrl}/sponsor/${sponsorship}`);
    expect(about()).toHaveLength(1);
  });
});

describe("a newsletter that was canceled before the email about the removal was sent", () => {
  const [day, other] = [date, next].map((one) =>
    new Date(`${one}T12:00:00Z`).toLocaleDateString("en-US", {
      timeZone: "UTC",
      month: "short",
      day: "numeric",
    }),
  ) as [string, string];

  it.each(["the owner", "a former owner"])("isn't named to %s", async (who) => {
    const { sponsorship } = await buyFeature([date, next]);
    if (who === "a former owner")
      await world.sql("update public.places set owner = $2 where id = $1", [
        listing.id,
        (await world.owner()).id,
      ]);
    await decide("archive");
    await owner.submit(`/sponsor/${sponsorship}`, { intent: "cancel-dates", date });
    await world.passUndoWindow();
    const { text } = await world.mailAbout(
      owner.email,
      who === "the owner" ? "Your listing was removed" : "About what you’ve booked",
    );
    expect(text).toContain(`The listing is still booked for the newsletter on ${other}.`);
    expect(text).not.toContain(day);
  });
});

it.each([
  ["listing-removed", { name: "Café X", owned: true, requested: true, jobs: 0 }],
  ["booked-listing-removed", { sponsorship_id: 1, listing: "Café X" }],
  ["listing-left", { name: "Café X", given: false }],
])("an email that comes late (%s) names no newsletter that has gone out", (kind, about) => {
  const write = (newsletters: string[]) =>
    JSON.stringify(
      emailTemplates[kind]!({ place_id: listing.id, ...about, newsletters }, { appUrl: "" }),
    );
  expect(write(["2020-01-02", date])).toMatch(/booked for .*newsletter on/);
  expect(write(["2020-01-02"])).not.toContain("newsletter");
});

describe("paid jobs", () => {
  async function buyJob(fields: object) {
    const { location } = await owner.post("/jobs/new", jobForm({ ...fields }));
    await stripe.pay(location!);
    return Number(sessionAt(location!).metadata!["job"]);
  }

  it("that stop showing with their listing are counted when it is hidden or removed", async () => {
    const ofListing = { place_id: String(listing.id), company_name: "", company_bio: "" };
    await buyJob(ofListing);
    await buyJob({});
    expect(await owner.page(`/listings/${listing.id}/archive`)).toSay(
      "If you hide or remove this listing, 1 paid job for it won’t be shown, but the job’s paid days keep counting down.",
    );
    await buyJob(ofListing);
    expect(await setVisibility("hide")).toRedirectTo(`/listings/${listing.id}/visibility`);
    const page = await owner.page(`/listings/${listing.id}/visibility`);
    expect(page).toSay(
      "2 paid jobs for this listing aren’t shown right now, but their paid days keep counting down. Your jobs",
    );
    expect(await world.sql("select from public.public_jobs")).toHaveLength(1);
  });

  it("are named before the team archives or flags their listing, and counted after", async () => {
    await buyJob({});
    expect((await admin.page(review())).text).not.toContain("paid job");
    const job = await buyJob({
      place_id: String(listing.id),
      company_name: "",
      company_bio: "",
      title: "Head Baker",
    });
    const page = await admin.page(review());
    expect(page).toSay(
      "1 paid job Archiving or flagging the listing hides the job, but its paid days keep counting down: Head Baker",
    );
    expect(page.body).toContain(`href="/jobs/${job}"`);
    const hides = "Hides 1 paid job, but its paid days keep counting down.";
    const form = await decide("flag");
    expect(await admin.page("/admin/flagged")).toSay(hides);
    // It isn't shown anymore, so nothing more is hidden.
    expect((await admin.page(review())).text).not.toContain("paid job");
    await admin.submit(review(), { intent: "undo", batch: form.batch });

    const box = `${listing.id}:${String((await world.row("places", listing.id))!["version"])}`;
    const chosen = { intent: "choose", listing: box, action: "archive" };
    const { location } = await admin.post("/admin/listings", chosen);
    expect(await admin.page(location!)).toSay(`Before you decide 1 listing. ${hides}`);
  });

  it("and nothing else lead from hiding it to a page of their own", async () => {
    expect(await setVisibility("hide")).toRedirectTo("/listings");
    const page = await owner.page(`/listings/${listing.id}/visibility`);
    expect(page.text).not.toMatch(/booked|paid job/);
  });
});

describe("the plan of a listing that is removed", () => {
  const stop = () => stopLeavingPlans({ log: log() });
  const MONTH_MS = 32 * 24 * 3_600_000;
  const mailsTo = (person: Member) =>
    world.supabase.mails.filter(({ to }) => to === person.email).map(({ subject }) => subject);
  const isSetToEnd = (id: string) => stripe.subscription(id).cancel_at_period_end;

  it("isn't stopped while its decision, or the undo of it, is continued", async () => {
    const plan = await buyPlan(owner, listing);
    await decide("archive");
    await world.passUndoWindow();
    const [{ id: batch }] = (await world.sql(
      "select id from private.decision_batches order by decided_at desc nulls last limit 1",
    )) as [{ id: string }];
    const other = await world.listing({ owner, name: "Café Z" });
    await world.sql(
      "insert into private.decision_rows (batch_id, place_id, n, version) values ($1, $2, 2, 1)",
      [batch, other.id],
    );
    expect(await stop()).toEqual({ stopped: [], failures: [] });
    await world.sql("update private.decision_rows set outcome = 'missing' where place_id = $1", [
      other.id,
    ]);
    await world.sql("update private.decision_batches set undone_at = now() where id = $1", [batch]);
    expect(await stop()).toEqual({ stopped: [], failures: [] });
    await world.sql("update private.decision_batches set undone_at = null where id = $1", [batch]);
    expect(await stop()).toEqual({ stopped: [plan], failures: [] });
  });

  it("is named to the team while its first payment is on its way, by what happens to that payment", async () => {
    await stripe.pay(await choosePlan(owner, listing), { card: "debit" });
    const awaited = "The first payment for a Featured plan is on its way.";
    const form = await decide("flag");
    expect(await admin.page("/admin/flagged")).toSay(
      `${awaited} The plan continues when it arrives.`,
    );
    await admin.submit(review(), { intent: "undo", batch: form.batch });
    await decide("archive");
    expect(await admin.page("/admin/listings")).toSay(
      `${awaited} It’s refunded when it arrives, and the plan ends.`,
    );
  });

  it("promises nothing that isn't paid for while its first payment is on its way", async () => {
    await stripe.pay(await choosePlan(owner, listing), { card: "debit" });
    await decide("archive");
    await world.passUndoWindow();
    const removed = await world.mailAbout(owner.email, "Your listing was removed");
    expect(removed.text).toContain("A payment for the plan is already on its way from your bank.");
    expect(removed.text).not.toContain("The plan is paid until");
    await stop();
    const stopped = await world.mailAbout(owner.email, "Your plan has been stopped");
    expect(stopped.text).toContain("hasn’t arrived yet. When it does, we’ll refund it");
    expect(await owner.page(`/listings/${listing.id}/billing`)).toSay(
      "That stops its plan. We’ll refund your payment when it arrives, and the plan ends then.",
    );
  });

  it("asks for no other card when a payment fails that was on its way", async () => {
    await stripe.pay(await choosePlan(owner, listing), { card: "debit_fails" });
    await decide("archive");
    await stripe.advanceClock(10 * 86_400_000);
    expect(await countEmails(owner, "payment-failed")).toBe(0);
  });

  it("says that a debit of what is owed is refunded when it arrives, and refunds it", async () => {
    const owed = await buyPlan(owner, listing);
    await stripe.renew(owed, "declined");
    // As while a debit is on its way.
    outside.use(
      http.post(`${stripe.url}/v1/invoices/:id/void`, () =>
        HttpResponse.json(
          { error: { type: "invalid_request_error", message: "The payment is on its way." } },
          { status: 400 },
        ),
      ),
    );
    await decide("archive");
    await world.passUndoWindow();
    expect((await stop()).stopped).toContain(owed);
    const { text } = await world.mailAbout(owner.email, "Your plan has been stopped");
    expect(text).toContain("already on its way from your bank. We won’t charge you after that.");
    expect(text).toContain(
      "When that payment arrives, we’ll refund it. The plan has already ended.",
    );
    await stripe.advanceClock(60_000);
    await stripe.payByLink(owed);
    expect((await world.mailAbout(owner.email, "Your refund")).text).toContain(
      "We refunded the $49 you paid",
    );
  });

  it("ends while its payment is owed, also when it was canceled before", async () => {
    const owed = await buyPlan(owner, listing);
    await stripe.renew(owed, "declined");
    await stripe.cancelAtPeriodEnd(owed);
    await world.sql("update public.places set status = 'archived' where id = $1", [listing.id]);
    expect(await stop()).toEqual({ stopped: [owed], failures: [] });
    expect(stripe.subscription(owed).status).toBe("canceled");
  });

  it("is said to be canceled when it was before: no email follows", async () => {
    await buyPlan(owner, listing);
    await owner.submit(`/listings/${listing.id}/billing`, { intent: "cancel-plan" });
    await setVisibility("archive");
    await decide("archive");
    await world.passUndoWindow();
    const told = await world.mailAbout(owner.email, "Your listing was removed");
    expect(told.text).toContain(
      "Its plan was already canceled, so you won’t be charged for it again.",
    );
    expect(told.text).not.toContain("email you once that’s done");
    expect(await stop()).toEqual({ stopped: [], failures: [] });
  });

  it("names no end that isn't paid for while the bill of its new period is a draft", async () => {
    const plan = await buyPlan(owner, listing);
    const other = await world.owner();
    const renewed = (paidUntil: string) =>
      world.sql(
        `with renewed as (update public.subscriptions set period_from = now() - interval '5 minutes',
            period_to = now() + interval '30 days' where id = $1 returning period_from, period_to)
          update public.payments set period_to = renewed.${paidUntil} from renewed where subscription_id = $1`,
        [plan],
      );
    await renewed("period_from");
    await decide("archive");
    await world.passUndoWindow();
    const { text } = await world.mailAbout(owner.email, "Your listing was removed");
    expect(text).toContain("We’re stopping its plan, so you won’t be charged for it again. We’ll");
    const stopped = "That stops its plan, so you won’t be charged again.";
    const page = await owner.page(`/listings/${listing.id}/billing`);
    expect(page).toSay(stopped);
    expect(page.text).not.toMatch(/It ends on|Ends /);
    await renewed("period_to");
    expect(await owner.page(`/listings/${listing.id}/billing`)).toSay(`${stopped} It ends on`);
    // The same for someone who pays for a listing that isn't theirs anymore.
    await world.sql("update public.places set owner = $1 where id = $2", [other.id, listing.id]);
    const removed = "The listing was removed from the directory, so its plan ends";
    expect(await owner.page("/account/purchases")).toSay(`${removed} on`);
    await renewed("period_from");
    expect(await owner.page("/account/purchases")).toSay(
      `${removed}, and we won’t charge you again.`,
    );
    expect((await stop()).stopped).toEqual([plan]);
  });

  it.each([
    ["refunded in full", "refunded_cents = cents"],
    ["returned by the bank", "dispute = 'lost', disputed_cents = cents"],
  ])("isn't said to be paid for once its period was %s", async (_, returned) => {
    const plan = await buyPlan(owner, listing);
    await world.sql(`update public.payments set ${returned} where subscription_id = $1`, [plan]);
    const asked = await owner.page(`/listings/${listing.id}/archive`);
    expect(asked).toSay("Removal stops its plan, so you won’t be charged again. It ends on");
    expect(asked).not.toSay("What you’ve paid for");
    await decide("archive");
    await world.passUndoWindow();
    const page = await owner.page(`/listings/${listing.id}/billing`);
    expect(page).toSay("That stops its plan, so you won’t be charged again. It ends on");
    expect(page).not.toSay("you’ve paid for");
    expect((await world.mailAbout(owner.email, "Your listing was removed")).text).not.toContain(
      "The plan is paid until",
    );
    expect((await stop()).stopped).toEqual([plan]);
  });

  it("isn't charged again: its owner reads so before and after, and no email says anything else", async () => {
    const plan = await buyPlan(owner, listing);
    const asked = await owner.page(`/listings/${listing.id}/archive`);
    const exact = String.raw`\w+ \d+, \d{4} at \d+:\d\d\s[AP]M\sUTC`;
    expect(asked.text).toMatch(
      new RegExp(
        `Removal stops its plan, so you won’t be charged again. You’ve paid for it until ${exact}. We don’t refund that time.`,
      ),
    );
    expect(asked).toSay(
      "Only need a break? Hide it instead. You can show it again any time. If you hide it, its Featured plan continues, and you’ll still be charged.",
    );
    await setVisibility("archive");
    await decide("archive");
    expect(await admin.page("/admin/listings")).toSay("The Featured plan stops");
    expect(await stop()).toEqual({ stopped: [], failures: [] });
    expect(isSetToEnd(plan)).toBe(false);

    await world.passUndoWindow();
    const told = await world.mailAbout(owner.email, "Your listing was removed");
    expect(told.text).toContain("As you asked, we’ve removed “Café X” from the directory.");
    expect(told.text).toMatch(
      new RegExp(
        `We’re stopping its plan, so you won’t be charged for it again. We’ll email you once that’s done. The plan is paid until ${exact}, and ends then.`,
      ),
    );
    expect(await stop()).toEqual({ stopped: [plan], failures: [] });
    expect(await stop()).toEqual({ stopped: [], failures: [] });
    expect(isSetToEnd(plan)).toBe(true);
    expect((await world.mailAbout(owner.email, "Your plan has been stopped")).text).toMatch(
      /was removed from the directory, so we’ve stopped its plan, and we won’t charge you for it again\.[^]*You’ve paid for it until/,
    );
    const page = await owner.page(`/listings/${listing.id}/billing`);
    expect(page.text).toMatch(
      new RegExp(`That stops its plan, so you won’t be charged again. It ends on ${exact}`),
    );
    expect(page).not.toSay("stays Featured");
    expect(page.body).not.toMatch(/Keep plan|Change plan|Upgrade now|Next charge|Manage billing/);
    // Also from a page that was open before: Stripe charges a change of plan at once.
    for (const intent of ["keep-plan", "change-plan", "manage-billing"])
      expect(await owner.submit(`/listings/${listing.id}/billing`, { intent })).toSay(
        "This listing was removed from the directory, so its plan can’t continue.",
      );
    expect(isSetToEnd(plan)).toBe(true);

    await stripe.advanceClock(MONTH_MS);
    expect(stripe.subscription(plan).status).toBe("canceled");
    expect(
      await world.sql("select from public.payments where subscription_id = $1", [plan]),
    ).toHaveLength(1);
    await world.passUndoWindow();
    expect(mailsTo(owner).filter((subject) => /plan|cancel|renew/i.test(subject))).toEqual([
      "Your plan has been stopped",
    ]);
  });

  it.each([
    ["was removed", () => decide("archive"), () => decide("reopen")],
    ["is to be removed", () => setVisibility("archive"), () => setVisibility("keep")],
  ])(
    "can’t be changed on Stripe’s page for another listing of its owner while its listing %s",
    async (_, leave, comeBack) => {
      const other = await world.listing({ owner, name: "Bar Y" });
      const [plan] = [await buyPlan(owner, listing), await buyPlan(owner, other)];
      /** What Stripe’s page lets its customer do, as a button of the other listing opens it. */
      const open = async (intent: string) => {
        const { location } = await owner.post(`/listings/${other.id}/billing`, { intent });
        const page = await (await fetch(location!)).text();
        return { change: page.includes("Change plan"), end: page.includes("Cancel plan") };
      };
      expect(await open("manage-billing")).toEqual({ change: true, end: true });
      await leave();
      expect(await open("manage-billing")).toEqual({ change: false, end: true });
      expect((await open("change-plan")).change).toBe(true);
      await comeBack();
      expect(await open("manage-billing")).toEqual({ change: true, end: true });

      await leave();
      await stripe.cancelNow(plan);
      expect(await open("manage-billing")).toEqual({ change: true, end: true });
    },
  );

  it("goes on when the removal is undone, and its owner hears of neither", async () => {
    const plan = await buyPlan(owner, listing);
    const form = await decide("archive");
    await admin.submit(review(), { intent: "undo", batch: form.batch });
    await world.passUndoWindow();
    expect(await stop()).toEqual({ stopped: [], failures: [] });
    expect(isSetToEnd(plan)).toBe(false);
    expect(mailsTo(owner)).not.toContain("Your listing was removed");
  });

  it("is kept by its owner when the listing is back before its end", async () => {
    const plan = await buyPlan(owner, listing);
    await decide("archive");
    await world.passUndoWindow();
    await stop();
    await decide("reopen");
    await decide("approve");
    await owner.submit(`/listings/${listing.id}/billing`, { intent: "keep-plan" });
    expect(isSetToEnd(plan)).toBe(false);
    expect(await stop()).toEqual({ stopped: [], failures: [] });

    // Removed again, it is stopped again, and its owner hears of it again.
    await stripe.advanceClock(60_000);
    await decide("archive");
    await world.passUndoWindow();
    expect(await stop()).toEqual({ stopped: [plan], failures: [] });
    await expect
      .poll(() => mailsTo(owner).filter((one) => one === "Your plan has been stopped").length)
      .toBe(2);
  });

  it("ends at once while a payment is owed, which is no longer collected", async () => {
    const plan = await buyPlan(owner, listing);
    await stripe.renew(plan, "declined");
    expect(stripe.subscription(plan).status).toBe("past_due");
    expect(await owner.page(`/listings/${listing.id}/archive`)).toSay(
      "Removal ends its plan, and we won’t try to collect your last payment again.",
    );
    await decide("archive");
    const page = await owner.page(`/listings/${listing.id}/billing`);
    expect(page).toSay("That stops its plan, so you won’t be charged again.");
    expect(page.body).not.toMatch(/<dt>(Ends|Next charge)/);
    await world.passUndoWindow();
    await stop();
    expect(stripe.subscription(plan).status).toBe("canceled");
    expect((await world.mailAbout(owner.email, "Your plan has been stopped")).text).toContain(
      "so the plan has ended",
    );
  });

  it.each([true, false])(
    "is refunded when it was charged while the removal could be undone (asked for by its owner: %s)",
    async (isRequested) => {
      const plan = await buyPlan(owner, listing);
      if (isRequested) await setVisibility("archive");
      await decide("archive");
      await stripe.renew(plan);
      // Stripe's clock is ahead of the database's.
      await world.sql(
        `with charged as (update public.payments set paid_at = now(), period_from = now() - interval '1 hour'
            where subscription_id = $1 and reason = 'renewal' returning period_from)
          update public.subscriptions s set period_from = charged.period_from from charged where s.id = $1`,
        [plan],
      );
      expect(await stop()).toEqual({ stopped: [], failures: [] });
      await world.passUndoWindow();
      expect(await stop()).toEqual({ stopped: [plan], failures: [] });
      expect(stripe.subscription(plan).status).toBe("canceled");
      expect(
        await world.sql(
          "select reason, cents = refunded_cents as refunded from public.payments where subscription_id = $1 order by reason",
          [plan],
        ),
      ).toEqual([
        { reason: "purchase", refunded: false },
        { reason: "renewal", refunded: true },
      ]);
      const { text } = await world.mailAbout(owner.email, "Your plan has been stopped");
      expect(text).toContain("We’re refunding that charge, and the plan has ended.");
      expect(text).not.toContain("hadn’t been paid");
    },
  );

  it("is stopped for a former owner who still pays for it, too", async () => {
    const plan = await buyPlan(owner, listing);
    const buyer = await world.owner();
    await world.sql("update public.places set owner = $2 where id = $1", [listing.id, buyer.id]);
    await decide("archive");
    await world.passUndoWindow();
    expect((await world.mailAbout(buyer.email, "Your listing was removed")).text).not.toMatch(
      /plan|charge/,
    );
    expect((await stop()).stopped).toEqual([plan]);
    await world.mailAbout(owner.email, "Your plan has been stopped");
    expect(mailsTo(buyer)).not.toContain("Your plan has been stopped");

    // It can't be kept, and then charged or stopped once more.
    const page = await owner.page("/account/purchases");
    expect(page).toSay("The listing was removed from the directory, so its plan ends on");
    expect(page.body).not.toContain("Keep plan");
    const kept = { intent: "keep-plan", subscription: plan };
    expect(await owner.submit("/account/purchases", kept)).toSay(
      "This listing was removed from the directory, so its plan can’t continue.",
    );
    expect(isSetToEnd(plan)).toBe(true);
  });

  it("is stopped the next time when Stripe doesn't answer", async () => {
    const plan = await buyPlan(owner, listing);
    await decide("archive");
    await world.passUndoWindow();
    outside.use(
      http.get(
        `${stripe.url}/v1/subscriptions/${plan}`,
        () => new HttpResponse("<html>", { status: 502 }),
      ),
    );
    expect(await stop()).toEqual({
      stopped: [],
      failures: [expect.stringMatching(/^Subscription .*: not stopped, unavailable/)],
    });
    outside.resetHandlers();
    expect((await stop()).stopped).toEqual([plan]);
  });

  it("is announced discreetly, with what else remains of the listing", async () => {
    await world.sql("update public.profiles set discreet = true where id = $1", [owner.id]);
    await buyFeature([date, next]);
    const { location } = await owner.post(
      "/jobs/new",
      jobForm({ place_id: String(listing.id), company_name: "", company_bio: "" }),
    );
    await stripe.pay(location!);
    await decide("archive");
    await world.passUndoWindow();
    // Not the newest one, necessarily: receipts are sent in the background.
    const find = () =>
      world.supabase.mails.find(
        ({ to, text }) =>
          to === owner.email && text.includes("Our team has removed “C…” from the directory."),
      );
    await expect.poll(find).toBeDefined();
    const mail = find()!;
    expect(mail.subject).toBe("A message for you");
    expect(mail.text).toMatch(
      /The listing is still booked for the newsletters on \w+ \d+ and \w+ \d+\./,
    );
    expect(mail.text).toContain("1 paid job for this listing isn’t shown right now");
    expect(mail.text).not.toContain("plan");
    const link = `/listings/${listing.id}/visibility`;
    expect(mail.links).toContain(`${world.appUrl}${link}`);
    expect(await owner.page(link)).toSay("You can cancel these newsletters:");
  });
});
