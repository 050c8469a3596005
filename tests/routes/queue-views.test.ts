/** The ways into the queues and out: the dashboard, saved views, and the export of listings. */
import { beforeAll, describe, expect, it } from "vitest";

import type { Answer } from "../support/answer";
import { createWorld } from "../support/world";

const world = await createWorld();
const admin = await world.admin({ fullName: "Ade One" });
const second = await world.admin();
const owner = await world.owner({ fullName: "Sam Rivera", email: "sam@private.example" });

beforeAll(async () => {
  await world.listing({
    owner,
    status: "new",
    name: "Waits Long",
    modified_at: "2026-01-01T00:00:00Z",
  });
  await world.listing({ owner, status: "new", name: "Waits Less" });
  await world.listing({ owner, status: "flagged", name: "Flagged One", archive_requested: true });
  await world.listing({
    owner,
    name: '=HYPERLINK("https://evil.example")',
    description: "Two\nlines, “quoted”",
    online_categories: [50],
  });
  await world.listing({
    owner,
    premium: true,
    name: "Star",
    mailingaddress: "7 Secret Lane",
    rawaddress: "8 Home Road, Taos, NM",
    address: "Taos, NM",
    address_approximate: true,
  });
  await world.listing({ owner: null, owner_email: null, status: "archived", name: "Gone" });
  await world.insert("jobs", {
    title: "Baker",
    category: 85,
    description: "Bake.",
    location: "{Oregon}",
    company_name: "X",
    company_bio: "Y",
    owner: owner.id,
  });
  await world.insert("feedback", { userid: owner.id, feedback: "Lovely" });
});

describe("the dashboard", () => {
  it("links each count to a page with as many rows", async () => {
    const { body } = await admin.page("/admin");
    const counts = [
      ...body.matchAll(/<a[^>]*aria-label="([^"]+): ([\d,]+)"[^>]*href="([^"]+)"/g),
    ].map(([, label, count, to]) => ({
      label,
      count: Number(count),
      to: to!.replaceAll("&amp;", "&"),
    }));
    expect(counts.map(({ label, count }) => `${label} ${count}`)).toEqual([
      "Pending updates 0",
      "New 2",
      "Flagged listings 1",
      "Removal requests 1",
      "User reports 0",
      "App feedback 1",
      "Published 2",
      "Featured 1",
      "Archived 1",
      "All listings 6",
      "Users 3",
      "Published 0",
      "Pending payment 1",
      "Unpublished 0",
      "Listing expired 0",
      "All jobs 1",
    ]);
    for (const { count, to } of counts) {
      const { data } = await admin.get(to);
      const { total, pages } = data as { total?: number; pages?: { count: number } };
      expect([to, total ?? pages?.count ?? (data as { rows: unknown[] }).rows.length]).toEqual([
        to,
        count,
      ]);
    }
  });

  it("shows what has waited longest, and for how long", async () => {
    const page = await admin.page("/admin");
    expect(page.text).toMatch(/New 2 Oldest \d+ days/);
    expect(page.text).toMatch(/Removal requests 1 Oldest less than a day/);
    expect(page.text).toMatch(/App feedback 1 Oldest less than a day 1 in, 0 out this week/);
    expect(page.text).toMatch(/Waiting longest Waits Long \d+ days.* Waits Less/);
    // Beside a name, as short as in the queues.
    expect(page.text).toMatch(/Waiting longest .* today/);
    expect(page.text).toContain("User reports 0 Nothing waiting");
    expect(page).toTakeAtMostSequentialCalls(2);
  });

  it("says first what needs someone, and where to deal with it", async () => {
    const page = await admin.page("/admin");
    expect(page.text).toContain("1 flagged listing can’t be seen by the public. It has waited");
    expect(page.text).toContain("1 removal request is open.");
    for (const [link, to] of [
      ["Review: 1 flagged listing", "/admin/flagged"],
      ["Review: 1 removal request", "/admin/listings?archive=requested"],
    ])
      expect(page.body).toContain(`aria-label="${link}" class="btn btn-quiet" href="${to}"`);
  });
});

