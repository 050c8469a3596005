/** Decisions on many listings at once: selected, previewed, made once, and undone. */
import { randomUUID } from "node:crypto";

import { bypass, http, HttpResponse } from "msw";
import { beforeEach, describe, expect, it } from "vitest";

import { outside } from "../support/outside";
import { createWorld } from "../support/world";

const world = await createWorld();
const admin = await world.admin({ fullName: "Ade One" });
const second = await world.admin({ fullName: "Kai Two" });
const owner = await world.owner();

const NO_EMAIL = "This listing does not have an owner_email.";
const NO_ADDRESS = "This listing does not have a proper address.";

beforeEach(async () => {
  await world.sql("delete from public.places");
  // The emails of earlier tests are not sent.
  await world.sql("delete from private.email_queue");
});

type Listed = { id: number; version?: unknown };
const boxValues = (...listings: Listed[]) =>
  listings.map(({ id, version }) => `${id}:${Number(version ?? 1)}`);
const newListing = (fields: Record<string, unknown> = {}) =>
  world.listing({ owner, status: "new", ...fields });
const bulkListings = (count: number, status = "new") =>
  world.sql(
    `insert into public.places (name, category, state, status, owner, owner_email)
     select 'Bulk ' || i, 1, 'CA', $2, null, 'bulk-' || i || '@example.test' from generate_series(1, $1::int) i returning id, version`,
    [count, status],
  ) as Promise<{ id: number; version: number }[]>;

/** Selects listings in a queue. Returns the URL of the preview. */
async function select(
  fields: Record<string, string | string[]>,
  path = "/admin/new",
  by = admin,
): Promise<string> {
  const { location } = await by.post(path, { intent: "choose", action: "approve", ...fields });
  expect(location).toMatch(/^\/admin\/decisions\/[0-9a-f-]{36}\?/);
  return location!;
}
const decide = (page: string, fields: Record<string, string> = {}, by = admin) =>
  by.post(page, { intent: "decide", action: "approve", ...fields });
const readStatus = async ({ id }: Listed) => (await world.row("places", id))!["status"];
const countStatus = async (status: string) =>
  Number(
    (
      await world.sql("select count(*)::int as n from public.places where status = $1", [status])
    )[0]!["n"],
  );

