/** The payment of a job: paid, renewed, expired, refunded, declined. */
import { randomUUID } from "node:crypto";

import { http, HttpResponse } from "msw";
import { describe, expect, it } from "vitest";

import { jobForm } from "../support/forms";
import { outside } from "../support/outside";
import { createWorld, type Member } from "../support/world";

const world = await createWorld({ stripe: true });
const { stripe } = world;
const DAY = 24 * 60 * 60 * 1000;

interface Job {
  id: number;
  title: string;
  paid: boolean;
  published: boolean;
  expiration_date: string | Date | null;
  filled_at: string | null;
}
const jobsOf = async (person: Member) =>
  (await world.sql("select * from public.jobs where owner = $1 order by id", [
    person.id,
  ])) as unknown as Job[];
const daysLeft = ({ expiration_date }: Job) =>
  (new Date(expiration_date ?? Number.NaN).getTime() - Date.now()) / DAY;
const isPublic = async (id: number) =>
  (await world.sql("select id from public.public_jobs where id = $1", [id])).length > 0;
/** The path of the page that Stripe sends people back to. */
const toPath = (address: string) => address.replace(world.appUrl, "");

/** Saves a new job and goes to payment. */
async function order(owner: Member, fields: Record<string, unknown> = {}) {
  const response = await owner.post("/jobs/new", jobForm(fields));
  expect(response.status).toBe(303);
  expect(new URL(response.location!).origin).toBe(stripe.url);
  const [job] = (await jobsOf(owner)).slice(-1);
  return { checkout: response.location!, job: job! };
}
const sessionAt = (checkout: string) => stripe.session(/cs_\w+/.exec(checkout)![0]);
const act = (owner: Member, { id }: Job, intent: string) =>
  owner.post(`/jobs/${id}/status`, { intent });

