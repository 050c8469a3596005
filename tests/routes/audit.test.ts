import { beforeAll, describe, expect, it } from "vitest";

import { createWorld } from "../support/world";

const world = await createWorld();
const admin = await world.admin({ fullName: "Ada Admin" });
const grace = await world.admin({ fullName: "Grace Hopper", email: "grace@team.example" });
const owner = await world.owner({ fullName: "Olu Owner" });
const listing = await world.listing({ owner, name: "Café X", status: "new" });

/** Adds an entry of another day. The log is append-only. */
const addEntry = (at: string, fields: Record<string, unknown> = {}) =>
  world.insert("audit_log", {
    at,
    actor: admin.id,
    actor_role: "authenticated",
    action: "flag",
    subject: "places",
    subject_id: String(listing.id),
    ...fields,
  });

beforeAll(async () => {
  await admin.post("/admin/users", { intent: "reveal", person: owner.id });
  await grace.post(`/admin/users/${owner.id}`, { intent: "reveal" });
  await addEntry("2026-03-01T00:00:00Z", { action: "archive" });
  await addEntry("2026-03-02T23:59:59.999Z");
  await addEntry("2026-03-03T00:00:00Z", { action: "reopen" });
});

const countRows = (body: string) => (body.match(/<tr/g)?.length ?? 1) - 1;
const find = async (query: Record<string, string>) =>
  admin.page(`/admin/audit?${new URLSearchParams(query).toString()}`);

describe("the database tool, when none is set up", () => {
  it("is explained, and no frames are allowed", async () => {
    const page = await admin.page("/admin/retool");
    expect(page).toHaveStatus(200);
    expect(page).toSay("No database tool connected");
    expect(page).toSay("ADMIN_TOOL_URL");
    expect(page.body).not.toContain("<iframe");
    expect(page.headers.get("Content-Security-Policy")).toContain("frame-src 'none'");
  });
});