describe("approving many listings", () => {
  it("previews what will happen to each, and changes nothing", async () => {
    const good = await newListing({ name: "Good One" });
    const noEmail = await newListing({ owner: null, owner_email: null, name: "No Email" });
    const noState = await newListing({ state: "", name: "No State" });
    const page = await admin.page(
      await select({ listing: boxValues(good, noEmail, noState, { id: 99_999 }) }),
    );
    // The title asks about what will happen, as the button does.
    expect(page.heading).toBe("Approve 1 listing?");
    expect(page).toSay("Nothing’s changed yet. 1 of 4 listings will be approved.");
    expect(page.text).toMatch(
      new RegExp(`2 can’t be approved .*${NO_EMAIL} No Email .*1 will be approved .*Good One`),
    );
    expect(page).toSay(NO_ADDRESS);
    expect(page).toSay("Listing 99999");
    // Cancel goes back to them, still selected.
    const [, ticked] = /href="\/admin\/new\?ticked=([\d.-]+)"/.exec(page.body)!;
    expect(ticked!.split("-").map((one) => Number(one.split(".")[0]))).toEqual(
      expect.arrayContaining([good, noEmail, noState].map(({ id }) => id)),
    );
    expect(page).toSay("Approve 1 listing");
    expect(page).toTakeAtMostSequentialCalls(2);
    expect(await countStatus("new")).toBe(3);
  });

  it("selects after Cancel no listing that its owner has changed since it was selected", async () => {
    const good = await newListing({ name: "Good One" });
    const changing = await newListing({ name: "Changing" });
    const preview = await select({ listing: boxValues(good, changing) });
    await world.sql("update public.places set description = 'Not read by anyone' where id = $1", [
      changing.id,
    ]);
    const page = await admin.page(preview);
    expect(page).toSay("1 of 2 listings will be approved.");
    const [, cancel] = /href="(\/admin\/new\?ticked=[^"]+)"/.exec(page.body)!;
    const { body } = await admin.page(cancel!);
    const selected = [...body.matchAll(/<input[^>]*name="listing"[^>]*>/g)]
      .filter(([box]) => box.includes("checked="))
      .map(([box]) => Number(/value="(\d+):/.exec(box)![1]));
    expect(selected).toEqual([good.id]);
  });

  it("shows what each edit changes that would be approved, and nothing else of it", async () => {
    const edit = {
      status: "pending-update",
      phone: "+1 505-555-0199",
      url: "https://edited.example",
      last_update: JSON.stringify({ phone: "+1 505-555-0100", url: null }),
    };
    await newListing({ ...edit, name: "Edited" });
    await newListing({
      ...edit,
      name: "Blocked",
      phone: "+1 505-555-0101",
      owner_email: null,
      owner: null,
    });
    const now = await world.sql("select id, version from public.places order by id");
    const page = await admin.page(
      await select({ listing: boxValues(...(now as Listed[])) }, "/admin/pending"),
    );
    expect(page.text).toMatch(
      /1 will be approved Edited .*Phone was \+1 505-555-0100, now → \+1 505-555-0199/,
    );
    expect(page.text).toMatch(/Website was empty, now → https:\/\/edited\.example/);
    expect(page.text).not.toContain("0101");
    expect(page).toTakeAtMostSequentialCalls(2);
  });

  it("approves, and gives a reason and a link for each listing that was not approved", async () => {
    const good = await newListing({ name: "Good One" });
    const noEmail = await newListing({ owner: null, owner_email: null, name: "No Email" });
    const neither = await newListing({
      owner: null,
      owner_email: null,
      state: null,
      name: "Neither",
    });
    const page = await select({ listing: boxValues(good, noEmail, neither) });
    const answer = await decide(page);
    expect(answer.status).toBe(303);
    const result = await admin.page(answer.location!);
    expect(result.heading).toBe("1 listing approved, 2 not approved");
    expect(result.text).toMatch(new RegExp(`2 not approved .*${NO_EMAIL} No Email`));
    expect(result).toSay(`${NO_EMAIL} ${NO_ADDRESS}`);
    expect(result.body).toMatch(
      new RegExp(
        `href="/listings/${noEmail.id}\\?back=%2Fadmin%2Fdecisions[^"]*#listing-owner_email"`,
      ),
    );
    expect(result.body).toContain('href="/admin/new"');
    expect(await Promise.all([good, noEmail, neither].map(readStatus))).toEqual([
      "published",
      "new",
      "new",
    ]);
    expect(await world.row("public_places", good.id)).toMatchObject({ name: "Good One" });
  });

  it("takes one database call for 250 listings, with an audit entry for each", async () => {
    const rows = await bulkListings(250);
    const answer = await decide(await select({ listing: boxValues(...rows) }));
    expect(answer.calls.filter(({ name }) => name.includes("decide_listings"))).toHaveLength(1);
    // The emails are sent afterwards; the admin does not wait for them.
    const waitedFor = answer.calls.filter(({ name }) => !name.includes("lease_emails"));
    expect(Math.max(...waitedFor.map(({ round }) => round))).toBeLessThanOrEqual(2);
    expect((await admin.page(answer.location!)).heading).toBe("250 listings approved");
    expect(await countStatus("published")).toBe(250);
    const [entries] = await world.sql(
      "select count(*)::int as n from public.audit_log where actor = $1 and action = 'approve' and subject_id = any ($2)",
      [admin.id, rows.map(({ id }) => String(id))],
    );
    expect(entries).toEqual({ n: 250 });
  });

  it("approves once when the form is sent twice", async () => {
    const listing = await newListing();
    const page = await select({ listing: boxValues(listing) });
    const [one, two] = [await decide(page), await decide(page)];
    expect(two.location).toBe(one.location);
    expect((await admin.page(two.location!)).heading).toBe("1 listing approved");
    expect(await world.row("places", listing.id)).toMatchObject({
      status: "published",
      version: 2,
    });
    expect(await decide(page, { action: "flag" })).toBeRefusedWith(
      "A decision on these listings has already been made.",
      { status: 409 },
    );
  });

  it("skips listings that changed since, or that another admin decided on", async () => {
    const [changed, decided, same] = [await newListing(), await newListing(), await newListing()];
    const page = await select({ listing: boxValues(changed, decided, same) });
    await world.sql("update public.places set name = 'Unseen' where id = $1", [changed.id]);
    await decide(await select({ listing: boxValues(decided) }, "/admin/new", second), {}, second);
    const result = await admin.page((await decide(page)).location!);
    expect(result.heading).toBe("1 listing approved, 2 not approved");
    expect(result).toSay("This listing has changed since you opened it.");
    expect(result).toSay("This listing is already published.");
    expect(await Promise.all([changed, decided, same].map(readStatus))).toEqual([
      "new",
      "published",
      "published",
    ]);
  });

  it("includes what the filter found when it was selected, and nothing later", async () => {
    const [inside, outside] = [
      await newListing({ state: "OR" }),
      await newListing({ state: "CA" }),
    ];
    const page = await select({ all: "yes" }, "/admin/new?state=OR&rows=50");
    const late = await newListing({ state: "OR" });
    expect((await admin.page(page)).heading).toBe("Approve 1 listing?");
    const result = await admin.page((await decide(page)).location!);
    expect(result.heading).toBe("1 listing approved");
    expect(result.body).toContain('href="/admin/new?state=OR"');
    expect(await Promise.all([inside, outside, late].map(readStatus))).toEqual([
      "published",
      "new",
      "new",
    ]);
  });

  it("decides on more than a thousand in steps, and shows the progress", async () => {
    // Most of the ids do not exist, so that the test does not have to create as many listings.
    const last = await newListing({ name: "The Last One" });
    const page = await select({
      listing: [...Array.from({ length: 1_100 }, (_, i) => `${i + 500_000}:1`), ...boxValues(last)],
    });
    expect((await admin.page(page)).heading).toBe("Approve 1 listing?");
    const half = await admin.page((await decide(page)).location!);
    expect(half.heading).toBe("1,000 of 1,101 listings decided");
    expect(half).toSay("Continue");
    expect(await readStatus(last)).toBe("new");
    const done = await admin.page((await decide(page)).location!);
    expect(done.heading).toBe("1 listing approved, 1,100 not approved");
    expect(done).not.toSay("Continue");
    expect(await readStatus(last)).toBe("published");
    expect(done.body).toMatch(/href="[^"]*skip=100"/);
    expect(await admin.page(`${page}&skip=1100`)).toSay("The Last One");
  });

  it("undoes in steps, too", async () => {
    const listing = await newListing();
    const page = await select({ listing: boxValues(listing) });
    await decide(page);
    await world.sql("update private.decision_batches set undone_at = now()");
    const half = await admin.page(page);
    expect(half).toSay("0 of 1 listing undone");
    expect((await admin.page((await admin.post(page, { intent: "undo" })).location!)).heading).toBe(
      "1 approval undone",
    );
    expect(await readStatus(listing)).toBe("new");
  });

  it("says when a batch has left listings out", async () => {
    const page = await select({ listing: boxValues(await newListing()) });
    await world.sql("update private.decision_batches set more = true");
    expect(await admin.page(page)).toSay(
      "More listings match. Once these are decided, select the rest the same way.",
    );
    await world.sql("update private.decision_batches set more = false, left_out = 12");
    expect(await admin.page(page)).toSay("12 listings beyond that were left out.");
  });
});