describe("saved views", () => {
  const links = ({ body }: Answer) => {
    const [, nav] = /<nav aria-label="Views"[^>]*>(.*?)<\/nav>/s.exec(body)!;
    return Object.fromEntries(
      [...nav!.matchAll(/href="([^"]+)"[^>]*><bdi>([^<]+)</g)].map(([, to, name]) => [
        name,
        to!.replaceAll("&amp;", "&"),
      ]),
    );
  };

  it("include built-in ones", async () => {
    expect(links(await admin.page("/admin/pending?rows=50"))).toEqual({
      All: "/admin/pending?rows=50",
      "Contact only": "/admin/pending?edit=contact&rows=50",
      "Phone only": "/admin/pending?edit=phone&rows=50",
      "Name changed": "/admin/pending?edit=name&rows=50",
      "No owner email": "/admin/pending?email=no&rows=50",
      Featured: "/admin/pending?premium=yes&rows=50",
      "Removal requests": "/admin/pending?archive=requested&rows=50",
    });
    const page = await admin.page("/admin/listings?email=no");
    expect(page.body).toMatch(/aria-current="page"[^>]*><bdi>No owner email/);
    expect(page.text).toContain("All 6 Published 2 Archived 1 Featured 1 No owner email 1");
  });

  it("stay the current one in another order, unless a view was saved with it", async () => {
    const current = async (path: string) =>
      /aria-current="page"[^>]*><bdi>([^<]+)<\/bdi>/.exec(
        (await admin.page(path)).body.split('aria-label="Views"')[1]!,
      )?.[1];
    const byName = "/admin/listings?archive=requested&sort=name";
    expect(await current(byName)).toBe("Removal requests");
    expect(await current("/admin/pending?sort=name")).toBe("All");
    await admin.post(byName, { intent: "save-view", name: "By name" });
    expect(await current(byName)).toBe("By name");
    const saved = (await admin.page(byName)).body;
    await admin.post("/admin/listings", {
      intent: "delete-view",
      saved: /value="(\d+)"[^>]*>Delete “By name”/.exec(saved)![1]!,
    });
  });

  it("can be saved, replaced, and deleted by their admin", async () => {
    expect(
      await admin.post("/admin/new?state=CA&after=x", {
        intent: "save-view",
        name: " Mine, “all” ",
      }),
    ).toRedirectTo("/admin/new?state=CA");
    expect(links(await admin.page("/admin/listings"))).toMatchObject({
      "Mine, “all”": "/admin/new?state=CA",
    });
    await admin.post("/admin/flagged?search=x", { intent: "save-view", name: "Mine, “all”" });
    const page = await admin.page("/admin/premium");
    expect(links(page)).toMatchObject({ "Mine, “all”": "/admin/flagged?search=x" });
    expect(links(await second.page("/admin/premium"))).not.toHaveProperty("Mine, “all”");
    const [, id] = /name="saved" value="(\d+)"/.exec(page.body)!;
    await second.post("/admin/premium", { intent: "delete-view", saved: id! });
    expect(await world.sql("select name from public.saved_views")).toHaveLength(1);
    expect(
      await admin.post("/admin/premium?state=CA", { intent: "delete-view", saved: id! }),
    ).toRedirectTo("/admin/premium?state=CA");
    expect(
      await admin.post("/admin/premium", { intent: "delete-view", saved: "nonsense" }),
    ).toRedirectTo("/admin/premium");
    expect(await world.sql("select name from public.saved_views")).toEqual([]);
  });

  it("need a name, and are limited to twenty", async () => {
    expect(await admin.post("/admin/new", { intent: "save-view", name: " " })).toBeRefusedWith(
      "Enter a name for this view.",
      { field: "name" },
    );
    expect(
      await admin.post("/admin/new", { intent: "save-view", name: "x".repeat(61) }),
    ).toBeRefusedWith(/60 characters/, { field: "name" });
    await world.sql(
      "insert into public.saved_views (owner, name, filter) select $1, 'View ' || i, '{}' from generate_series(1, 20) i",
      [admin.id],
    );
    expect(
      await admin.post("/admin/new", { intent: "save-view", name: "One more" }),
    ).toBeRefusedWith(/20 saved views/, { field: "name" });
    expect(await admin.post("/admin/new", { intent: "save-view", name: "View 3" })).toRedirectTo(
      "/admin/new",
    );
    expect(await owner.post("/admin/new", { intent: "save-view", name: "Mine" })).toBeForbidden();
    expect(await world.sql("select 1 from public.saved_views")).toHaveLength(20);
  });
});

