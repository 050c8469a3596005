/** A job from its form to the public and to its end: paid, renewed, given back; however payment goes. */
import { randomUUID } from "node:crypto";

import { http, HttpResponse } from "msw";
import { describe, expect, it } from "vitest";

import { jobForm } from "../support/forms";
import { outside } from "../support/outside";
import { createWorld, type Member } from "../support/world";

const world = await createWorld({ stripe: true });
const { stripe } = world;
const DAY = 86_400_000;

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
const publicly = async (id: number) =>
  (await world.sql("select id from public.public_jobs where id = $1", [id])).length > 0;
/** The page of ours that the payment page sends people back to. */
const here = (address: string) => address.replace(world.appUrl, "");

/** Saves a new job and goes to payment. */
async function order(owner: Member, fields: Record<string, unknown> = {}) {
  const response = await owner.post("/jobs/new", jobForm(fields));
  expect(response.status).toBe(303);
  expect(new URL(response.location!).origin).toBe(stripe.url);
  const [job] = (await jobsOf(owner)).slice(-1);
  return { checkout: response.location!, job: job! };
}
const sessionAt = (checkout: string) => stripe.session(/cs_\w+/.exec(checkout)![0]);
const press = (owner: Member, { id }: Job, intent: string) =>
  owner.post(`/jobs/${id}/status`, { intent });