describe("the other decisions", () => {
  it("offer no way to fix a listing in which nothing is missing", async () => {
    const listing = await newListing({ name: "Long Gone", status: "archived" });
    const page = await admin.page(
      await select({ action: "flag", listing: boxValues(listing) }, "/admin/listings"),
    );
    expect(page.text).toMatch(/1 can’t be flagged This one won’t change\..*Long Gone/);
    expect(page.body).not.toContain(`href="/listings/${listing.id}?back=`);
  });

  it("request changes with a listed and a written reason, which the owner is sent", async () => {
    const listing = await newListing({ name: "Needs Work" });
    const page = await select({ action: "request-changes", listing: boxValues(listing) });
    const preview = await admin.page(page);
    expect(preview.heading).toBe("Request changes to 1 listing?");
    const [, reason] = /<option value="(Please enter your full address[^"]*)"/.exec(preview.body)!;
    const empty = await admin.submit(page, {
      intent: "decide",
      action: "request-changes",
      reason: "",
      reason_text: " ",
    });
    expect(empty).toHaveStatus(400);
    expect(empty).toSay("Choose a reason or say what needs to change.");
    expect(empty.heading).toBe("Request changes to 1 listing?");
    const answer = await admin.post(page, {
      intent: "decide",
      action: "request-changes",
      reason: reason!,
      reason_text: "And your name.",
    });
    const result = await admin.page(answer.location!);
    expect(result.heading).toBe("1 change request sent");
    expect(await world.row("places", listing.id)).toMatchObject({
      status: "new",
      changes_requested: `${reason}\n\nAnd your name.`,
    });
    await world.passUndoWindow();
    expect((await world.mailAbout(owner.email, "A quick change is needed")).text).toContain(
      "And your name.",
    );
    expect(await owner.page("/listings")).toSay("And your name.");
  });

  it("reject a reason that is too long, and keep it in the form", async () => {
    const listing = await newListing();
    const page = await select({ action: "request-changes", listing: boxValues(listing) });
    const refused = await admin.submit(page, {
      intent: "decide",
      action: "request-changes",
      reason_text: "x".repeat(2_001),
    });
    expect(refused).toHaveStatus(400);
    expect(refused.body).toContain("x".repeat(2_001));
    expect(await readStatus(listing)).toBe("new");
  });

  it.each([
    ["flag", "/admin/new", "new", "1 listing flagged", "flagged"],
    ["archive", "/admin/listings", "published", "1 listing archived", "archived"],
    ["reopen", "/admin/flagged", "flagged", "1 listing reopened", "new"],
  ])("%s", async (action, path, before, heading, after) => {
    const listing = await newListing({ status: before });
    const page = await select({ action, listing: boxValues(listing) }, path);
    expect((await admin.page((await decide(page, { action })).location!)).heading).toBe(heading);
    expect(await readStatus(listing)).toBe(after);
  });

  it("are offered only where they would change something", async () => {
    for (const [path, status, offered] of [
      ["/admin/new", "new", ["approve", "request-changes", "flag", "archive"]],
      ["/admin/flagged", "flagged", ["approve", "request-changes", "archive", "reopen"]],
    ] as const) {
      await newListing({ status });
      const { body } = await admin.page(path);
      expect(
        [...body.matchAll(/name="action" value="([\w-]+)"/g)].map(([, action]) => action),
      ).toEqual(offered);
    }
  });

  it("can be replaced by another decision in the preview", async () => {
    const listing = await newListing();
    const page = await select({ listing: boxValues(listing) });
    expect((await admin.page(page.replace("action=approve", "action=archive"))).heading).toBe(
      "Archive 1 listing?",
    );
    const open = await admin.page(page.replace("action=approve", "action=nonsense"));
    expect(open.heading).toBe("What would you like to do with 1 listing?");
    expect(await admin.post(page, { intent: "decide", action: "nonsense" })).toBeRefusedWith(
      "Choose what to do with these listings.",
    );
    expect(await readStatus(listing)).toBe("new");
  });
});