describe("the audit log", () => {
  it("lists who did what to what, and when, the newest first", async () => {
    const page = await admin.page("/admin/audit");
    expect(page).toHaveStatus(200);
    expect(page.text).toMatch(
      /Contact details shown User: Olu Owner Grace Hopper .*Contact details shown User: Olu Owner Ada Admin/,
    );
    expect(page).toSay("When (UTC)");
    expect(page).toSay("Mar 2, 2026, 11:59 PM");
    expect(page).toSay(`Listing ${listing.id}: Café X`);
    expect(page.body).toContain(`href="/listings/${listing.id}?back=`);
    expect(page).toTakeAtMostSequentialCalls(2);
  });

  it.each([
    ["who, by name", { who: "hopper" }, 1],
    ["who, by email address", { who: "grace@team.example" }, 1],
    ["who, by id", { who: admin.id }, 4],
    ["the action", { action: "flag" }, 1],
    ["what it was done to", { subject: "profiles" }, 4],
    ["its id", { subject: "places", subject_id: String(listing.id), action: "archive" }, 1],
    ["the first day", { from: "2026-03-02", to: "2026-03-02" }, 1],
    ["days, both included", { from: "2026-03-01", to: "2026-03-03" }, 3],
    [
      "everything at once",
      {
        who: "ada",
        action: "reopen",
        subject: "places",
        subject_id: String(listing.id),
        from: "2026-03-03",
        to: "2026-03-03",
      },
      1,
    ],
    ["a user who did nothing", { who: "olu" }, 0],
    ["a search that finds no one", { who: "%" }, 0],
    [
      "malformed days, which are ignored",
      { from: "2026-02-31", to: "2026-13-01", action: "flag" },
      1,
    ],
    ["the year 0, which is ignored", { from: "0000-01-01", to: "0000-12-31", action: "flag" }, 1],
    ["an unknown subject, which is ignored", { subject: "__proto__", action: "flag" }, 1],
  ])("is filtered by %s", async (_, query: Record<string, string>, count) => {
    const page = await find(query);
    expect(page).toHaveStatus(200);
    if (count === 0) expect(page).toSay("No matching entries");
    else expect(countRows(page.body)).toBe(count);
  });

  it("shows each entry once across its pages", async () => {
    for (let n = 0; n < 120; n++)
      await addEntry("2026-04-01T00:00:00Z", { action: "undo", subject_id: String(n + 1000) });
    expect(await admin.page("/admin/audit?action=undo")).toSay("50 entries on this page");
    const seen: string[] = [];
    let path: string | undefined = "/admin/audit?action=undo";
    while (path) {
      const { body } = await admin.page(path);
      seen.push(...[...body.matchAll(/Listing (1\d{3})/g)].map(([, id]) => id!));
      path = /href="([^"]*after=[^"]*)"/.exec(body)?.[1]?.replaceAll("&amp;", "&");
    }
    expect(new Set(seen).size).toBe(120);
    expect([...new Set(seen)]).toEqual([...new Set(seen)].sort((a, b) => Number(b) - Number(a)));
  });

  it("withholds contact details, and shows everything else as text", async () => {
    await world.sql(
      "update public.places set owner_email = 'secret@private.example', description = '<b>&amp;', status = 'published' where id = $1",
      [listing.id],
    );
    const page = await find({ subject: "places", action: "update" });
    expect(page).toSay("Withheld");
    expect(page.body).not.toContain("secret@private.example");
    expect(page).toSay("<b>&amp;");
    expect(page.body).not.toContain("<b>&");
  });

  it("shows only the fields that people edit, by the labels of their form", async () => {
    const renamed = await world.listing({ owner, name: "Old Name" });
    await world.sql("update public.places set name = 'New Name', premium = true where id = $1", [
      renamed.id,
    ]);
    const page = await find({ subject_id: String(renamed.id), action: "update" });
    expect(page).toSay("Business Name Old Name → New Name");
    expect(page).toSay("Featured No → Yes");
    for (const internal of ["Name key", "Premium created at", "Leads from"])
      expect(page).not.toSay(internal);
  });

  it("shows long texts from where they first differ, however often they are saved, and has them whole in its file", async () => {
    const item = await world.listing({ owner, name: "Long Words" });
    const beginning = `First words. ${'"'.repeat(4_900)} The hours on Sunday are`;
    const save = (description: string) =>
      world.sql("update public.places set description = $2 where id = $1", [item.id, description]);
    const query = { subject_id: String(item.id), action: "update" };
    await save("Short.");
    expect(await find(query)).not.toSay("has all of each text");

    for (let n = 0; n < 52; n++) await save(`${n} ${'"'.repeat(4_980)}`);
    const page = await find(query);
    expect(countRows(page.body)).toBe(50);
    expect(page.body.length).toBeLessThan(500_000);

    await save(`${beginning} short.`);
    await save(`${beginning} long 😀 ${"and longer ".repeat(2)}`.trim());
    const newest = (await find(query)).body.split(/<tr/)[2]!;
    const [[, was], [, now]] = [
      /<del[^>]*>([^<]*)/.exec(newest)!,
      /<ins[^>]*>([^<]*)/.exec(newest)!,
    ];
    expect(was).toBe("…The hours on Sunday are short. (4,944 characters)");
    expect(now).toBe("…The hours on Sunday are long 😀 and longer and longer (4,966 characters)");
    expect(await find(query)).toSay(
      "Details show long texts from where they first differ. The CSV file has all of each text.",
    );
    const file = await admin.get(`/admin/audit.csv?${new URLSearchParams(query).toString()}`);
    expect(file.body).toContain(`${'""'.repeat(4_900)} The hours on Sunday are short.`);
    const review = await admin.page(`/admin/listings/${item.id}`);
    expect(review).toSay("…The hours on Sunday are short. (4,944 characters)");
    expect(review.body.length).toBeLessThan(200_000);

    // With no earlier text, the beginning.
    const [added] = await world.sql(
      "insert into public.audit_log (actor, actor_role, action, subject, subject_id, after) values ($1, 'authenticated', 'create', 'places', $2, $3) returning id",
      [admin.id, String(item.id), JSON.stringify({ description: "word ".repeat(100).trim() })],
    );
    expect(added).toBeDefined();
    const created = await find({ ...query, action: "create" });
    expect(created.text).toMatch(/word word word… \(499 characters\)/);
  });

  it("shows what a deleted account did, without its name", async () => {
    const leaving = await world.admin({ fullName: "Leaving Soon" });
    await leaving.post("/admin/users", { intent: "reveal", person: owner.id });
    await admin.post(`/admin/users/${leaving.id}/delete`, { intent: "delete" });
    const page = await find({ who: leaving.id });
    expect(page).toSay("Contact details shown User: Olu Owner Deleted account");
    expect(page).not.toSay("Leaving Soon");
  });

  it("tells admins from everyone else, who choose their own names", async () => {
    const imitator = await world.owner({ fullName: "Grace Hopper" });
    const hidden = await world.owner({ fullName: "System" });
    const item = await world.listing({ owner: imitator, name: "Twin" });
    const about = { subject: "places", subject_id: String(item.id), action: "update" };
    for (const actor of [grace, imitator, hidden, { id: null }])
      await addEntry("2026-05-01T00:00:00Z", {
        ...about,
        actor: actor.id,
        actor_role: actor.id === null ? "system" : "authenticated",
      });

    const people = ["System", "User: System", "User: Grace Hopper", "Grace Hopper"];
    const page = await find(about);
    expect([...page.text.matchAll(/Twin (.*?) May 1, 2026/g)].map(([, who]) => who)).toEqual(
      people,
    );
    const file = await admin.get(`/admin/audit.csv?${new URLSearchParams(about).toString()}`);
    const lines = file.body.trim().split("\r\n").slice(1);
    expect(lines.map((line) => line.split(",")[5])).toEqual(people);
    const review = await admin.page(`/admin/listings/${item.id}`);
    const actors = [...review.text.matchAll(/Changed by (.*?) ?, (?:Apr|May) /g)];
    expect(actors.map(([, who]) => who)).toEqual(people);

    await world.sql("update public.profiles set admin = true where id = $1", [imitator.id]);
    expect(await find(about)).not.toSay("User: Grace Hopper");
  });

  it("shows to whom a listing belongs by name, as long as they have an account", async () => {
    const leaving = await world.owner({ fullName: "Leaving Owner" });
    const given = await world.listing({ owner: leaving });
    await world.sql("update public.places set owner = $2 where id = $1", [given.id, owner.id]);
    const entry = { subject_id: String(given.id), action: "update" };
    expect(await find(entry)).toSay("Owner Leaving Owner → Olu Owner");

    await admin.post(`/admin/users/${leaving.id}/delete`, { intent: "delete" });
    const page = await find(entry);
    expect(page).toSay("Owner Deleted account → Olu Owner");
    expect(page).not.toSay("Leaving Owner");
    expect(page).toTakeAtMostSequentialCalls(2);
  });

  it("is for admins only", async () => {
    expect(await owner.get("/admin/audit")).toBeForbidden();
  });
});
