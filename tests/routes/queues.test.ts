/** The queues: which listings they find, what a row and the details of a listing show, and access. */
import { beforeAll, describe, expect, it } from "vitest";

import { insertJob } from "../support/buyer";
import { listingForm } from "../support/forms";
import { createWorld } from "../support/world";

const world = await createWorld();
const admin = await world.admin({ fullName: "Ade One" });
const second = await world.admin({ fullName: "Kai Two" });
const owner = await world.owner({ fullName: "Sam Rivera" });

const NO_EMAIL = "This listing does not have an owner_email.";
const NO_ADDRESS = "This listing does not have a proper address.";
const QUEUES = [
  "/admin/listings",
  "/admin/pending",
  "/admin/flagged",
  "/admin/new",
  "/admin/premium",
];

interface QueueData {
  rows: { id: number; version: number; name: string; badges?: { label: string }[] }[];
  total: number;
  pages: { next?: string; previous?: string };
}
const load = async (path: string) => (await admin.get(path)).data as QueueData;
const listNames = async (path: string) => (await load(path)).rows.map(({ name }) => name);

describe("a queue without listings", () => {
  it("is done when it has what waits for an admin, and else only empty", async () => {
    expect(await admin.page("/admin/pending")).toSay("All done");
    expect(await admin.page("/admin/premium")).toSay("No listings");
  });
});

