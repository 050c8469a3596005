/** Policies and checks of which a weakening was once noticed by no test. */
import { describe, expect, it } from "vitest";

import { type Caller, startDatabase } from "./support/data-api";

const database = await startDatabase();
const { person, place, sql } = database;

/** Listings that the public does not see. */
const NOT_PUBLIC = [
  { status: "new" },
  { status: "flagged" },
  { status: "archived" },
  { status: "published", hidden: true },
];

describe("leads", () => {
  it("are sent in no one else's name, and in no one's", async () => {
    const [sender, other, listing] = [await person(), await person(), await place()];
    const lead = { place_id: listing, requester_name: "Kai", requester_email: "kai@example.test" };
    for (const requester of [other.id, null])
      expect(await sender.insert("leads", { ...lead, message: "Hello", requester })).toMatchObject({
        code: "42501",
      });
    expect(await sql("select 1 from public.leads where place_id = $1", [listing])).toEqual([]);
    expect((await sender.insert("leads", { ...lead, message: "Hello" })).status).toBe(201);
  });
});

describe.each(NOT_PUBLIC)("about a listing that is not public (%j)", (columns) => {
  it("no one reports, and no one has a favorite, not even its owner", async () => {
    const owner = await person();
    const listing = await place({ ...columns, owner: owner.id });
    for (const by of [await person(), owner]) {
      expect(
        await by.insert("events", { event_name: "report_listing", place: listing }),
      ).toMatchObject({ code: "42501" });
      expect(await by.insert("favorites", { user_id: by.id, place_id: listing })).toMatchObject({
        code: "42501",
      });
    }
    expect(await sql("select 1 from public.events where place = $1", [listing])).toEqual([]);
    expect(await sql("select 1 from public.favorites where place_id = $1", [listing])).toEqual([]);
  });
});

it("a public listing can be reported and be a favorite, in one's own name", async () => {
  const [by, other, listing] = [await person(), await person(), await place()];
  const report = { event_name: "report_listing", place: listing };
  expect(await by.insert("events", { ...report, user_id: other.id })).toMatchObject({
    code: "42501",
  });
  expect((await by.insert("events", report)).status).toBe(201);
  expect(await by.insert("favorites", { user_id: other.id, place_id: listing })).toMatchObject({
    code: "42501",
  });
  expect((await by.insert("favorites", { user_id: by.id, place_id: listing })).status).toBe(201);
});

it("users add events of no other kind than reports, whichever kinds the table takes", async () => {
  await sql("alter table public.events drop constraint events_event_name_check");
  const [by, listing] = [await person(), await place()];
  expect(await by.insert("events", { event_name: "visit", place: listing })).toMatchObject({
    code: "42501",
  });
  expect((await by.insert("events", { event_name: "report_listing", place: listing })).status).toBe(
    201,
  );
});

describe("a download with contact details", () => {
  const exportWith = (by: Caller, entry: unknown, filter = {}) =>
    by.call("export_users", { entry, ...filter });
  const refused = { code: "42501", message: "export_ended" };

  it("is for the admin who began it, within an hour, and of what they began", async () => {
    const [admin, other] = [await person({ admin: true }), await person({ admin: true })];
    const entry = (await admin.call("start_export", { what: "users" })).value;
    const listings = (await admin.call("start_export", { what: "listings" })).value;
    const { rows } = (await exportWith(admin, entry)).value as { rows: { email: string }[] };
    expect(rows.map(({ email }) => email)).toContain(other.email);

    expect(await exportWith(other, entry)).toMatchObject(refused);
    expect(await exportWith(admin, listings)).toMatchObject(refused);
    await sql("update private.exports set begun_at = begun_at - interval '61 minutes'");
    expect(await exportWith(admin, entry)).toMatchObject(refused);
  });

  it("has the filter that its entry in the audit log was written for, and no other", async () => {
    const admin = await person({ admin: true });
    const about = { name: "Ana", email: "" };
    const entry = (await admin.call("start_export", { what: "users", about })).value;
    expect((await exportWith(admin, entry, { name: "Ana" })).status).toBe(200);
    expect((await exportWith(admin, entry, about)).status).toBe(200);
    for (const other of [{}, { name: "Ben" }, { name: "Ana", email: "b@example.test" }])
      expect(await exportWith(admin, entry, other), JSON.stringify(other)).toMatchObject(refused);

    const listings = (
      await admin.call("start_export", { what: "listings", about: { state: "OR" } })
    ).value;
    const download = (filter: object) => admin.call("export_listings", { entry: listings, filter });
    expect((await download({ state: "OR" })).status).toBe(200);
    expect(await download({})).toMatchObject(refused);
    expect(await download({ state: "WA" })).toMatchObject(refused);
  });

  it("is of users or of listings", async () => {
    const admin = await person({ admin: true });
    for (const what of ["jobs", "", null])
      expect(await admin.call("start_export", { what })).toMatchObject({
        message: "export_unknown",
      });
  });

  it("has a filter that fits into the log, from which nothing is removed", async () => {
    const admin = await person({ admin: true });
    const keys = (count: number, length: number) =>
      Object.fromEntries(
        Array.from({ length: count }, (_, n) => [String(n).padStart(length, "k"), "x"]),
      );
    for (const about of [keys(1, 31), keys(21, 2)])
      expect(await admin.call("start_export", { what: "users", about })).toMatchObject({
        message: "export_unknown",
      });
    expect((await admin.call("start_export", { what: "users", about: keys(20, 30) })).status).toBe(
      200,
    );
  });

  it("stores no word of its filter in the database, and nothing of it after the hour", async () => {
    const admin = await person({ admin: true });
    const about = { name: "Unmistakable" };
    await admin.call("start_export", { what: "users", about });
    const [{ dump } = {}] = await sql(
      "select (select string_agg(e::text, '') from private.exports e) || (select string_agg(a::text, '') from public.audit_log a) as dump",
    );
    expect(dump).not.toContain("Unmistakable");
    await sql("update private.exports set begun_at = begun_at - interval '61 minutes'");
    await admin.call("start_export", { what: "users" });
    expect(await sql("select from private.exports")).toHaveLength(1);
  });
});
