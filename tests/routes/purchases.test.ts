/** What someone paid: the list, the download, receipts, and invoices. */
import { bypass, http, HttpResponse, passthrough } from "msw";
import { describe, expect, it } from "vitest";

import { buyingIn } from "../support/buying";
import { listNewsletterDates } from "../support/newsletter-dates";
import { outside } from "../support/outside";
import { createWorld } from "../support/world";

const world = await createWorld({ stripe: true });
const { stripe } = world;
const { buyPlan, buyJob, sponsor, sessionAt } = buyingIn(world);
const [day] = (await listNewsletterDates(world)).slice(4) as [string];

describe("purchases", () => {
  it("list every payment with what it was for, its state, and a receipt, and download as CSV", async () => {
    const owner = await world.owner();
    const listing = await world.listing({ owner, name: "Café X" });
    expect(await owner.page("/account/purchases")).toSay("You haven’t bought anything yet");
    await stripe.renew(await buyPlan(owner, listing, "six_months"));
    const { payment } = await buyJob(owner);
    await stripe.refund(payment, 200);
    const ordered = await sponsor(owner, listing, [day]);
    await stripe.pay(ordered.checkout);
    // What was bought keeps the name that it had.
    await world.sql("update public.places set name = 'Café Y' where id = $1", [listing.id]);

    const page = await owner.page("/account/purchases");
    for (const text of [
      "Featured listing: Café X 6 months",
      "renewal",
      "Job listing: ",
      "Newsletter feature: Café X",
      "Partly refunded",
      "$2 refunded",
    ])
      expect(page).toSay(text);
    const csv = await owner.page("/account/purchases.csv");
    expect(csv.body.trim().split("\r\n")).toHaveLength(5);
    expect(csv.body).toContain(",5,0,2,Partly refunded,");
    const year = new Date().getUTCFullYear();
    expect(await owner.page(`/account/purchases?year=${year}`)).toSay("Café X");
    expect(await owner.page("/account/purchases?year=1999")).toSay("Café X");
    expect(await (await world.owner()).page("/account/purchases")).not.toSay("Café X");
  });

  it("say that the buyer’s bank has returned a payment, and count it so, after a dispute that we lost", async () => {
    const owner = await world.owner();
    const { payment } = await buyJob(owner);
    await buyJob(owner);
    const { id } = await stripe.dispute(payment);
    expect(await owner.page("/account/purchases")).toSay("You paid $10");
    await stripe.closeDispute(id, false);
    const page = await owner.page("/account/purchases");
    for (const text of [
      "You paid $10, and $5 was returned to you",
      "Returned by your bank $5 returned",
    ])
      expect(page).toSay(text);
    expect(page).not.toSay("Dispute lost");
    const csv = await owner.page("/account/purchases.csv");
    expect(csv.body).toContain(",5,0,5,Returned by your bank,");
    expect(csv.body).toContain(",5,0,0,Paid,");
  });

  it("are listed by year, with the one shown marked, and offer invoices only to someone who has bought something", async () => {
    const newcomer = await world.owner();
    expect(await newcomer.page("/account/purchases")).not.toSay("Get invoices");

    await buyJob(newcomer);
    const { payment } = await buyJob(newcomer);
    await world.sql(
      "update public.payments set paid_at = paid_at - interval '400 days' where id = $1",
      [payment],
    );
    const last = new Date(Date.now() - 400 * 86_400_000).getUTCFullYear();
    const getCurrent = async (path: string) => {
      const { body } = await newcomer.page(path);
      const years = body.slice(body.indexOf('aria-label="Years"'), body.indexOf("data-table"));
      return /<a[^>]*aria-current="page"[^>]*>(\w+)/.exec(years)?.[1];
    };
    expect(await getCurrent("/account/purchases")).toBe("All");
    expect(await getCurrent(`/account/purchases?year=${last}`)).toBe(String(last));
    expect(await newcomer.page("/account/purchases")).toSay("Get invoices");
  });

  it("name the plan that each payment was for, also after it was changed, for the team as well", async () => {
    const owner = await world.owner();
    const listing = await world.listing({ owner, name: "Café X" });
    const subscription = await buyPlan(owner, listing, "monthly");
    stripe.pauseWebhooks();
    await stripe.renew(subscription);
    await stripe.changePlan(subscription, "featured_twelve_months");
    await stripe.renew(subscription);
    await stripe.resumeWebhooks();

    const plans = async (path: string, person = owner) =>
      (await person.page(path)).body.match(
        /Café X, [^,]+, [a-z][a-z ]+|Café X, [^,]+(?=, [A-Z][a-z]{2}\b)/g,
      );
    expect((await plans("/account/purchases.csv"))?.sort()).toEqual([
      "Café X, 12 months, change of plan",
      "Café X, 12 months, renewal",
      "Café X, month to month",
      "Café X, month to month, renewal",
    ]);
    const page = await owner.page("/account/purchases");
    expect(page).toSay("Featured listing: Café X 12 months, renewal");
    const [order] = await world.sql("select id from public.orders where place_id = $1", [
      listing.id,
    ]);
    const team = await (await world.admin()).page(`/admin/payments/${String(order!["id"])}`);
    for (const text of [
      "Purchase, month to month: $29",
      "Renewal, month to month: $49",
      "Change of plan, 12 months: $",
      "Renewal, 12 months: $408",
    ])
      expect(team).toSay(text);

    // One of before the plan was stored.
    await world.sql("update public.payments set plan = null where subscription_id = $1", [
      subscription,
    ]);
    expect(await plans("/account/purchases.csv")).toContain("Café X, month to month, renewal");
  });

  it("lead to a receipt that is fetched when it is asked for, and to no one else’s", async () => {
    const owner = await world.owner();
    const { payment } = await buyJob(owner);
    const receipt = `/account/purchases/${payment}/receipt`;
    expect((await owner.page(receipt)).location).toMatch(new RegExp(`^${stripe.url}/receipts/`));
    expect(await (await world.owner()).page(receipt)).toBeNotFound();
    // It has the buyer's name and address: the team sees the payment, and not the receipt.
    expect(await (await world.admin()).page(receipt)).toBeNotFound();
    expect(await owner.page("/account/purchases/pi_invented/receipt")).toBeNotFound();
    expect(await owner.page("/account/purchases/..%2F..%2Fv1/receipt")).toBeNotFound();
  });

  it("offer to cancel the plan of a listing that has gone to someone else, under the name it had", async () => {
    const owner = await world.owner();
    const listing = await world.listing({ owner, name: "Café X" });
    const subscription = await buyPlan(owner, listing, "six_months");
    expect(await owner.page("/account/purchases")).not.toSay("you no longer own");
    const next = await world.owner();
    await world.sql("update public.places set owner = $1, name = 'A secret' where id = $2", [
      next.id,
      listing.id,
    ]);
    const page = await owner.page("/account/purchases");
    expect(page).toSay("you no longer own");
    expect(page).toSay("Café X: $216 every 6 months");
    expect(page).not.toSay("A secret");

    const cancel = (who: typeof owner) =>
      who.submit("/account/purchases", { intent: "cancel-plan", subscription });
    expect((await cancel(next)).status).toBe(409);
    expect(stripe.subscription(subscription).cancel_at_period_end).toBe(false);
    await stripe.renew(subscription);
    expect((await world.mailAbout(owner.email, "Your renewal receipt")).text).toContain(
      "You paid $216 to keep “Café X” Featured",
    );
    expect(await cancel(owner)).toRedirectTo("/account/purchases");
    expect(stripe.subscription(subscription).cancel_at_period_end).toBe(true);
    expect(await owner.page("/account/purchases")).toSay("Café X: Canceled. It ends on");
    expect((await world.mailAbout(owner.email, "Your cancellation")).text).not.toContain("secret");
    expect((await cancel(owner)).status).toBeLessThan(400);
  });

  it("end the plan of such a listing at once when its last payment didn’t go through", async () => {
    const owner = await world.owner();
    const listing = await world.listing({ owner, name: "Café X" });
    const subscription = await buyPlan(owner, listing);
    await stripe.renew(subscription, "declined");
    await world.sql("update public.places set owner = $1 where id = $2", [
      (await world.owner()).id,
      listing.id,
    ]);
    await stripe.cancelAtPeriodEnd(subscription);
    expect(await owner.page("/account/purchases")).toSay(
      "If you cancel instead, the plan ends right away.",
    );
    const question = `/account/purchases/${subscription}/end`;
    const cancel = { intent: "cancel-plan", subscription };
    expect(await owner.submit("/account/purchases", cancel)).toRedirectTo(question);
    expect(stripe.subscription(subscription).status).toBe("past_due");
    expect(await owner.page(question)).toSay("End the plan for “Café X” now?");
    const stranger = await world.owner();
    expect(await stranger.page(question)).toRedirectTo("/account/purchases");
    await owner.submit("/account/purchases", { intent: "end-plan", subscription });
    expect(await owner.page("/account/purchases")).toSay(
      "Plan canceled. We won’t charge you again.",
    );
    const { data } = await stripe.sdk.invoices.list({ subscription });
    expect(data.map(({ status }) => status)).toEqual(["void", "paid"]);
  });

  it("stay when the job is deleted, which is possible while it is unpaid or has expired", async () => {
    const owner = await world.owner();
    const { job } = await buyJob(owner);
    const remove = () => owner.submit(`/jobs/${job}/status`, { intent: "delete" });
    expect(await remove()).toSay("Only unpaid and expired jobs can be deleted.");
    await world.sql(
      "update public.jobs set expiration_date = now() - interval '1 day' where id = $1",
      [job],
    );
    expect(await owner.page(`/jobs/${job}/status`)).toSay("Delete job");
    expect(await remove()).toRedirectTo("/jobs");
    expect(await world.row("jobs", job)).toBeUndefined();
    expect(await owner.page("/account/purchases")).toSay("Job listing: ");
  });
});