describe("a new job", () => {
  it("is saved, paid for, and live for 45 days", async () => {
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

    const back = await owner.page(here(await stripe.pay(checkout)));
    for (const words of ["Thank you!", "You paid $5.", "Published", "Unpublish listing"])
      expect(back).toSay(words);
    const [live] = await jobsOf(owner);
    expect(live).toMatchObject({ paid: true, published: true });
    expect(daysLeft(live!)).toBeCloseTo(45, 1);
    expect(await publicly(job.id)).toBe(true);
  });

  it("sent twice is one job and one checkout", async () => {
    const owner = await world.owner();
    const form = { submission_id: randomUUID() };
    const [one, other] = [await order(owner, form), await order(owner, form)];
    expect(other.checkout).toBe(one.checkout);
    expect(await jobsOf(owner)).toHaveLength(1);
  });

  it("whose payment is cancelled, declined or left until it ends stays in the list, and can be paid for", async () => {
    const owner = await world.owner();
    const { checkout, job } = await order(owner);
    expect(here(await stripe.pay(checkout, { card: "declined" }))).not.toContain("/jobs?paid");
    expect(await owner.page(here(stripe.cancelUrl(checkout)!))).toSay("Not paid yet");
    await stripe.expire(sessionAt(checkout).id);
    const list = await owner.page("/jobs");
    expect(list).toSay("Pending payment");
    expect(list).toSay("Pay to activate listing");
    expect(await publicly(job.id)).toBe(false);

    const again = await press(owner, job, "pay");
    expect(again.status).toBe(303);
    expect(again.location).not.toBe(checkout);
    expect(await owner.page(here(await stripe.pay(again.location!)))).toSay("Thank you!");
    expect((await jobsOf(owner))[0]).toMatchObject({ paid: true, published: true });
  });

  it("says that the payment is being confirmed until it is told of, and asks when it is asked to", async () => {
    const owner = await world.owner();
    const { checkout } = await order(owner);
    stripe.pauseWebhooks();
    const back = here(await stripe.pay(checkout));
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

  it("is not paid for by an address", async () => {
    const [owner, other] = [await world.owner(), await world.owner()];
    const { checkout, job } = await order(other);
    const back = here(await stripe.pay(checkout));
    for (const address of ["/jobs?paid=cs_test_made_up", "/jobs?paid=", "/jobs?paid=%00", back]) {
      const page = await owner.page(address);
      expect(page).toHaveStatus(200);
      expect(page).not.toSay("Thank you!");
    }
    expect(await owner.post(`/jobs/${job.id}/status`, { intent: "pay" })).toBeNotFound();
  });
});

describe("a paid job", () => {
  it("is not paid for again by a button that was left open", async () => {
    const owner = await world.owner();
    const { checkout, job } = await order(owner);
    await stripe.pay(checkout);
    const page = await owner.submit(`/jobs/${job.id}/status`, { intent: "pay" });
    expect(page).toHaveStatus(409);
    expect(page).toSay("This is paid for already.");
  });

  it("saved again goes back to the list", async () => {
    const owner = await world.owner();
    const { checkout, job } = await order(owner);
    await stripe.pay(checkout);
    expect(await owner.post(`/jobs/${job.id}`, jobForm({ title: "Mended" }))).toRedirectTo("/jobs");
    expect((await jobsOf(owner))[0]).toMatchObject({
      title: "Mended",
      paid: true,
      published: true,
    });
  });

  it("is renewed: 45 days are added to those it has left, and somebody is looked for again", async () => {
    const owner = await world.owner();
    const { checkout, job } = await order(owner);
    await stripe.pay(checkout);
    await world.sql(
      "update public.jobs set expiration_date = now() + interval '10 days' where id = $1",
      [job.id],
    );
    expect(await owner.page(`/jobs/${job.id}/status`)).toSay("adds 45 days");
    const renewal = await press(owner, job, "renew");
    await press(owner, job, "fill");
    expect(await publicly(job.id)).toBe(false);
    await stripe.pay(renewal.location!);
    const [renewed] = await jobsOf(owner);
    expect(daysLeft(renewed!)).toBeCloseTo(55, 1);
    expect(renewed).toMatchObject({ published: true, filled_at: null });
    expect(await publicly(job.id)).toBe(true);
  });

  it("that has expired is renewed from today", async () => {
    const owner = await world.owner();
    const { checkout, job } = await order(owner);
    await stripe.pay(checkout);
    await world.sql(
      "update public.jobs set expiration_date = now() - interval '10 days' where id = $1",
      [job.id],
    );
    expect(await owner.page("/jobs")).toSay("Listing expired");
    await stripe.pay((await press(owner, job, "renew")).location!);
    expect(daysLeft((await jobsOf(owner))[0]!)).toBeCloseTo(45, 1);
    expect(await owner.page("/jobs")).toSay("Published");
  });

  it("is told to its owner by mail before it ends, with the way to renew it", async () => {
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

  it("that was given back is unpaid, and public no more", async () => {
    const owner = await world.owner();
    const { checkout, job } = await order(owner);
    await stripe.pay(checkout);
    await stripe.refund(sessionAt(checkout).payment_intent as string);
    expect((await jobsOf(owner))[0]).toMatchObject({ paid: false, published: false });
    expect(await publicly(job.id)).toBe(false);
    expect(await owner.page("/jobs")).toSay("Pending payment");
  });
});

describe("an admin", () => {
  it("may pay for anybody's job, which stays whose it is", async () => {
    const [owner, admin] = [await world.owner(), await world.admin()];
    const { job } = await order(owner);
    const checkout = await press(admin, job, "pay");
    await stripe.pay(checkout.location!);
    expect((await jobsOf(owner))[0]).toMatchObject({ id: job.id, paid: true });
  });
});

describe("when the payment provider does not answer", () => {
  it("the job is saved all the same, says so, and can be paid for later", async () => {
    const owner = await world.owner();
    outside.use(http.all(`${stripe.url}/*`, () => HttpResponse.error()));
    expect(await owner.post("/jobs/new", jobForm({ title: "Kept" }))).toRedirectTo("/jobs");
    const list = await owner.page("/jobs");
    expect(list).toSay(
      "The job is saved, but not paid for. We can’t reach our payment provider just now.",
    );
    expect(list).toSay("Pay to activate listing");
    const [job] = await jobsOf(owner);
    const page = await owner.submit(`/jobs/${job!.id}/status`, { intent: "pay" });
    expect(page).toHaveStatus(503);
    expect(page).toSay("Nothing was charged");

    outside.resetHandlers();
    await stripe.pay((await press(owner, job!, "pay")).location!);
    expect((await jobsOf(owner))[0]).toMatchObject({ title: "Kept", paid: true });
  });
});