describe("undo", () => {
  it("leaves nothing to say about a plan that would have stopped", async () => {
    const featured = await newListing({
      name: "Has a Plan",
      status: "published",
      premium: true,
      stripe_subscription_id: "sub_of_a_plan",
    });
    const chosen = { listing: boxValues(featured), action: "archive" };
    const page = await select(chosen, "/admin/listings");
    const result = await admin.page((await decide(page, { action: "archive" })).location!);
    expect(result).toSay("1 listing. The Featured plan stops once");
    const undone = await admin.page((await admin.post(page, { intent: "undo" })).location!);
    expect(undone).toSay("1 undone This one is as it was before. Has a Plan");
    expect(undone).not.toSay("The Featured plan stops");
  });

  it("restores every listing for ten minutes, except those that changed since", async () => {
    const [one, two] = [await newListing({ name: "Stays" }), await newListing()];
    const page = await select({ listing: boxValues(one, two) });
    const result = await admin.page((await decide(page)).location!);
    expect(result).toSay("Undo");
    await world.sql("update public.places set name = 'Edited Since' where id = $1", [one.id]);
    const undone = await admin.page((await admin.post(page, { intent: "undo" })).location!);
    expect(undone.heading).toBe("1 approval undone, 1 left unchanged");
    expect(undone.title).toMatch(/^1 approval undone, 1 left unchanged/);
    expect(undone).toSay("This listing has changed since, so it was left unchanged.");
    expect(await Promise.all([one, two].map(readStatus))).toEqual(["published", "new"]);
    // Undone again: nothing changes.
    expect((await admin.page((await admin.post(page, { intent: "undo" })).location!)).heading).toBe(
      "1 approval undone, 1 left unchanged",
    );
  });

  it("leaves the dashboard’s weeks as if nothing had been decided", async () => {
    const listing = await newListing();
    await newListing({ name: "Waits" });
    const readWeek = async () =>
      /New \d+ Oldest .*?(\d+ in, \d+ out) this week/.exec((await admin.page("/admin")).text)![1];
    const before = await readWeek();
    const page = await select({ listing: boxValues(listing) });
    await decide(page);
    expect(await readWeek()).not.toBe(before);
    await admin.post(page, { intent: "undo" });
    expect(await readWeek()).toBe(before);
  });

  it("of 359 approvals in the first minute leaves no owner with an email that their listing was approved", async () => {
    const { deliverEmailQueue } = await import("~/modules/emails/deliver-queue.server");
    const listings = await bulkListings(359);
    const told = () =>
      world.supabase.mails.filter(
        ({ to, subject }) => to.startsWith("bulk-") && subject.includes("approved"),
      );
    const approve = async () => {
      const page = await select({ listing: boxValues(...listings) });
      let answer = await decide(page);
      // On a slow machine the call reaches its deadline: then the same form is sent again.
      while (answer.status === 503) answer = await decide(page);
      expect((await admin.page(answer.location!)).heading).toBe("359 listings approved");
      return page;
    };
    const page = await approve();
    await deliverEmailQueue();
    await world.sql(
      "update private.decision_batches set decided_at = decided_at - interval '50 seconds'",
    );
    await world.sql(
      "update private.email_queue set next_try_at = next_try_at - interval '50 seconds'",
    );
    await deliverEmailQueue();
    await admin.post(page, { intent: "undo" });
    expect(await countStatus("new")).toBe(359);
    await world.passUndoWindow();
    expect(told()).toEqual([]);
    expect(await world.sql("select kind from private.email_queue")).toEqual([]);
  });

  it("of a decision that its owner already had an email about sends a correction", async () => {
    const listing = await newListing({ name: "Told Too Early" });
    const page = await select({ listing: boxValues(listing) });
    await decide(page);
    // As when an email was sent before emails waited, or a batch was continued hours later.
    await world.sql("update private.email_queue set next_try_at = now()");
    const { deliverEmailQueue } = await import("~/modules/emails/deliver-queue.server");
    await deliverEmailQueue();
    await world.mailAbout(owner.email, "Your listing was approved");
    await admin.post(page, { intent: "undo" });
    const { text } = await world.mailAbout(owner.email, "A correction from our team");
    expect(text).toContain("We wrote to you about “Told Too Early”, saying that it was approved.");
    expect(text).toContain("We’ll review your listing again");
  });

  it("does not hold back the emails of the listings that stay as they were decided", async () => {
    const [one, two] = [await newListing({ name: "Stays" }), await newListing({ name: "Goes" })];
    const page = await select({ listing: boxValues(one, two) });
    await decide(page);
    await world.sql("update public.places set name = 'Edited' where id = $1", [one.id]);
    await admin.post(page, { intent: "undo" });
    expect(await world.sql("select data ->> 'name' as name from private.email_queue")).toEqual([
      { name: "Stays" },
    ]);
    await world.passUndoWindow();
    const told = (name: string) =>
      world.supabase.mails.filter(({ text }) => text.includes(`“${name}” is approved`)).length;
    // The undo delivers emails in the background, too.
    await expect.poll(() => told("Stays")).toBe(1);
    expect(told("Goes")).toBe(0);
  });

  it("is rejected after ten minutes, with a reason", async () => {
    const listing = await newListing();
    const page = await select({ listing: boxValues(listing) });
    await decide(page);
    await world.sql(
      "update private.decision_batches set decided_at = now() - interval '11 minutes'",
    );
    expect((await admin.page(page)).body).not.toContain(">Undo<");
    expect(await admin.post(page, { intent: "undo" })).toBeRefusedWith(
      "The 10 minutes to undo have passed.",
      { status: 409 },
    );
    expect(await readStatus(listing)).toBe("published");
  });
});

