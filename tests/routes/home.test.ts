import { describe, expect, it, onTestFinished } from "vitest";

import { env } from "~/env.server";

import { createWorld, type Member } from "../support/world";

const world = await createWorld({
  env: {
    CONTACT_URL: "mailto:team@directory.example",
    SOLO_EMAIL_CHECKOUT_URL: "https://buy.example/solo",
    BLOG_FEATURE_CHECKOUT_URL: undefined,
  },
});

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();

async function job(owner: Member, fields: Record<string, unknown>) {
  return world.insert("jobs", {
    title: "Baker",
    category: (
      await world.sql("select id from public.categories where parent_category = 40 limit 1")
    )[0]!["id"],
    description: "Early mornings",
    location: "{California}",
    company_name: "Café X",
    company_bio: "Cakes",
    owner: owner.id,
    ...fields,
  });
}

describe("the user's listings on the home page", () => {
  it("are the first three of the dashboard, with their places and states, and lead to the rest", async () => {
    const owner = await world.owner();
    for (const [name, fields] of [
      ["Corner Books", { status: "flagged" }],
      ["Acorn Bakery", {}],
      ["Birch Yoga", { city: "Oakland" }],
      ["Zinnia Florist", { premium: true }],
    ] as const)
      await world.listing({ owner, name, ...fields });
    const page = await owner.page("/");
    expect(page).toSay(
      "Your listings See all 4 Zinnia Florist San Francisco, CA Published Acorn Bakery San Francisco, CA Published Birch Yoga Oakland, CA Published",
    );
    expect(page).not.toSay("Corner Books San Francisco");
    expect(page.body).toMatch(/<a[^>]*href="\/listings">See all/);
    expect(page).toTakeAtMostSequentialCalls(2);
  });

  it("are for someone who has none where to add one, and a draft is among them", async () => {
    const owner = await world.owner();
    const empty = await owner.page("/");
    expect(empty).toSay("Let’s get your organization on the map!");
    expect(empty.body).toMatch(/<a[^>]*href="\/listings\/new">Add New Listing/);

    await world.insert("listing_drafts", { owner: owner.id, fields: "{}" });
    const page = await owner.page("/");
    expect(page).toSay("Your listings Untitled listing Not submitted yet Draft");
    expect(page.body).toMatch(/href="\/listings\/new\?draft=/);
    expect(page).not.toSay("See all");
  });

  it("are no one else's", async () => {
    await world.listing({ owner: await world.owner(), name: "Not Yours" });
    expect(await (await world.owner()).page("/")).not.toSay("Not Yours");
  });
});

describe("what the home page sells", () => {
  it("says what a Founding Supporter gets, for how much, and leads to the upgrade", async () => {
    const page = await (await world.owner()).page("/");
    for (const words of [
      "featured pin",
      "Top placement in your area",
      "home tab",
      "analytics dashboard",
      "private community server",
      "permanent badge",
      "changes are approved first",
      "$34–49",
      "If you pay month to month, the first one is $29.",
      "250K+",
      "100K+",
    ]) {
      expect(page).toSay(words);
    }
    expect(page.body).toMatch(/<a[^>]*href="\/upgrade"[^>]*>Upgrade</);
    expect(page).not.toSay("You’re a Founding Supporter!");
    expect(page).toTakeAtMostSequentialCalls(2);
  });

  it("thanks the owner of a Featured listing, in place of the offer", async () => {
    const owner = await world.owner();
    await world.listing({ owner, premium: true });
    const page = await owner.page("/");
    expect(page).toSay("You’re a Founding Supporter!");
    expect(page.body).not.toContain('href="/upgrade"');
  });

  it("offers the newsletter, the solo email and the blog, each with its price and where it is bought", async () => {
    const page = await (await world.owner()).page("/");
    expect(page).toSay(
      "Newsletter Feature Sent twice weekly, on Tuesday and Thursday, with 10 organizations highlighted in each. from $30 per newsletter",
    );
    expect(page.body).toMatch(
      /<a[^>]*aria-label="Buy Now: Newsletter Feature"[^>]*href="\/sponsor\/new"/,
    );
    expect(page).toSay(
      "Solo Business Email Highlight A dedicated email about your business, sent on a Wednesday. $500 per email",
    );
    expect(page.body).toMatch(/<a[^>]*href="https:\/\/buy\.example\/solo"/);
    expect(page).toSay("Blog Feature");
    expect(page).toSay("$300 per post");
    expect(page.body).not.toContain("Buy Now: Blog Feature");
    expect(page.body).toMatch(
      /<a[^>]*aria-label="Get in touch: Blog Feature"[^>]*href="mailto:team@directory\.example"/,
    );
  });

  it("quotes supporters only when the setting has what they said", async () => {
    const owner = await world.owner();
    await world.listing({ owner });
    const quotes = async (path: string) =>
      [...(await owner.page(path)).body.matchAll(/<figure>(.*?)<\/figure>/gs)].map(([, quote]) =>
        quote!.replace(/<[^>]+>|<!-- -->/g, ""),
      );
    const pages = ["/", "/listings", "/upgrade", "/sponsor"];
    for (const path of pages) expect(await quotes(path), path).toEqual([]);
    expect((await owner.page("/")).body).not.toContain('class="testimonials"');

    onTestFinished(() => void (env().testimonials = []));
    env().testimonials = [1, 2, 3].map((n) => ({ words: `Words ${n}`, by: `Person ${n}` }));
    const [first, second, third] = [1, 2, 3].map((n) => `“Words ${n}”Person ${n}`);
    expect(await Promise.all(pages.map(quotes))).toEqual([
      [first, second, third],
      [first],
      [first],
      [third],
    ]);
  });
});

describe("what needs the owner's attention", () => {
  it("is, of a job that can’t be paid for, its listing, and what can be done", async () => {
    const owner = await world.owner();
    const hidden = await world.listing({ owner, hidden: true });
    const gone = await world.listing({ owner: await world.owner() });
    const ofListing = (title: string, { id }: { id: number }) =>
      job(owner, { title, place_id: id, company_name: null, company_bio: null });
    await job(owner, { title: "Waiter" });
    const { id } = await ofListing("Cook", hidden);
    const page = await owner.page("/");
    expect(page).toSay("“Waiter” isn’t live yet. Pay to publish it");
    expect(page).toSay(
      "“Cook” can’t go live, because its listing isn’t public or isn’t yours. See what to do",
    );
    expect(page).toSay("Two things are waiting for you.");
    const status = `/jobs/${String(id)}/status`;
    expect(page.body).toContain(`href="${status}"`);
    expect(await owner.page(status)).toSay(
      "Make the listing public, or choose “This business is not listed” and name the company.",
    );

    await ofListing("Baker", gone);
    expect(await owner.page("/")).toSay(
      "“Cook” and 1 more can’t go live, because their listings aren’t public or aren’t yours. See what to do",
    );
  });

  it("is nothing at first", async () => {
    const owner = await world.owner();
    const first = await owner.page("/");
    expect(first).not.toSay("Needs your attention");
    // There is nothing yet to be caught up with.
    expect(first).not.toSay("You’re all caught up.");
    expect(first).toSay("Add New Listing");

    await world.listing({ owner });
    const page = await owner.page("/");
    expect(page).not.toSay("Needs your attention");
    expect(page).toSay("You’re all caught up.");
  });

  it("comes above the rest, the most urgent first, each with its next step", async () => {
    const owner = await world.owner();
    const asked = await world.listing({
      owner,
      name: "Asked Café",
      changes_requested: "Please name your street.",
    });
    const unpaid = await world.listing({
      owner,
      name: "Unpaid Bar",
      premium: true,
      subscription_status: "past_due",
      stripe_cus_id: "cus_1",
    });
    const incomplete = await world.listing({
      owner,
      name: "Half Bakery",
      status: "new",
      state: null,
    });
    await job(owner, { title: "Cook" });
    await job(owner, { title: "Waiter", paid: true, published: true, expiration_date: inDays(3) });
    const lead = await world.insert("leads", {
      place_id: asked.id,
      requester_name: "Kai",
      requester_email: "kai@example.test",
      message: "Hi",
    });
    await world.listing({ owner: null, owner_email: owner.email, name: "Mine To Claim" });

    const page = await owner.page("/");
    const lines = [
      "Your payment for Unpaid Bar didn’t go through. Update payment",
      "Our team has asked for changes to Asked Café. See what to change",
      "Half Bakery isn’t complete yet, so it can’t be approved. Complete it",
      "Your job “Waiter” ends on",
      "“Cook” isn’t live yet. Pay to publish it",
      "You have a new message for Asked Café. Read it",
      "Mine To Claim has your email address but no owner yet. Claim it",
      "You’re a Founding Supporter!",
    ];
    for (const line of lines) expect(page).toSay(line);
    expect(page).toSay("Seven things are waiting for you.");
    expect(page).toSay("Needs your attention 7");
    expect(page.body).toContain("<b><bdi>Unpaid Bar</bdi></b>");
    const places = lines.map((line) => page.text.indexOf(line));
    expect(places).toEqual([...places].sort((a, b) => a - b));
    for (const link of [
      `/listings/${asked.id}`,
      `/listings/${incomplete.id}`,
      `/leads/${String(lead["id"])}`,
      "/jobs",
      `/listings/${unpaid.id}/billing`,
    ]) {
      expect(page.body).toContain(`href="${link}"`);
    }
  });

  it("offers no more days of a job that no one sees, because its listing isn’t public", async () => {
    const owner = await world.owner();
    const listing = await world.listing({ owner, name: "Asked Café" });
    const live = { paid: true, published: true, expiration_date: inDays(3) };
    const ofListing = { place_id: listing.id, company_name: null, company_bio: null };
    await job(owner, { title: "Waiter", ...live, ...ofListing });
    const count = async () => (await owner.page("/")).text.includes("Job Listings 1");
    const seen = async () => [
      (await owner.page("/")).text.includes("Your job “Waiter” ends"),
      await count(),
    ];
    expect(await seen()).toEqual([true, true]);
    for (const change of [
      "hidden = true",
      "status = 'flagged', hidden = false",
      "status = 'archived'",
    ]) {
      await world.sql(`update public.places set ${change} where id = $1`, [listing.id]);
      expect(await seen(), change).toEqual([false, false]);
    }
  });

  it("asks no one for a payment that isn’t collected anymore, as their listing or account is about to leave", async () => {
    const failed = { premium: true, subscription_status: "past_due", stripe_cus_id: "cus_3" };
    for (const leaving of [{ archive_requested: true }, { status: "archived" }, null]) {
      const owner = await world.owner();
      await world.listing({ owner, name: "Unpaid Bar", ...failed, ...leaving });
      if (leaving === null) {
        expect(await owner.page("/")).toSay("Your payment for Unpaid Bar didn’t go through.");
        await owner.submit("/privacy/delete", {
          intent: "delete",
          current_password: owner.password,
        });
      }
      expect(await owner.page("/")).not.toSay("didn’t go through");
      const list = await owner.page("/listings");
      expect(list).not.toSay("Update payment");
      expect(list).not.toSay("Payment failed");
      expect(list).toSay("Plan and payments");
    }
  });

  it("asks no one to pay for a plan that has stopped, as no retry has worked", async () => {
    const owner = await world.owner();
    const stopped = { subscription_status: "unpaid", stripe_cus_id: "cus_4" };
    await world.listing({ owner, name: "Unpaid Bar", ...stopped });
    expect(await owner.page("/")).not.toSay("didn’t go through");
    const list = await owner.page("/listings");
    expect(list).not.toSay("Update payment");
    expect(list).toSay("Your payments didn’t go through, so this listing is no longer Featured.");
    expect(await owner.page("/listings?show=attention")).not.toSay("No longer Featured");
  });

  it("counts things of one kind on one line", async () => {
    const owner = await world.owner();
    for (const name of ["One", "Two", "Three"])
      await world.listing({ owner, name, changes_requested: "Please." });
    for (const name of ["Bright Side Electric", "Another"])
      await world.listing({ owner: null, owner_email: owner.email, name });
    const failed = { premium: true, subscription_status: "past_due", stripe_cus_id: "cus_2" };
    for (const name of ["Unpaid Bar", "Unpaid Café"])
      await world.listing({ owner, name, ...failed });
    const page = await owner.page("/");
    expect(page).toSay("Your payments for Unpaid Bar and 1 more didn’t go through. Update payment");
    expect(page).toSay("Our team has asked for changes to One and 2 more. See what to change");
    expect(page).toSay(
      "Two listings use your email address and have no owner yet: Bright Side Electric and 1 more. Claim them",
    );
    expect(page.body).toContain('aria-label="Claim them: Bright Side Electric and 1 more"');
    expect(page.body).toContain('href="/listings?show=attention"');
  });

  it("leaves out what is someone else's, or over", async () => {
    const [owner, other] = [await world.owner(), await world.owner()];
    await world.listing({ owner: other, name: "Not Yours", changes_requested: "Please." });
    await job(other, { title: "Not Yours Either" });
    await job(owner, {
      title: "Long Gone",
      paid: true,
      published: true,
      expiration_date: inDays(-1),
    });
    await job(owner, {
      title: "Filled",
      paid: true,
      expiration_date: inDays(2),
      filled_at: inDays(-1),
    });
    await job(owner, { title: "Far Off", paid: true, published: true, expiration_date: inDays(6) });
    expect(await owner.page("/")).not.toSay("Needs your attention");
  });
});