describe("a new job", () => {
  it("is saved, paid, and live for 45 days", async () => {
    const owner = await world.owner();
    const { checkout, job } = await order(owner, {
      price: "1",
      amount: "1",
      unit_price_cents: "1",
    });
    expect(job).toMatchObject({ paid: false, published: false });
    expect(sessionAt(checkout)).toMatchObject({
      amount_total: 500,
      currency: "usd",
      mode: "payment",
    });
    expect(await owner.page("/jobs")).toSay("Pending payment");

    const back = await owner.page(toPath(await stripe.pay(checkout)));
    for (const text of ["Thank you!", "You paid $5.", "Published", "Unpublish listing"])
      expect(back).toSay(text);
    const [live] = await jobsOf(owner);
    expect(live).toMatchObject({ paid: true, published: true });
    expect(daysLeft(live!)).toBeCloseTo(45, 1);
    expect(await isPublic(job.id)).toBe(true);
  });

  it("sent twice is one job and one checkout", async () => {
    const owner = await world.owner();
    const form = { submission_id: randomUUID() };
    const [one, other] = [await order(owner, form), await order(owner, form)];
    expect(other.checkout).toBe(one.checkout);
    expect(await jobsOf(owner)).toHaveLength(1);
  });

  it("that is paid for is not changed by its first form, sent again, which makes another one", async () => {
    const owner = await world.owner();
    const form = { submission_id: randomUUID() };
    const { checkout, job } = await order(owner, form);
    await stripe.pay(checkout);
    const [paid] = await jobsOf(owner);
    expect(paid).toMatchObject({ paid: true, version: 1 });
    // The same again is that job.
    expect(await owner.post("/jobs/new", jobForm(form))).toRedirectTo("/jobs");
    expect(await owner.page("/jobs")).toSay("Job saved.");
    expect(await jobsOf(owner)).toEqual([paid]);

    // Someone who corrects it after Back isn't led to pay again.
    expect(await owner.post("/jobs/new", jobForm({ ...form, title: "Line cook" }))).toRedirectTo(
      "/jobs",
    );
    expect(await owner.page("/jobs")).toSay(
      "so this is saved as another job, which goes live once you pay for it. Only wanted to change",
    );
    expect((await jobsOf(owner)).map(({ title, paid }) => [title, paid])).toEqual(
      expect.arrayContaining([
        [paid!.title, true],
        ["Line cook", false],
      ]),
    );
    // Also after it has expired or was filled: the address of its form may be a bookmark.
    for (const state of ["expiration_date = now() - interval '20 days'", "filled_at = now()"]) {
      await world.sql(`update public.jobs set ${state} where id = $1`, [job.id]);
      const before = await world.row("jobs", job.id);
      const next = await order(owner, { ...form, description: `A year later (${state}).` });
      expect(next.job).toMatchObject({ paid: false });
      expect(await world.row("jobs", job.id)).toEqual(before);
    }
    expect(await jobsOf(owner)).toHaveLength(4);
  });

  it("that is paid for while its first form is sent again is not changed by it", async () => {
    const owner = await world.owner();
    const form = { submission_id: randomUUID() };
    const { job } = await order(owner, form);
    let payments = 0;
    outside.use(
      http.patch(`${world.supabase.url}/rest/v1/jobs`, async () => {
        payments++;
        await world.sql(
          `update public.jobs set paid = true, published = true,
            expiration_date = now() + interval '45 days' where id = $1`,
          [job.id],
        );
      }),
    );
    expect(await owner.post("/jobs/new", jobForm({ ...form, title: "Line cook" }))).toRedirectTo(
      "/jobs",
    );
    expect(payments).toBe(1);
    expect(await jobsOf(owner)).toMatchObject([
      { id: job.id, title: job.title, paid: true },
      { title: "Line cook", paid: false },
    ]);
  });

  it("whose payment is canceled, declined, or expires stays in the list and can be paid later", async () => {
    const owner = await world.owner();
    const { checkout, job } = await order(owner);
    expect(toPath(await stripe.pay(checkout, { card: "declined" }))).not.toContain("/jobs?paid");
    expect(await owner.page(toPath(stripe.cancelUrl(checkout)!))).toSay("Not paid yet");
    await stripe.expire(sessionAt(checkout).id);
    const list = await owner.page("/jobs");
    expect(list).toSay("Pending payment");
    expect(list).toSay("Pay to activate listing");
    expect(await isPublic(job.id)).toBe(false);

    const again = await act(owner, job, "pay");
    expect(again.status).toBe(303);
    expect(again.location).not.toBe(checkout);
    expect(await owner.page(toPath(await stripe.pay(again.location!)))).toSay("Thank you!");
    expect((await jobsOf(owner))[0]).toMatchObject({ paid: true, published: true });
  });

  it("paid by a debit says that the payment is on its way, and has no button to pay again", async () => {
    const owner = await world.owner();
    const { checkout, job } = await order(owner);
    const waits = "isn’t live yet";
    expect(await owner.page("/")).toSay(waits);
    expect(await owner.page("/jobs")).toSay("Starts when you pay");
    await stripe.pay(checkout, { card: "debit" });
    const status = `/jobs/${job.id}/status`;
    for (const path of ["/jobs", status, `/jobs/${job.id}`]) {
      const page = await owner.page(path);
      expect(page, path).toSay("Payment on its way");
      for (const text of [
        "Pending payment",
        "Pay to activate",
        "when you pay",
        "Save and pay",
        "$5",
      ])
        expect(page, path).not.toSay(text);
    }
    expect(await owner.page("/jobs")).toSay("Payment on its way Not live yet");
    expect(await (await world.admin()).page("/admin/jobs")).toSay(
      "Payment on its way Not live yet",
    );
    expect(await owner.page(status)).toSay("The job goes live as soon as it arrives");
    expect(await owner.page("/")).not.toSay(waits);
    const version = (await owner.page(`/jobs/${job.id}`)).value("version");
    const form = jobForm({ title: "Head baker", version });
    expect(await owner.submit(`/jobs/${job.id}`, form)).toRedirectTo("/jobs");

    await stripe.advanceClock(4 * DAY);
    const list = await owner.page("/jobs");
    expect(list).toSay("Published");
    expect(list).not.toSay("Payment on its way");
  });

  it("paid by a debit for more days says so, and can’t be renewed meanwhile", async () => {
    const owner = await world.owner();
    const { checkout, job } = await order(owner);
    await stripe.pay(checkout);
    const { location } = await act(owner, job, "renew");
    await stripe.pay(location!, { card: "debit" });
    const page = await owner.page(`/jobs/${job.id}/status`);
    for (const text of [
      "Published",
      "Payment on its way",
      "Your payment for more days",
      "Unpublish",
    ])
      expect(page).toSay(text);
    expect(page).not.toSay("Renew listing");
    const csv = await (await world.admin()).get("/admin/jobs.csv");
    expect(csv.body).toContain('"Published, Payment on its way"');
    await stripe.advanceClock(4 * DAY);
    expect(await owner.page(`/jobs/${job.id}/status`)).not.toSay("Payment on its way");
    expect(daysLeft((await jobsOf(owner))[0]!)).toBeCloseTo(90, 1);
  });

  it("shows that the payment is being confirmed until its event arrives, and checks on request", async () => {
    const owner = await world.owner();
    const { checkout } = await order(owner);
    stripe.pauseWebhooks();
    const back = toPath(await stripe.pay(checkout));
    const page = await owner.page(back);
    expect(page).toSay("We’re confirming your payment");
    expect(page).toSay("Pending payment");
    expect(
      await owner.post(back, { intent: "check-payment", order: page.value("order") }),
    ).toRedirectTo(back);
    expect(await owner.page(back)).toSay("Thank you!");
    await stripe.resumeWebhooks();
    expect(daysLeft((await jobsOf(owner))[0]!)).toBeCloseTo(45, 1);
  });

  it("is not what someone is thanked for once the bank takes the money back", async () => {
    const owner = await world.owner();
    const { checkout } = await order(owner);
    const back = toPath(await stripe.pay(checkout));
    expect(await owner.page(back)).toSay("Thank you!");
    await stripe.dispute(sessionAt(checkout).payment_intent as string);
    expect(await owner.page(back)).not.toSay("Thank you!");
    await stripe.closeDispute(stripe.account.store.all("dispute").at(-1)!.id, false);
    expect(await owner.page(back)).not.toSay("Thank you!");
  });

  it("that has gone to the next owner of its listing isn’t said to be unseen to the one who paid for it", async () => {
    const [owner, next] = [await world.owner(), await world.owner()];
    const listing = await world.listing({ owner });
    const ofListing = { place_id: String(listing.id), company_name: "", company_bio: "" };
    const { checkout, job } = await order(owner, ofListing);
    const back = toPath(await stripe.pay(checkout));
    expect(await owner.page(back)).toSay("Your job listing is live!");
    await world.sql("update public.places set owner = $1 where id = $2", [next.id, listing.id]);
    expect(await isPublic(job.id)).toBe(true);
    const page = await owner.page(back);
    expect(page).toSay("Payment received. You paid $5.");
    expect(page).not.toSay("No one can see your job");
  });

  it("is not paid by an invented URL", async () => {
    const [owner, other] = [await world.owner(), await world.owner()];
    const { checkout, job } = await order(other);
    const back = toPath(await stripe.pay(checkout));
    for (const address of ["/jobs?paid=cs_test_made_up", "/jobs?paid=", "/jobs?paid=%00", back]) {
      const page = await owner.page(address);
      expect(page).toHaveStatus(200);
      expect(page).not.toSay("Thank you!");
    }
    // Admins read every order.
    expect(await (await world.admin()).page(back)).not.toSay("Thank you!");
    expect(await owner.post(`/jobs/${job.id}/status`, { intent: "pay" })).toBeNotFound();
  });
});