describe("a queue", () => {
  beforeAll(async () => {
    await world.listing({
      owner,
      status: "new",
      name: "Second New",
      modified_at: "2026-02-01T00:00:00Z",
    });
    await world.listing({
      owner,
      status: "new",
      name: "First New",
      modified_at: "2026-01-01T00:00:00Z",
      category: 4,
    });
    await world.listing({ owner, status: "new", name: "Not Complete", state: null });
    await world.listing({ owner: null, owner_email: null, status: "flagged", name: "Flagged One" });
    await world.listing({
      owner,
      premium: true,
      premium_created_at: "2026-03-01T00:00:00Z",
      name: "Later Star",
    });
    await world.listing({
      owner,
      premium: true,
      premium_created_at: "2026-01-01T00:00:00Z",
      name: "Early Star",
    });
    await world.listing({ owner, status: "archived", name: "Done With" });
    const live = await world.listing({ owner, name: "Old Name" });
    await owner.post(`/listings/${live.id}`, listingForm({ name: "New Name" }));
    await world.sql("update public.places set archive_requested = true where name = 'Early Star'");
  });

  it.each([
    ["/admin/new", ["First New", "Second New", "Not Complete"]],
    ["/admin/flagged", ["Flagged One"]],
    ["/admin/pending", ["New Name"]],
    ["/admin/premium", ["Early Star", "Later Star"]],
    ["/admin/new?sort=newest", ["Not Complete", "Second New", "First New"]],
    ["/admin/new?sort=name", ["First New", "Not Complete", "Second New"]],
    ["/admin/new?category=4", ["First New"]],
    ["/admin/new?complete=yes", ["First New", "Second New"]],
    ["/admin/new?age=1", ["First New", "Second New"]],
    ["/admin/listings?search=star+-early", ["Later Star"]],
    ["/admin/listings?search=lat+sta", ["Later Star"]],
    ["/admin/listings?status=archived", ["Done With"]],
    ["/admin/listings?email=no", ["Flagged One"]],
    ["/admin/listings?archive=requested", ["Early Star"]],
    ["/admin/pending?edit=contact", []],
    ["/admin/pending?edit=other", ["New Name"]],
    ["/admin/pending?edit=name", ["New Name"]],
    ["/admin/new?search=%25%2a%22%2c%29or%28", []],
    ["/admin/new?status=nonsense", []],
    ["/admin/new?sort=%00", ["First New", "Second New", "Not Complete"]],
    ["/admin/new?view=all", ["First New", "Second New", "Not Complete"]],
    ["/admin/new?after=nonsense&rows=7", ["First New", "Second New", "Not Complete"]],
  ])("%s finds %j", async (path, names) => {
    const { rows, total } = await load(path);
    expect(rows.map(({ name }) => name)).toEqual(names);
    expect(total).toBe(names.length);
  });

  it.each(QUEUES)(
    "%s has its filter in the URL, and takes at most two sequential calls",
    async (path) => {
      const page = await admin.page(`${path}?search=zzz&state=CA`);
      expect(page).toHaveStatus(200);
      expect(page.value("search")).toBe("zzz");
      expect(page.chosen("state")).toBe("CA");
      expect(page).toSay("No matching listings");
      expect(page).toTakeAtMostSequentialCalls(2);
      expect(page.body).toContain(`href="${path}"`);
    },
  );

  it("shows what identifies each listing", async () => {
    const page = await admin.page("/admin/pending");
    expect(page.heading).toBe("Pending Updates");
    expect(page).toSay("1 waiting");
    expect(page.text).toMatch(
      /New Name San Francisco, CA Changed in the past hour Pin on the map was empty, now → set Business Name was Old Name, now → New Name/,
    );
    expect(page.body).toContain('aria-label="Has an owner email"');
    expect((await admin.page("/admin/flagged")).body).toContain('aria-label="No owner email"');
    expect(
      (await load("/admin/listings?search=early")).rows[0]!.badges!.map(({ label }) => label),
    ).toEqual(["Published", "Featured", "Removal requested"]);
  });

  it("shows other admins who has the review lock", async () => {
    const { id } = (await load("/admin/flagged")).rows[0]!;
    await world.sql(
      "insert into private.review_locks (place_id, admin, since, until) values ($1, $2, now(), now() + interval '15 minutes')",
      [id, second.id],
    );
    expect(await admin.page("/admin/flagged")).toSay("Kai Two is reviewing it");
    expect(await second.page("/admin/flagged")).not.toSay("is reviewing it");
    await world.sql("delete from private.review_locks");
  });

  it("goes from page to page with the same filter", async () => {
    await world.sql(
      `insert into public.places (name, category, state, status, owner_email, modified_at)
       select 'Paged ' || i, 1, 'OR', 'flagged', 'p@example.test', timestamptz '2025-01-01' + i * interval '1 hour' from generate_series(1, 120) i`,
    );
    const first = await load("/admin/flagged?state=OR&rows=50");
    expect(first.total).toBe(120);
    expect(first.pages.previous).toBeUndefined();
    const second = await load(first.pages.next!);
    const third = await load(second.pages.next!);
    const names = [first, second, third].map(({ rows }) => rows.map(({ name }) => name));
    expect(names.flat()).toEqual(Array.from({ length: 120 }, (_, i) => `Paged ${i + 1}`));
    expect(third.pages.next).toBeUndefined();
    expect((await load(third.pages.previous!)).rows.map(({ name }) => name)).toEqual(names[1]);
    expect((await load("/admin/flagged?state=OR&rows=100")).rows).toHaveLength(100);
    expect((await load("/admin/flagged?state=OR")).rows).toHaveLength(25);
    const page = await admin.page(first.pages.next!);
    expect(page.chosen("state")).toBe("OR");
    expect(page.value("rows")).toBe("50");
    await world.sql("delete from public.places where name like 'Paged %'");
  });

  it("selects the whole page by a URL, as it is on that page", async () => {
    const checkedStates = ({ body }: { body: string }) =>
      [...body.matchAll(/<input[^>]*name="listing"[^>]*>/g)].map(([box]) =>
        box.includes("checked="),
      );
    const page = await admin.page("/admin/new");
    expect(checkedStates(page)).toEqual([false, false, false]);
    const [, all] = /href="(\/admin\/new\?ticked=[^"]+)"[^>]*>Select all 3</.exec(page.body)!;
    expect(checkedStates(await admin.page(all!))).toEqual([true, true, true]);
    const [, second] = [...page.body.matchAll(/name="listing"[^>]*value="(\d+):(\d+)"/g)];
    const one = `/admin/new?ticked=${second![1]}.${second![2]}`;
    expect(checkedStates(await admin.page(one))).toEqual([false, true, false]);
    // All of them are on this page: there is nothing else to select.
    expect(page.body).not.toContain('name="all"');
    // Not when an owner has changed one since, which no one has read.
    await world.sql("update public.places set description = 'Changed' where id = $1", [second![1]]);
    for (const path of [all!, one])
      expect(checkedStates(await admin.page(path))).toEqual([false, false, false]);
  });

  it("gives two listings with the same name different labels", async () => {
    const twins = [
      await world.listing({ owner, status: "flagged", name: "Twin" }),
      await world.listing({ owner, status: "flagged", name: "Twin" }),
      // No one can see the difference.
      await world.listing({ owner, status: "flagged", name: "Twin\uFE0F" }),
    ];
    const { body } = await admin.page("/admin/flagged?sort=newest");
    for (const { id, name } of twins) expect(body).toContain(`aria-label="${name} (${id})"`);
    expect(await listNames("/admin/flagged?sort=newest")).toContain("Twin");
  });
});