describe("the export of listings", () => {
  const readLines = ({ body }: Answer) =>
    body
      .replace(/^\uFEFF/, "")
      .trimEnd()
      .split("\r\n");
  const readExportEntries = () =>
    world.sql(
      "select actor, action, subject_id, after from public.audit_log where subject = 'exports' order by id desc",
    );

  it("contains what the filter finds, in its order, masked and without formulas", async () => {
    const [head, ...rows] = readLines(
      await admin.get("/admin/listings.csv?sort=name&status=published"),
    );
    expect(head).toMatch(/^ID,Status,Business Name,Category,.*Owner email/);
    expect(rows).toHaveLength(2);
    expect(rows[0]).toContain(`Published,"'=HYPERLINK(""https://evil.example"")"`);
    expect(rows[0]).toContain('"Two\nlines, “quoted”"');
    expect(rows[1]).toContain("s•••@p•••.example");
    expect(rows[1]).toContain('"Taos, NM"');
    expect(rows.join()).not.toMatch(/Secret Lane|Home Road|sam@private/);
    expect(readLines(await admin.get("/admin/listings.csv?view=new"))).toHaveLength(3);
    expect(readLines(await admin.get("/admin/listings.csv?view=nonsense"))).toHaveLength(1);
    expect(await readExportEntries()).toEqual([]);
  });

  it("says which listings their owners have hidden, as their status doesn’t", async () => {
    const shown = await world.listing({ owner, status: "published", name: "Shown Place" });
    const hidden = await world.listing({
      owner,
      status: "published",
      name: "Hidden Place",
      hidden: true,
    });
    const [head, ...rows] = readLines(
      await admin.get("/admin/listings.csv?sort=name&search=place&status=published"),
    ).map((line) => line.split(","));
    const column = head!.indexOf("Hidden");
    expect(rows.map((row) => [row[0], row[1], row.at(column - head!.length)])).toEqual([
      [String(hidden.id), "Published", "Yes"],
      [String(shown.id), "Published", "No"],
    ]);
    const details = ({ id }: { id: number }) => admin.page(`/admin/listings/${id}/details`);
    expect(await details(hidden)).toSay("Published, hidden");
    expect(await details(shown)).not.toSay("Published, hidden");
    await world.sql("delete from public.places where id = any ($1)", [[shown.id, hidden.id]]);
  });

  it("contains owners' email addresses after a confirmation, which is logged without the search words", async () => {
    const page = await admin.page("/admin/listings/export?view=premium&search=star");
    expect(page.heading).toBe("Download 1 listing with owner emails?");
    expect(page.body).toContain('action="/admin/listings.csv?view=premium&amp;search=star"');
    const answer = await admin.post("/admin/listings.csv?view=premium&search=star", {
      intent: "export",
    });
    expect(answer).toHaveStatus(200);
    expect(answer.body).toContain("sam@private.example");
    expect(answer.body).toContain("7 Secret Lane");
    expect(answer.body).toContain("8 Home Road, Taos, NM");
    expect(await readExportEntries()).toEqual([
      {
        actor: admin.id,
        action: "export",
        subject_id: "listings",
        after: { contacts: true, filter: { view: "premium", search: "[withheld]" } },
      },
    ]);
  });

  it("is for admins only, and contact details need the form of the confirmation", async () => {
    const before = await readExportEntries();
    expect(await owner.post("/admin/listings.csv", { intent: "export" })).toBeForbidden();
    expect(await owner.get("/admin/listings/export")).toBeForbidden();
    expect(await admin.post("/admin/listings.csv")).toHaveStatus(400);
    expect(await readExportEntries()).toEqual(before);
  });
});