describe("a paid job", () => {
  it("is not paid again by a button on an outdated page", async () => {
    const owner = await world.owner();
    const { checkout, job } = await order(owner);
    await stripe.pay(checkout);
    const page = await owner.submit(`/jobs/${job.id}/status`, { intent: "pay" });
    expect(page).toHaveStatus(409);
    expect(page).toSay("This is already paid for.");
  });

  it("goes back to the list when it is saved", async () => {
    const owner = await world.owner();
    const { checkout, job } = await order(owner);
    await stripe.pay(checkout);
    expect(await owner.post(`/jobs/${job.id}`, jobForm({ title: "Updated" }))).toRedirectTo(
      "/jobs",
    );
    expect((await jobsOf(owner))[0]).toMatchObject({
      title: "Updated",
      paid: true,
      published: true,
    });
  });

  it("that is renewed gets 45 days more", async () => {
    const owner = await world.owner();
    const { checkout, job } = await order(owner);
    await stripe.pay(checkout);
    await world.sql(
      "update public.jobs set expiration_date = now() + interval '10 days' where id = $1",
      [job.id],
    );
    expect(await owner.page(`/jobs/${job.id}/status`)).toSay("adds 45 days");
    await stripe.pay((await act(owner, job, "renew")).location!);
    const [renewed] = await jobsOf(owner);
    expect(daysLeft(renewed!)).toBeCloseTo(55, 1);
    expect(renewed).toMatchObject({ published: true, filled_at: null });
    expect(await isPublic(job.id)).toBe(true);
  });

  it.each([
    ["unpublished", "unpublish"],
    ["marked as filled", "fill"],
  ])("that is %s while more days are paid for stays so, and gets the days", async (_, intent) => {
    const owner = await world.owner();
    const { checkout, job } = await order(owner);
    await stripe.pay(checkout);
    await stripe.pay((await act(owner, job, "renew")).location!, { card: "debit" });
    await act(owner, job, intent);
    const [before] = await jobsOf(owner);
    await stripe.advanceClock(8 * DAY);
    const [after] = await jobsOf(owner);
    expect(daysLeft(after!)).toBeCloseTo(90, 1);
    expect(after).toMatchObject({ published: before!.published, filled_at: before!.filled_at });
    expect(await isPublic(job.id)).toBe(false);
  });

  it("that was filled when it expired is public again once it is renewed, also by a debit", async () => {
    const owner = await world.owner();
    const { checkout, job } = await order(owner);
    await stripe.pay(checkout);
    await act(owner, job, "fill");
    await world.sql(
      "update public.jobs set expiration_date = now() - interval '10 days' where id = $1",
      [job.id],
    );
    await stripe.pay((await act(owner, job, "renew")).location!, { card: "debit" });
    await stripe.advanceClock(8 * DAY);
    expect((await jobsOf(owner))[0]).toMatchObject({ published: true, filled_at: null });
    expect(await isPublic(job.id)).toBe(true);
  });

  it.each([
    ["had expired", "refunded", "- interval '1 day'", 0],
    ["is live", "paid", "+ interval '10 days'", 55],
  ])(
    "of a listing that isn’t public anymore when the debit for more days arrives: one that %s is %s",
    async (_, status, expiration, left) => {
      const owner = await world.owner();
      const listing = await world.listing({ owner });
      const ofListing = { place_id: String(listing.id), company_name: "", company_bio: "" };
      const { checkout, job } = await order(owner, ofListing);
      await stripe.pay(checkout);
      await world.sql(
        `update public.jobs set expiration_date = now() ${expiration} where id = $1`,
        [job.id],
      );
      const renewal = (await act(owner, job, "renew")).location!;
      await stripe.pay(renewal, { card: "debit" });
      await world.sql("update public.places set status = 'archived' where id = $1", [listing.id]);
      await stripe.advanceClock(8 * DAY);
      expect(
        await world.sql("select status from public.orders where id = $1", [
          sessionAt(renewal).client_reference_id,
        ]),
      ).toEqual([{ status }]);
      expect(Math.max(0, daysLeft((await jobsOf(owner))[0]!))).toBeCloseTo(left, 1);
    },
  );

  it("that expired while its first checkout was open is public with the next one", async () => {
    const owner = await world.owner();
    const { checkout, job } = await order(owner);
    await stripe.pay(checkout);
    const abandoned = (await act(owner, job, "renew")).location!;
    await act(owner, job, "unpublish");
    await stripe.expire(sessionAt(abandoned).id);
    expect(await owner.page(`/jobs/${job.id}/status`)).toSay(
      "It stays unpublished until you republish it.",
    );
    await world.sql(
      "update public.jobs set expiration_date = now() - interval '1 hour' where id = $1",
      [job.id],
    );
    await world.sql(
      `update public.orders set created_at = created_at - interval '1 day',
         opened_at = opened_at - interval '1 day'
       where job_id = $1`,
      [job.id],
    );
    await stripe.pay((await act(owner, job, "renew")).location!);
    expect(await isPublic(job.id)).toBe(true);
  });

  const expire = ({ id }: Job) =>
    world.sql("update public.jobs set expiration_date = now() where id = $1", [id]);

  it("that expires while its page says that it stays unpublished isn’t published by the renewal on that page", async () => {
    const owner = await world.owner();
    const { checkout, job } = await order(owner);
    await stripe.pay(checkout);
    await act(owner, job, "unpublish");
    const page = await owner.page(`/jobs/${job.id}/status`);
    expect(page).toSay("It stays unpublished until you republish it.");
    await expire(job);
    const answer = await owner.submit(`/jobs/${job.id}/status`, {
      intent: "renew",
      renewal: page.value("renewal"),
    });
    expect(answer).toHaveStatus(409);
    expect(answer).toSay("Check what renewing it does now, and choose it again.");
    expect(answer).toSay("so it’s live until");
    const again = await owner.post(`/jobs/${job.id}/status`, {
      intent: "renew",
      renewal: answer.value("renewal"),
    });
    await stripe.pay(again.location!);
    expect(await isPublic(job.id)).toBe(true);
  });

  it.each(["unpublish", "fill"])(
    "that expires after its renewal was begun and left (%s) is live as the page says then",
    async (intent) => {
      const owner = await world.owner();
      const { checkout, job } = await order(owner);
      await stripe.pay(checkout);
      const abandoned = (await act(owner, job, "renew")).location!;
      await act(owner, job, intent);
      await expire(job);
      expect(await owner.page(`/jobs/${job.id}/status`)).toSay("so it’s live until");
      const renewal = (await act(owner, job, "renew")).location!;
      expect(renewal).not.toBe(abandoned);
      expect(sessionAt(abandoned).status).toBe("expired");
      expect(await owner.page(toPath(await stripe.pay(renewal)))).toSay(
        "Your job listing is live!",
      );
      expect(await isPublic(job.id)).toBe(true);
    },
  );

  it("that expired is renewed from today", async () => {
    const owner = await world.owner();
    const { checkout, job } = await order(owner);
    await stripe.pay(checkout);
    await world.sql(
      "update public.jobs set expiration_date = now() - interval '10 days' where id = $1",
      [job.id],
    );
    expect(await owner.page("/jobs")).toSay("Listing expired");
    await stripe.pay((await act(owner, job, "renew")).location!);
    expect(daysLeft((await jobsOf(owner))[0]!)).toBeCloseTo(45, 1);
    expect(await owner.page("/jobs")).toSay("Published");
  });

  it("is announced to its owner by email before it expires, with a link to renew it", async () => {
    const owner = await world.owner();
    const { checkout, job } = await order(owner, { title: "Ends Soon" });
    await stripe.pay(checkout);
    await world.sql(
      "update public.jobs set expiration_date = now() + interval '4 days' where id = $1",
      [job.id],
    );
    const { queueExpiringJobEmails } = await import("~/modules/jobs/emails.server");
    const { deliverEmailQueue } = await import("~/modules/emails/deliver-queue.server");
    for (let again = 0; again < 2; again++) {
      await queueExpiringJobEmails();
      await deliverEmailQueue();
    }
    const mail = await world.mailAbout(owner.email, "Your job listing ends soon");
    expect(mail.text).toContain("“Ends Soon”");
    expect(mail.text).toContain(`/jobs/${job.id}/status`);
    expect(
      world.supabase.mails.filter(
        ({ to, subject }) => to === owner.email && subject === mail.subject,
      ),
    ).toHaveLength(1);
  });

  it("that our team has taken from its owner is not public when their payment arrives, which is refunded", async () => {
    const owner = await world.owner();
    const { checkout, job } = await order(owner);
    await stripe.pay(checkout, { card: "debit" });
    const admin = await world.admin();
    const { version } = (await world.row("jobs", job.id))!;
    const form = jobForm({ owner: "", intent: "later", version: String(version) });
    expect(await admin.submit(`/jobs/${job.id}`, form)).toRedirectTo("/admin/jobs");
    await stripe.advanceClock(5 * DAY);
    expect(await isPublic(job.id)).toBe(false);
    expect(await world.row("jobs", job.id)).toMatchObject({ owner: null, paid: false });
    expect(await world.row("orders", sessionAt(checkout).client_reference_id!)).toMatchObject({
      refund_reason: "changed",
      status: "refunded",
    });
    expect((await world.mailAbout(owner.email, "refund")).text).toContain("We refunded the $5");
  });

  it("that our team has given to someone else isn't published for them by the checkout that its author has open, which is refunded", async () => {
    const [author, other] = [await world.owner(), await world.owner()];
    const { checkout, job } = await order(author);
    // As when the checkout couldn't be closed, which the form does.
    await world.sql("update public.jobs set owner = $2 where id = $1", [job.id, other.id]);
    await stripe.pay(checkout);
    expect(await isPublic(job.id)).toBe(false);
    expect(await world.row("jobs", job.id)).toMatchObject({ owner: other.id, paid: false });
    expect(await world.row("orders", sessionAt(checkout).client_reference_id!)).toMatchObject({
      refund_reason: "changed",
      status: "refunded",
    });
    const mail = await world.mailAbout(author.email, "Your refund");
    expect(mail.text).toContain("What you paid for changed or ended before your payment arrived.");
  });

  it("that is live and was taken from its owner while a debit for more days is on its way keeps its days, and the debit is refunded", async () => {
    const [owner, admin] = [await world.owner(), await world.admin()];
    const { checkout, job } = await order(owner);
    await stripe.pay(checkout);
    const renewal = (await act(owner, job, "renew")).location!;
    await stripe.pay(renewal, { card: "debit" });
    const { version } = (await world.row("jobs", job.id))!;
    const form = jobForm({ owner: "", intent: "later", version: String(version) });
    expect(await admin.submit(`/jobs/${job.id}`, form)).toRedirectTo("/admin/jobs");
    const before = (await world.row("jobs", job.id))!;
    expect(before).toMatchObject({ owner: null, paid: true });
    await stripe.advanceClock(5 * DAY);
    expect(await world.row("jobs", job.id)).toMatchObject({
      paid: true,
      published: before["published"],
      expiration_date: before["expiration_date"],
    });
    expect(await world.row("orders", sessionAt(renewal).client_reference_id!)).toMatchObject({
      refund_reason: "changed",
      status: "refunded",
    });
    expect(await world.row("orders", sessionAt(checkout).client_reference_id!)).toMatchObject({
      status: "paid",
    });
    expect((await world.mailAbout(owner.email, "Your refund")).text).toContain(
      "We refunded the $5",
    );
  });

  it("that has gone to someone else, whose own payment isn’t on its way: neither they nor the team read that its former owner’s debit adds days", async () => {
    const [former, next, admin] = [await world.owner(), await world.owner(), await world.admin()];
    const { checkout, job } = await order(former);
    await stripe.pay(checkout);
    await stripe.pay((await act(former, job, "renew")).location!, { card: "debit" });
    await world.sql("update public.jobs set owner = $2 where id = $1", [job.id, next.id]);
    const page = await next.submit(`/jobs/${job.id}/status`, { intent: "renew" });
    expect(page).not.toSay("Your payment is on its way");
    expect(page).toSay("Someone else’s payment for this is still on its way from their bank.");
    const asAdmin = await admin.page(`/jobs/${job.id}/status`);
    expect(asAdmin).not.toSay("We’ll add them");
    expect(asAdmin).toSay("We’ll refund that payment when it arrives, unless an admin made it.");
    await stripe.advanceClock(5 * DAY);
    expect((await act(next, job, "renew")).location).toMatch(/^http/);
  });

  it("that is live and has gone to someone else takes no more days from its former owner, who has a checkout open and gets the money back", async () => {
    const [former, next] = [await world.owner(), await world.owner()];
    const { checkout, job } = await order(former);
    await stripe.pay(checkout);
    const renewal = (await act(former, job, "renew")).location!;
    await world.sql("update public.jobs set owner = $2 where id = $1", [job.id, next.id]);
    const before = (await world.row("jobs", job.id))!;
    await stripe.pay(renewal);
    expect(await world.row("jobs", job.id)).toMatchObject({
      owner: next.id,
      paid: true,
      published: true,
      expiration_date: before["expiration_date"],
    });
    expect(await world.row("orders", sessionAt(renewal).client_reference_id!)).toMatchObject({
      refund_reason: "changed",
      status: "refunded",
    });
    expect((await world.mailAbout(former.email, "Your refund")).text).toContain(
      "What you paid for changed or ended before your payment arrived.",
    );
  });

  it("that is paid for by a debit says that it’s refunded once its owner has asked for the deletion of their account", async () => {
    const owner = await world.owner();
    const { checkout, job } = await order(owner);
    await stripe.pay(checkout, { card: "debit" });
    expect(await owner.page(`/jobs/${job.id}/status`)).toSay("The job goes live as soon as");
    await world.sql(
      "insert into private.account_deletions (user_id, requested_at, due_at) values ($1, now(), now() + interval '7 days')",
      [owner.id],
    );
    const page = await owner.page(`/jobs/${job.id}/status`);
    expect(page).toSay(
      "You’ve asked us to delete your account, so we’ll refund it when it arrives.",
    );
    expect(page).not.toSay("goes live as soon as");
    await stripe.advanceClock(5 * DAY);
    expect(await world.row("orders", sessionAt(checkout).client_reference_id!)).toMatchObject({
      refund_reason: "account-ends",
    });
    expect(await isPublic(job.id)).toBe(false);
  });

  it("that is refunded is unpaid and not public anymore", async () => {
    const owner = await world.owner();
    const { checkout, job } = await order(owner);
    await stripe.pay(checkout);
    await stripe.refund(sessionAt(checkout).payment_intent as string);
    expect((await jobsOf(owner))[0]).toMatchObject({ paid: false, published: false });
    expect(await isPublic(job.id)).toBe(false);
    expect(await owner.page("/jobs")).toSay("Pending payment");
  });
});