describe("a row", () => {
  const approve = (item: string, path = "/admin/new") =>
    admin.submit(path, { intent: "choose", approve: item });

  it("approves its listing at once, whatever else is selected, and offers to undo it", async () => {
    const [one, other] = [
      await world.listing({ owner, status: "new", name: "Row One" }),
      await world.listing({ owner, status: "new", name: "Row Two" }),
    ];
    const path = "/admin/new?search=row&rows=50";
    const answer = await admin.post(path, {
      intent: "choose",
      approve: `${one.id}:1`,
      listing: [`${one.id}:1`, `${other.id}:1`],
    });
    expect(answer).toRedirectTo(path);
    expect(await world.row("places", one.id)).toMatchObject({ status: "published", version: 2 });
    expect(await world.row("places", other.id)).toMatchObject({ status: "new", version: 1 });
    const page = await admin.page(path);
    expect(page).toSay("“Row One” is approved.");
    const [, batch] = /name="batch" value="([^"]+)"/.exec(page.body)!;
    expect(await admin.post(path, { intent: "undo", batch: batch! })).toRedirectTo(path);
    expect(await world.row("places", one.id)).toMatchObject({ status: "new", version: 3 });
  });

  it("says so and offers Undo also with a filter so long that its message would be more than browsers keep", async () => {
    const { id } = await world.listing({ owner, status: "new", name: "Row Long" });
    const keys = ["search", "category", "state", "email", "complete", "age", "edit", "asked"];
    const query = new URLSearchParams(keys.map((key) => [key, "ש".repeat(70)])).toString();
    const path = `/admin/new?${query}`;
    expect(path.length).toBeGreaterThan(3_000);
    const answer = await admin.post(path, { intent: "choose", approve: `${id}:1` });
    expect(answer.headers.get("Location")).toContain(query);
    const flash = answer.headers.getSetCookie().find((cookie) => /^(__Host-)?flash=/.test(cookie))!;
    expect(flash.split(";")[0]!.length).toBeLessThanOrEqual(4_096);
    const page = await admin.page(path);
    expect(page).toSay("“Row Long” is approved.");
    const [, batch] = /name="batch" value="([^"]+)"/.exec(page.body)!;
    const [, action] = /<form[^>]* action="([^"]*)"[^>]*>(?:(?!<\/form>).)*name="batch"/s.exec(
      page.body,
    )!;
    expect(await admin.post(action!, { intent: "undo", batch: batch! })).toRedirectTo("/admin/new");
    expect(await world.row("places", id)).toMatchObject({ status: "new" });
  });

  it("approves once when it is sent twice", async () => {
    const { id } = await world.listing({ owner, status: "new", name: "Row Twice" });
    for (let time = 0; time < 2; time += 1)
      expect(await admin.post("/admin/new", { intent: "choose", approve: `${id}:1` })).toRedirectTo(
        "/admin/new",
      );
    expect(await world.row("places", id)).toMatchObject({ status: "published", version: 2 });
  });

  it("says that its listing has changed, which an admin may have read before the page was loaded again", async () => {
    const [read, other] = [
      await world.listing({ owner, status: "new", name: "Fresh One" }),
      await world.listing({ owner, status: "new", name: "Fresh Two" }),
    ];
    const path = "/admin/new?search=fresh";
    const note = "Changed in the past hour";
    expect(await admin.page(path)).not.toSay(note);
    await owner.post(`/listings/${read.id}`, listingForm({ name: "Fresh One", phone: "" }));
    await approve(`${other.id}:1`, path);
    const page = await admin.page(path);
    expect(page.text).toMatch(/Fresh One San Francisco, CA Changed in the past hour/);
    // Not after an hour.
    const earlier = { version: 2, modified_at: new Date(Date.now() - 61 * 60_000).toISOString() };
    await world.listing({ owner, status: "new", name: "Fresh Three", ...earlier });
    const { text } = await admin.page("/admin/new?search=three");
    expect(text).toMatch(/Fresh Three San Francisco, CA/);
    expect(text).not.toContain(note);
  });

  it("says how long its listing has waited, and not since when it was last saved", async () => {
    const modified_at = new Date(Date.now() - (3 * 24 + 1) * 3_600_000).toISOString();
    const made = [
      await world.listing({ owner, status: "new", name: "Patient New", modified_at }),
      await world.listing({ owner, archive_requested: true, name: "Patient Two", modified_at }),
    ];
    for (const { id, name } of made)
      await owner.post(`/listings/${id}`, listingForm({ name, phone: "" }));
    expect((await load("/admin/new?search=patient&age=3")).rows).toMatchObject([{ days: 3 }]);
    const removals = "/admin/listings?search=patient&archive=requested";
    expect((await load(removals)).rows).toMatchObject([{ name: "Patient Two", days: 3 }]);
    expect((await admin.page(removals)).text).toMatch(/ Waiting Decide .* 3 days, since /);
    // All Listings says what it is sorted by. The edit of the second one waits only since now, whatever else does.
    const all = await load("/admin/listings?search=patient");
    expect(all.rows).toMatchObject([
      { name: "Patient New", days: 3 },
      { name: "Patient Two", days: 0 },
    ]);
    expect(await admin.page("/admin/listings?search=patient")).toSay("Waiting or changed");
    await world.sql("delete from public.places where name like 'Patient %'");
  });

  it("says the same of an edit that it shows only in part", async () => {
    const about =
      "A place for everyone, with tea, books, and plants, and a stage for all who sing.";
    const listing = await world.listing({ owner, name: "Partly One", description: about });
    const save = (fields: Record<string, string>) =>
      owner.post(`/listings/${listing.id}`, listingForm({ name: "Partly One", ...fields }));
    const readRow = async () => (await load("/admin/pending?search=partly")).rows[0]!;
    // The second place of a text, and the third of its fields.
    const first = about.replace("tea", "coffee");
    await save({ description: first });
    const before = await readRow();
    await save({ description: `${first} Read by no one.` });
    expect(await readRow()).toMatchObject({ ...before, version: before.version + 1 });
    expect(before.badges).toEqual([{ label: "Changed in the past hour", tone: "waiting" }]);
    // Short values are all there is to read.
    const short = { phone: "(415) 555-0123", last_update: { phone: "(415) 555-0199" } };
    await world.listing({
      owner,
      status: "pending-update",
      version: 3,
      name: "Whole One",
      ...short,
    });
    const { rows } = await load("/admin/pending?search=whole");
    expect(rows).toMatchObject([{ version: 3, changes: [{ now: "(415) 555-0123" }] }]);
    expect(rows[0]!.badges).toBeUndefined();
  });

  it("says why its listing was not approved", async () => {
    const noEmail = await world.listing({
      owner: null,
      owner_email: null,
      status: "new",
      name: "Row Three",
    });
    const page = await approve(`${noEmail.id}:1`);
    expect(page).toHaveStatus(409);
    expect(page).toSay(`“Row Three” wasn’t approved. ${NO_EMAIL}`);
    expect(await approve(`${noEmail.id}:9`)).toSay("changed since you opened it");
    for (const item of ["", "nonsense", "99999:1"])
      expect(await approve(item)).toSay("This listing wasn’t approved.");
  });

  it("keeps its undo when it is approved twice, and says on an older page that it was undone", async () => {
    const UNDONE = "You’ve undone this decision since. Please check the listing and decide again.";
    for (const [name, send] of [
      ["Twice One", (id: number) => approve(`${id}:1`)],
      [
        "Twice Two",
        (id: number) =>
          admin.submit(`/admin/listings/${id}/details`, { intent: "approve", version: "1" }),
      ],
    ] as const) {
      const { id } = await world.listing({ owner, status: "new", name });
      const first = await send(id);
      expect(first.location).not.toBeNull();
      const second = await send(id);
      expect(second.location).toBe(first.location);
      const [batch] = await world.sql(
        "select batch_id as id from private.decision_rows where place_id = $1",
        [id],
      );
      const page = await admin.page(second.location!);
      expect(page.body).toContain(String(batch!["id"]));
      expect(page).toSay("Undo");
      await admin.post("/admin/new", { intent: "undo", batch: String(batch!["id"]) });
      expect(await world.row("places", id)).toMatchObject({ status: "new" });
      const older = await send(id);
      expect(older).toHaveStatus(409);
      expect(older).toSay(UNDONE);
    }
  });

  it("doesn't offer to approve what its owner has asked to remove, and refuses it from an older page", async () => {
    const { id } = await world.listing({ owner, status: "new", name: "Not Me Anymore" });
    const offered = async () =>
      (await admin.page("/admin/new?search=anymore")).body.includes(
        `name="approve" value="${id}:1"`,
      );
    expect(await offered()).toBe(true);
    await owner.post(`/listings/${id}/visibility`, { intent: "archive" });
    expect(await offered()).toBe(false);
    expect(await admin.page("/admin/new?search=anymore")).toSay("Removal requested");
    const reason = "The owner has asked us to remove it. Archive it instead.";
    const answer = await approve(`${id}:1`);
    expect(answer).toHaveStatus(409);
    expect(answer).toSay(`“Not Me Anymore” wasn’t approved. ${reason}`);

    const selected = await admin.post("/admin/new", {
      intent: "choose",
      action: "approve",
      listing: `${id}:1`,
    });
    expect(await admin.page(selected.location!)).toSay(reason);
    for (const path of [`/admin/listings/${id}`, `/admin/listings/${id}/details`]) {
      const page = await admin.page(path);
      expect(page.body).not.toContain('value="approve"');
      expect(page.body).not.toContain("Approve");
    }
    expect(await admin.page(`/admin/listings/${id}`)).toSay(reason);
    const sent = await admin.submit(`/admin/listings/${id}/details`, {
      intent: "approve",
      version: "1",
    });
    expect(sent).toHaveStatus(400);
    expect(sent).toSay(reason);
    expect(await world.row("public_places", id)).toBeUndefined();
  });

  it("leads to the field that is missing, and back to the queue after saving", async () => {
    const { id } = await world.listing({
      owner: null,
      owner_email: null,
      status: "new",
      name: "Row Four",
      mailingaddress: "1 Castro St",
    });
    const { body } = await admin.page("/admin/new?email=no&search=four");
    const back = "back=%2Fadmin%2Fnew%3Fsearch%3Dfour%26email%3Dno";
    expect(body).toContain(`href="/listings/${id}?${back}#listing-owner_email"`);
    expect(body).not.toContain('aria-label="Approve: Row Four"');
    const form = await admin.page(`/listings/${id}?${back}`);
    expect(form.body).toContain('id="listing-owner_email"');
    const send = (owner_email: string) =>
      admin.post(`/listings/${id}?${back}`, { ...listingForm({ name: "Row Four" }), owner_email });
    expect(await send("nonsense")).toBeRefusedWith(/email address like/, { field: "owner_email" });
    expect(await send("New.Owner@example.test")).toRedirectTo("/admin/new?search=four&email=no");
    expect(await world.row("places", id)).toMatchObject({
      owner: null,
      owner_email: "new.owner@example.test",
    });
    expect((await admin.page("/admin/new?search=four")).body).toContain(
      'aria-label="Approve: Row Four"',
    );
    // Only a path of this site.
    expect(
      await admin.post(`/listings/${id}?back=https://evil.example`, listingForm({ name: "Row" })),
    ).toRedirectTo("/");
  });
});