describe("invoices", () => {
  const details = {
    name: "Café X LLC",
    line1: "1 Main St",
    city: "Taos",
    state: "NM",
    postal_code: "87571",
    country: "U.S.A.",
  };

  it("are made of one-time purchases once the buyer asks for them, with their business’s name", async () => {
    const owner = await world.owner();
    const before = await buyJob(owner);
    expect(sessionAt(before.checkout).invoice).toBeNull();
    expect(await owner.submit("/account/invoices", details)).toRedirectTo("/account/invoices");
    const saved = await owner.page("/account/invoices");
    expect(saved.value("name")).toBe("Café X LLC");
    expect(saved.value("country")).toBe("United States");
    const after = await buyJob(owner);
    const invoice = stripe.account.get("invoice", sessionAt(after.checkout).invoice as string);
    expect(invoice.customer_name).toBe("Café X LLC");
    expect((await owner.page("/account/purchases.csv")).body).toContain(invoice.number!);

    await owner.submit("/account/invoices", { intent: "stop" });
    expect((await owner.page("/account/invoices")).value("name") ?? "").toBe("");
    expect(sessionAt((await buyJob(owner)).checkout).invoice).toBeNull();
  });

  it("change in the fields that were changed in the form, and come back only as they are entered again", async () => {
    const owner = await world.owner();
    const open = async () => (await owner.page("/account/invoices")).value("seen")!;
    const sent = { ...details, country: "United States" };
    await owner.post("/account/invoices", { ...sent, seen: await open() });
    const seen = await open();
    // In another tab, the name changes; in this one, the address.
    await owner.post("/account/invoices", { ...sent, name: "Fern & Sons", seen });
    const moved = { ...sent, line1: "2 Elm St", seen };
    expect(await owner.post("/account/invoices", moved)).toRedirectTo("/account/invoices");
    const both = await owner.page("/account/invoices");
    expect([both.value("name"), both.value("line1")]).toEqual(["Fern & Sons", "2 Elm St"]);

    const corrected = { ...sent, name: "Fern & Sons", line1: "3 Elm St", seen: await open() };
    await owner.submit("/account/invoices", { intent: "stop" });
    const answer = await owner.post("/account/invoices", corrected);
    expect(answer).toBeRefusedWith(/name of your business/, { field: "name" });
    expect(answer.kept).toMatchObject({ line1: "3 Elm St" });
    expect((await owner.page("/account/invoices")).value("name") ?? "").toBe("");
  });

  it("are not said to be unchanged when Stripe’s answer is lost, since Stripe may have changed them", async () => {
    const owner = await world.owner();
    await buyJob(owner);
    outside.use(
      http.post(`${stripe.url}/v1/customers/:id`, async ({ request }) => {
        const { url, method, headers } = bypass(request);
        const body = await request.clone().text();
        if (!body.includes("line1")) return passthrough();
        await fetch(url, { method, headers, body });
        return HttpResponse.error();
      }),
    );
    const answer = await owner.submit("/account/invoices", details);
    expect(answer).toSay("so we can’t tell whether this was saved.");
    expect(answer.value("name")).toBe("Café X LLC");
    outside.resetHandlers();
    expect((await owner.page("/account/invoices")).value("name")).toBe("Café X LLC");
  });

  it("need a name and an address, and a form with errors keeps what was typed", async () => {
    const owner = await world.owner();
    const answer = await owner.post("/account/invoices", {
      ...details,
      name: " ",
      country: "+1",
    });
    expect(answer).toBeRefusedWith("Enter the name of your business.", { field: "name" });
    expect(answer).toBeRefusedWith(/^Enter the name of your country/, { field: "country" });
    expect(answer.kept).toMatchObject({ line1: "1 Main St" });
  });
});