describe("an admin", () => {
  it("can pay for anyone's job, which keeps its owner", async () => {
    const [owner, admin] = [await world.owner(), await world.admin()];
    const { job } = await order(owner);
    const checkout = await act(admin, job, "pay");
    await stripe.pay(checkout.location!);
    expect((await jobsOf(owner))[0]).toMatchObject({ id: job.id, paid: true });
  });
});

describe("when the payment provider does not answer", () => {
  it("a job is saved, says so, and can be paid later", async () => {
    const owner = await world.owner();
    outside.use(http.all(`${stripe.url}/*`, () => HttpResponse.error()));
    expect(await owner.post("/jobs/new", jobForm({ title: "Saved" }))).toRedirectTo("/jobs");
    const list = await owner.page("/jobs");
    expect(list).toSay(
      "Job saved, but not paid for. We can’t reach our payment provider right now.",
    );
    expect(list).toSay("Pay to activate listing");
    const [job] = await jobsOf(owner);
    const page = await owner.submit(`/jobs/${job!.id}/status`, { intent: "pay" });
    expect(page).toHaveStatus(503);
    expect(page).toSay("You weren’t charged");

    outside.resetHandlers();
    await stripe.pay((await act(owner, job!, "pay")).location!);
    expect((await jobsOf(owner))[0]).toMatchObject({ title: "Saved", paid: true });
  });
});