describe("the form of a listing that an admin opens", () => {
  const frameOf = ({ body }: { body: string }) => ({
    dense: body.includes('class="frame dense"'),
    current: [...body.matchAll(/<a(?=[^>]*class="nav-link")(?=[^>]*aria-current)[^>]*>/g)].map(
      ([link]) => /href="([^"]*)"/.exec(link)![1],
    ),
    parent: /class="kicker"><a[^>]*>([^<]*)</.exec(body)?.[1],
  });

  it("is in the frame of admins, where they came from, with the way back", async () => {
    const { id } = await world.listing({ owner, name: "Frame One" });
    const page = async (back?: string) =>
      frameOf(
        await admin.page(`/listings/${id}${back ? `?back=${encodeURIComponent(back)}` : ""}`),
      );
    for (const [back, current, parent] of [
      [`/admin/listings/${id}?view=pending`, "/admin/pending", "Review"],
      [`/admin/listings/${id}/details?view=new`, "/admin/new", "Details"],
      ["/admin/new?search=frame", "/admin/new", "New"],
      ["/admin/reports", "/admin/reports", "User Reports"],
      [undefined, "/admin/listings", "All Listings"],
    ] as const)
      expect(await page(back), back).toEqual({ dense: true, current: [current], parent });
    expect(frameOf(await admin.page(`/listings/${id}/preview`))).toMatchObject({
      dense: true,
      current: ["/admin/listings"],
    });
  });

  it("is in the frame of owners for an owner, whatever the address says", async () => {
    const { id } = await world.listing({ owner, name: "Frame Two" });
    expect(frameOf(await owner.page(`/listings/${id}?back=%2Fadmin%2Fnew`)).dense).toBe(false);
    expect(frameOf(await owner.page(`/listings/${id}?back=%2Flistings%3Fshow%3Dreview`))).toEqual({
      dense: false,
      current: ["/listings"],
      parent: "Business Listings",
    });
  });

  it("is followed by the same frame for the jobs of others", async () => {
    const id = await insertJob(world, owner);
    for (const path of [`/jobs/${id}`, `/jobs/${id}/status`, `/jobs/${id}/preview`]) {
      expect(frameOf(await admin.page(path)), path).toMatchObject({
        dense: true,
        current: ["/admin/jobs"],
      });
      expect(frameOf(await owner.page(path)), path).toMatchObject({
        dense: false,
        current: ["/jobs"],
      });
    }
  });
});

