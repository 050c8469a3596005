import { beforeAll, describe, expect, it } from "vitest";

import { type Caller, startDatabase } from "./support/data-api";

const database = await startDatabase();
const { sql } = database;
let owner: Caller;
let admin: Caller;

beforeAll(async () => {
  owner = await database.person();
  admin = await database.person({ admin: true });
});

async function approve(items: unknown) {
  const { rows } = await admin.call("approve_listings", { items });
  return new Map(rows.map((row) => [row.id, row]));
}
const entriesOf = (id: number) =>
  sql("select * from public.audit_log where subject = 'places' and subject_id = $1 and action = 'approve'", [
    String(id),
  ]);

describe("approve_listings", () => {
  it("publishes from every other status, with one audit entry each", async () => {
    const ids: number[] = [];
    for (const status of ["new", "flagged", "archived", "pending-update"]) {
      ids.push(await database.place({ status, last_update: { name: "Old" }, changes_requested: "?" }));
    }
    const results = await approve(ids.map((id) => ({ id, version: 1 })));
    for (const id of ids) {
      expect(results.get(id)).toEqual({ id, name: "Café X", outcome: "approved", reason: null });
      expect(await database.row("places", id)).toMatchObject({
        status: "published",
        last_update: {},
        changes_requested: null,
        version: 2,
      });
      expect(await entriesOf(id)).toMatchObject([{ actor: admin.id, after: { status: "published" } }]);
    }
  });

  it("says of each one why not, and leaves it alone", async () => {
    const noAddress = await database.place({ status: "new", state: null });
    const noEmail = await database.place({ status: "new", owner_email: null });
    const neither = await database.place({ status: "new", owner_email: " ", state: "" });
    const published = await database.place();
    const stale = await database.place({ status: "new" });
    await sql("update public.places set name = 'Changed since' where id = $1", [stale]);
    const fine = await database.place({ status: "new" });
    const results = await approve([
      { id: noAddress, version: 1 },
      { id: noEmail, version: 1 },
      { id: neither, version: 1 },
      { id: published, version: 1 },
      { id: stale, version: 1 },
      { id: 987_654, version: 1 },
      { id: fine, version: 1 },
    ]);
    const told = [noAddress, noEmail, neither, published, stale, 987_654, fine].map((id) => {
      const { outcome, reason } = results.get(id)!;
      return [outcome, reason];
    });
    expect(told).toEqual([
      ["refused", "This listing does not have a proper address."],
      ["refused", "This listing does not have an owner_email."],
      ["refused", "This listing does not have an owner_email. This listing does not have a proper address."],
      ["stale", "This listing is already published."],
      ["stale", "This listing has changed since you opened it."],
      ["missing", "This listing does not exist."],
      ["approved", null],
    ]);
    for (const id of [noAddress, noEmail, neither, stale]) {
      expect(await database.row("places", id)).toMatchObject({ status: "new" });
      expect(await entriesOf(id)).toEqual([]);
    }
  });

  it("approves once, however often the same list is sent, or names a listing", async () => {
    const id = await database.place({ status: "new" });
    const first = await approve([
      { id, version: 1 },
      { id, version: 1 },
      { id: String(id), version: "1" },
    ]);
    expect([...first.values()]).toMatchObject([{ id, outcome: "approved" }]);
    expect((await approve([{ id, version: 1 }])).get(id)).toMatchObject({ outcome: "stale" });
    expect(await entriesOf(id)).toHaveLength(1);
  });

  it("takes any list of anything without falling over", async () => {
    const id = await database.place({ status: "new" });
    const odd = [
      null,
      1,
      "x",
      [],
      {},
      { id: "x", version: 1 },
      { id: -1 },
      { id: 2e70 },
      { id: 1.5 },
      { id, version: "99999999999" },
    ];
    expect([...(await approve(odd)).values()]).toMatchObject([{ id, outcome: "stale" }]);
    expect((await approve([])).size).toBe(0);
    for (const items of [null, {}, 1]) {
      expect(await admin.call("approve_listings", { items })).toMatchObject({ code: "P0001" });
    }
    const many = Array.from({ length: 1001 }, (_, index) => ({ id: index, version: 1 }));
    expect(await admin.call("approve_listings", { items: many })).toMatchObject({ code: "P0001" });
  });

  it("is for admins alone", async () => {
    const id = await database.place({ status: "new", owner: owner.id });
    expect(await owner.call("approve_listings", { items: [{ id, version: 1 }] })).toMatchObject({
      status: 403,
      code: "42501",
    });
    expect(await database.row("places", id)).toMatchObject({ status: "new" });
  });

  it("leaves later acts of the same connection under their own name", async () => {
    const id = await database.place({ status: "new" });
    await approve([{ id, version: 1 }]);
    await admin.update("places", `id=eq.${id}`, { status: "flagged" });
    const entries = await sql(
      "select action from public.audit_log where subject_id = $1 and actor = $2 order by id",
      [String(id), admin.id],
    );
    expect(entries.map(({ action }) => action)).toEqual(["approve", "update"]);
  });
});