describe("when the response to a decision is lost", () => {
  it("says that the outcome is unknown, and decides once when the form is sent again", async () => {
    const listing = await newListing();
    const page = await select({ action: "request-changes", listing: boxValues(listing) });
    const form = {
      intent: "decide",
      action: "request-changes",
      reason_text: "Please name your street.",
    };
    const rpc = `${world.supabase.url}/rest/v1/rpc/decide_listings`;
    outside.use(
      http.post(rpc, async ({ request }) => {
        const { url, method, headers } = bypass(request);
        await fetch(url, { method, headers, body: await request.text() });
        return HttpResponse.error();
      }),
    );
    const lost = await admin.submit(page, form);
    expect(lost).toHaveStatus(503);
    expect(lost).toSay("We can’t tell whether your form was saved.");
    expect(lost.body).toContain("Please name your street.");
    outside.resetHandlers();
    expect((await admin.page((await admin.post(page, form)).location!)).heading).toBe(
      "1 change request sent",
    );
    expect(await world.row("places", listing.id)).toMatchObject({
      version: 2,
      changes_requested: "Please name your street.",
    });
  });
});

describe("a decision batch", () => {
  it("belongs to its admin, and expires", async () => {
    const listing = await newListing();
    const page = await select({ listing: boxValues(listing) });
    for (const path of [
      page,
      `/admin/decisions/${randomUUID()}`,
      "/admin/decisions/1",
      "/admin/decisions/nonsense",
    ]) {
      expect(await second.page(path)).toBeNotFound();
      expect(await second.post(path, { intent: "decide", action: "approve" })).toBeNotFound();
      expect(await second.post(path, { intent: "undo" })).toBeNotFound();
    }
    expect(await owner.get(page)).toBeForbidden();
    expect(await owner.post(page, { intent: "decide", action: "approve" })).toBeForbidden();
    await world.sql("update private.decision_batches set expires_at = now() - interval '1 second'");
    expect(await admin.page(page)).toBeNotFound();
    expect(await decide(page)).toBeNotFound();
    expect(await readStatus(listing)).toBe("new");
  });

  it.each([
    ["text", ["abc"], "“abc”"],
    ["a negative number", ["-1:1"], "“-1”"],
    ["a number too large", ["1180591620717411303424:1"], "“1180591620717411303424”"],
    ["the id of no listing", ["987654:1"], "Listing 987654"],
    ["markup", ["<b>:1"], "“<b>”"],
  ])("has a row for %s", async (_, listing, name) => {
    const page = await admin.page(await select({ listing }));
    expect(page).toHaveStatus(200);
    expect(page).toSay(name);
    expect(page).toSay("This listing does not exist.");
    expect(page.body).not.toContain(
      'value="decide"><input type="hidden" name="action" value="approve"/><div class="buttons"><button',
    );
  });

  it("contains each listing once, however often it is sent", async () => {
    const listing = await newListing();
    const page = await select({
      listing: [
        ...boxValues(listing),
        ...boxValues(listing),
        `${listing.id}:1); drop table places; --`,
      ],
    });
    expect((await admin.page(page)).heading).toBe("Approve 1 listing?");
    expect((await admin.page((await decide(page)).location!)).heading).toBe("1 listing approved");
  });

  it("of too many listings is limited", async () => {
    const listing = Array.from({ length: 1_500 }, (_, i) => `${i + 100_000}:1`);
    const page = await admin.page(await select({ listing }));
    expect(page.heading).toBe("Approve 1,500 listings?");
    expect(page).toSay("1,500 skipped These won’t change. This listing does not exist.");
    const most = Array.from({ length: 100_000 }, (_, i) => `${i}:1`);
    expect(
      await admin.post("/admin/new", { intent: "choose", action: "approve", listing: most }),
    ).toHaveStatus(413);
  });

  it("of no listings is rejected, and the form is returned", async () => {
    await newListing();
    for (const [fields, message] of [
      [{ action: "approve" }, "Select some listings first."],
      [{ action: "nonsense", listing: "1:1" }, "Choose what to do with these listings."],
    ] as const) {
      const page = await admin.submit("/admin/new?state=CA", { intent: "choose", ...fields });
      expect(page).toHaveStatus(400);
      expect(page).toSay(message);
      expect(page.chosen("state")).toBe("CA");
    }
    const none = await admin.submit("/admin/new?state=XX", {
      intent: "choose",
      action: "approve",
      all: "yes",
    });
    expect(none).toSay("Select some listings first.");
  });

  it.each([undefined, "", "approve", "__proto__", "constructor"])(
    "rejects the intent %j",
    async (intent) => {
      const listing = await newListing();
      expect(await admin.post("/admin/new", { intent, listing: boxValues(listing) })).toHaveStatus(
        400,
      );
      const page = await select({ listing: boxValues(listing) });
      expect(await admin.post(page, { intent, action: "approve" })).toHaveStatus(400);
      expect(await readStatus(listing)).toBe("new");
    },
  );
});