describe("the details of a listing", () => {
  it("show all that would be public once a new listing is approved, also what its form never offered", async () => {
    const values = {
      status: "new",
      tiktok: "@cafex",
      licensed_locations: ["Jane Doe, 12 Elm St"],
      outdoor: true,
      lat: 43.5,
      long: -116.5,
    };
    const listing = await world.listing(values);
    for (const path of ["/details", ""]) {
      const page = await admin.page(`/admin/listings/${listing.id}${path}`);
      for (const text of ["TikTok @cafex", "Jane Doe, 12 Elm St", "Outdoor space", "Latitude 43.5"])
        expect(page, path).toSay(text);
    }
  });

  it("have the four buttons, but no Approve for a published listing", async () => {
    const waiting = await world.listing({ owner, status: "new", name: "Details One" });
    const live = await world.listing({ owner, name: "Details Two" });
    const page = await admin.page(`/admin/listings/${waiting.id}/details?view=new&complete=yes`);
    expect(page.heading).toBe("Details One");
    for (const label of ["Show details", "Edit", "Approve", "Close"]) expect(page).toSay(label);
    expect(page.body).toContain('href="/admin/new?complete=yes"');
    expect(page.body).toContain(`href="/listings/${waiting.id}?back=`);
    expect(page.body).toContain(`href="/admin/listings/${waiting.id}?view=new&amp;complete=yes"`);
    expect(page).toSay("Sam Rivera");
    expect(page.body).not.toContain(owner.email);
    expect((await admin.page(`/admin/listings/${live.id}/details`)).body).not.toMatch(/>Approve</);
    expect((await admin.page("/admin/new")).body).toContain(
      `href="/admin/listings/${waiting.id}/details?view=new"`,
    );
  });

  it("show what an edit changed, before and after", async () => {
    const listing = await world.listing({ owner, name: "Edited" });
    await owner.post(
      `/listings/${listing.id}`,
      listingForm({ name: "Edited", description: "A place for everyone, and their dogs." }),
    );
    const page = await admin.page(`/admin/listings/${listing.id}/details?view=pending`);
    expect(page).toSay("What changed");
    expect(page.body).toMatch(/<ins>.*and their dogs/s);
  });

  it("approve the version that the admin saw, once", async () => {
    const listing = await world.listing({ owner, status: "new", name: "Approve Me" });
    const path = `/admin/listings/${listing.id}/details?view=new`;
    const answer = await admin.submit(path, { intent: "approve", version: "1" });
    expect(answer.location).toMatch(/^\/admin\/decisions\/[0-9a-f-]{36}\?view=new$/);
    expect((await admin.page(answer.location!)).heading).toBe("1 listing approved");
    expect(await world.row("places", listing.id)).toMatchObject({ status: "published" });
    // Sent again, it leads to the same decision; by someone else, to why it was not made.
    const again = { intent: "approve", version: "1" };
    expect(await admin.post(path, again)).toRedirectTo(answer.location!);
    expect(await (await world.admin()).post(path, again)).toBeRefusedWith(
      "This listing is already published.",
      { status: 409 },
    );
  });

  it("say why a listing can't be approved", async () => {
    const listing = await world.listing({
      owner: null,
      owner_email: null,
      state: null,
      status: "new",
    });
    const path = `/admin/listings/${listing.id}/details`;
    const page = await admin.submit(path, { intent: "approve", version: "1" });
    expect(page).toHaveStatus(400);
    expect(page).toSay(`${NO_EMAIL} ${NO_ADDRESS}`);
    expect(page.title).toMatch(/^Error: /);
    expect(await admin.post(path, { intent: "approve", version: "9" })).toBeRefusedWith(
      "This listing has changed since you opened it.",
      { status: 409 },
    );
    expect(await world.row("places", listing.id)).toMatchObject({ status: "new", version: 1 });
  });

  it.each(["0", "-1", "x", "987654", "1180591620717411303424"])(
    "do not exist for the id %s",
    async (id) => {
      expect(await admin.get(`/admin/listings/${id}/details`)).toBeNotFound();
      expect(
        await admin.post(`/admin/listings/${id}/details`, { intent: "approve", version: "1" }),
      ).toBeNotFound();
    },
  );
});

describe("an owner", () => {
  it("can neither see the queues nor decide", async () => {
    const listing = await world.listing({ owner, status: "new" });
    for (const path of [...QUEUES, `/admin/listings/${listing.id}/details`]) {
      expect(await owner.get(path)).toBeForbidden();
      for (const intent of ["approve", "choose"]) {
        expect(
          await owner.post(path, {
            intent,
            action: "approve",
            listing: `${listing.id}:1`,
            version: "1",
          }),
        ).toBeForbidden();
      }
      expect(await world.anonymous().get(path)).toAskForSignIn();
    }
    expect(await world.row("places", listing.id)).toMatchObject({ status: "new", version: 1 });
    expect(
      await world.sql("select 1 from private.decision_batches where admin = $1", [owner.id]),
    ).toEqual([]);
  });

  it("has no admin pages in the navigation", async () => {
    expect((await owner.page("/listings")).body).not.toContain("/admin");
    expect((await admin.page("/listings")).body).toContain('href="/admin/premium"');
  });
});
