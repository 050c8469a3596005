/** A page of an owner's dashboard in one call, the weekly views, and the visibility of a listing. */
import { randomUUID } from "node:crypto";

import { beforeEach, describe, expect, it } from "vitest";

import { getListingNotes } from "~/modules/listings/dashboard-rules";
import { getOwnRole, type OwnRole } from "~/modules/listings/rules";

import { type Caller, type Row, startDatabase } from "./support/data-api";

const database = await startDatabase();
const { sql } = database;
let owner: Caller;
let other: Caller;

beforeEach(async () => {
  owner = await database.person();
  other = await database.person();
});

interface Page {
  all: number;
  counts: Record<string, number>;
  total: number;
  first: number | null;
  tasks: Row[];
  rows: Row[];
}
const listings = async (by: Caller, args: Row = {}) =>
  (await by.call("my_dashboard", args)).value as Page;

describe("weekly views", () => {
  const addViews = (place: number, weeksAgo: number, visitors: number) =>
    sql(
      `insert into public.place_views (place_id, hour, visitor)
       select $1, date_trunc('week', now(), 'UTC') - make_interval(weeks => $2), lpad($3 || n::text, 64, '0') from generate_series(1, $4) n`,
      [place, weeksAgo, `${weeksAgo}-`, visitors],
    );
  const weekly = async (by: Caller, id: number) =>
    (await by.select("places_with_stats", `id=eq.${id}&select=weekly_views`)).rows[0]?.[
      "weekly_views"
    ];

  it("shows the last twelve weeks, the current one last, to the owner of a Featured listing and to admins", async () => {
    const id = await database.place({ owner: owner.id, premium: true });
    await addViews(id, 0, 4);
    await addViews(id, 11, 2);
    await addViews(id, 12, 9);
    const twelve = [2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4];
    expect(await weekly(owner, id)).toEqual(twelve);
    expect(await weekly(await database.person({ admin: true }), id)).toEqual(twelve);
    expect(await weekly(other, id)).toBeUndefined();
    await sql("update public.places set premium = false where id = $1", [id]);
    expect(await weekly(owner, id)).toBeNull();
  });

  it("keeps the counts when old views are deleted, and deletes them with the listing", async () => {
    const id = await database.place({ owner: owner.id, premium: true });
    await addViews(id, 1, 3);
    await sql("delete from public.place_views where place_id = $1", [id]);
    expect(((await weekly(owner, id)) as number[])[10]).toBe(3);
    await sql("delete from public.places where id = $1", [id]);
    expect(await sql("select from private.place_view_weeks where place_id = $1", [id])).toEqual([]);
  });

  it("begins weeks on Monday in UTC, in every time zone", async () => {
    const [row] = await sql(
      `select private.week_of('2026-11-15T23:59:59Z')::text as sunday, private.week_of('2026-11-16T00:00:00Z')::text as monday,
        private.week_of('2026-11-15T20:00:00-05:00')::text as elsewhere`,
    );
    expect(row).toEqual({ sunday: "2026-11-09", monday: "2026-11-16", elsewhere: "2026-11-16" });
  });
});

describe("the listings of a dashboard", () => {
  it("are those the user owns or may claim by their confirmed address, and no others", async () => {
    await database.place({ owner: owner.id, name: "Own" });
    await database.place({ owner: null, owner_email: owner.email, name: "Mine to claim" });
    await database.place({ owner: other.id, owner_email: owner.email, name: "Theirs" });
    expect((await listings(owner)).rows.map(({ name }) => name)).toEqual(["Mine to claim", "Own"]);
    const unconfirmed = await database.person({ confirmed: false });
    await database.place({ owner: null, owner_email: unconfirmed.email, name: "Not yet" });
    expect((await listings(unconfirmed)).rows).toEqual([]);
    expect((await listings(await database.person({ admin: true }))).all).toBe(0);
  });

  it("have no numbers before they are claimed", async () => {
    await database.place({ owner: null, owner_email: owner.email, premium: true });
    expect((await listings(owner)).rows[0]).toMatchObject({
      user_count_by_distance: null,
      weekly_views: null,
    });
  });

  it.each([0, -5, 1, 100, 1000, null])("come in pages of 1 to 100: %s", async (page_rows) => {
    for (let i = 0; i < 3; i++) await database.place({ owner: owner.id });
    const { rows, total } = await listings(owner, { page_rows });
    expect(total).toBe(3);
    expect(rows.length).toBeGreaterThan(0);
  });

  it("are the Featured ones first, then the others and the drafts by name, each on one page", async () => {
    for (const [name, premium] of [
      ["Cider", true],
      ["ábaco", false],
      ["Zebra", true],
      ["Bakery", false],
    ] as const)
      await database.place({ owner: owner.id, name, premium });
    await database.place({ owner: null, owner_email: owner.email, name: "Claim", premium: true });
    for (const name of ["Bar", " ", "x".repeat(5000)])
      await owner.insert("listing_drafts", { id: randomUUID(), fields: { name } });
    const seen: unknown[] = [];
    for (let page = 1; page <= 4; page++) {
      const { rows, first } = await listings(owner, { page, page_rows: 2 });
      expect(first).toBe(2 * page - 1);
      seen.push(...rows.map(({ name }) => name));
    }
    expect(seen).toEqual([
      "Cider",
      "Zebra",
      "ábaco",
      "Bakery",
      "Bar",
      "Claim",
      "x".repeat(200),
      "",
    ]);
    // The last page, when there are fewer.
    expect((await listings(owner, { page: 2_000_000_000, page_rows: 2 })).first).toBe(7);
    for (const page of [null, 0, -1])
      expect((await listings(owner, { page, page_rows: 2 })).first).toBe(1);
  });

  it("show no one the drafts of another, and an admin no more than their own", async () => {
    await owner.insert("listing_drafts", { id: randomUUID(), fields: { name: "Mine" } });
    expect(await listings(owner)).toMatchObject({ all: 1, counts: { drafts: 1, attention: 1 } });
    expect(await listings(other)).toMatchObject({ all: 0, tasks: [] });
    expect(await listings(await database.person({ admin: true }))).toMatchObject({ all: 0 });
  });
});

describe("an admin's own pages, although an admin may read everything", () => {
  it("show and count nothing that is another's", async () => {
    const id = await database.place({
      owner: owner.id,
      premium: true,
      subscription_status: "past_due",
      stripe_cus_id: "cus_1",
      changes_requested: "Please add the number.",
      status: "flagged",
      state: null,
    });
    await database.place({ owner: null, owner_email: owner.email, name: "To Claim" });
    await sql(
      `insert into public.jobs (title, category, description, location, place_id, company_name, company_bio, owner,
         paid, published, expiration_date)
       values ('Baker', 85, 'Bakes', '{New Mexico}', $2, null, null, $1, false, false, null),
         ('Cook', 85, 'Cooks', '{New Mexico}', null, 'Café X', 'We cook', $1, true, true, now() + interval '2 days')`,
      [owner.id, id],
    );
    await sql(
      "insert into public.leads (place_id, requester_name, requester_email, message) values ($1, 'Kai', 'kai@example.test', 'Hi')",
      [id],
    );
    await owner.insert("listing_drafts", { id: randomUUID(), fields: { name: "Mine" } });

    const pages = async (by: Caller) => ({
      home: (await by.call("my_home")).value as { supporter: boolean; needs: Row[] },
      counts: (await by.call("my_counts")).value as Row,
      dashboard: await listings(by),
      listings: (await by.call("my_listings")).value as Row,
      leads: (await by.call("get_owner_leads")).rows,
    });
    const own = await pages(owner);
    expect(own.home.supporter).toBe(true);
    expect(own.home.needs.map(({ kind }) => kind)).toEqual([
      "payment-failed",
      "changes-requested",
      "incomplete",
      "job-expiring",
      "unpaid-job",
      "new-leads",
      "to-claim",
    ]);
    expect(own.counts).toEqual({ listings: 3, leads: 1, jobs: 2 });
    expect(own.dashboard.all).toBe(3);
    expect(own.listings).toMatchObject({ all: 2 });
    expect(own.leads).toHaveLength(1);

    const admins = await pages(await database.person({ admin: true }));
    expect(admins.home).toEqual({ supporter: false, first_month: true, needs: [] });
    expect(admins.counts).toMatchObject({ listings: 0, leads: 0, jobs: 0 });
    expect(admins.dashboard).toMatchObject({ all: 0, rows: [], tasks: [] });
    expect(admins.listings).toMatchObject({ all: 0, rows: [] });
    expect(admins.leads).toEqual([]);
  });
});

describe("the listings that need attention", () => {
  it("promises the first month at its lower price to someone without a listing, whatever others have had or own", async () => {
    const [owner, manager, admin] = [
      await database.person(),
      await database.person(),
      await database.person({ admin: true }),
    ];
    const listing = await database.place({ owner: owner.id });
    await sql("insert into public.listing_managers (place_id, profile_id) values ($1, $2)", [
      listing,
      manager.id,
    ]);
    await sql(
      `insert into public.orders (kind, place_id, plan, unit_price_cents, owner, coupon, status, paid_at)
       values ('upgrade', $1, 'monthly', 4900, $2, 'FIRST', 'paid', now())`,
      [listing, owner.id],
    );
    for (const [by, first_month] of [
      [owner, false],
      [manager, true],
      [admin, true],
    ] as const)
      expect((await by.call("my_home")).value).toMatchObject({ first_month });
  });

  it("are those whose cards have a problem or a task, in every possible state", async () => {
    await sql(
      `insert into public.places (name, category, description, rawaddress, third_party_auth, certified_queer,
         status, state, owner_email, subscription_status, stripe_cus_id, changes_requested, owner)
       select 'x', 1, 'x', 'x', true, true, status, state, email, subscription,
         -- Some are paid for by a former owner.
         case when changes is not null then 'cus_1' end, changes, case when mine then $1::uuid end
       from unnest(array['new', 'flagged', 'archived', 'pending-update', 'published']) status
       cross join unnest(array[null, '', 'OR']) state
       cross join unnest(array[null, $2]) email
       cross join unnest(array[null, 'active', 'past_due', 'unpaid']) subscription
       cross join unnest(array[null, '', 'Please add the number.']) changes
       cross join unnest(array[true, false]) mine
       where mine or email is not null`,
      [owner.id, owner.email],
    );
    const readAll = async (needing: boolean, person = owner) => {
      const rows: Row[] = [];
      for (let number = 1; ; number++) {
        const page = await listings(person, {
          page_rows: 100,
          show: needing ? "attention" : null,
          page: number,
        });
        rows.push(...page.rows);
        if (rows.length >= page.total) return { rows, page };
      }
    };
    const { rows, page } = await readAll(false);
    expect(rows).toHaveLength(540);
    const needsAttention = (row: Row, role: OwnRole) => {
      const card = { ...row, role, hasOwnerEmail: row["owner_email"] !== null };
      return getListingNotes(card as never).some(({ tone }) => tone !== "info");
    };
    const owners = rows.filter((row) =>
      needsAttention(row, getOwnRole({ owner: row["owner"] as string | null }, owner.id)),
    );
    const needing = await readAll(true);
    expect(needing.rows.map(({ id }) => id).sort()).toEqual(owners.map(({ id }) => id).sort());
    expect([page.counts["attention"], needing.page.total, needing.page.all]).toEqual([
      owners.length,
      owners.length,
      540,
    ]);
    // The five most urgent ones are the payments.
    expect(page.tasks.map(({ kind }) => kind)).toEqual(Array(5).fill("payment-failed"));
    // The previous release asks by another name.
    const before = (await owner.call("my_listings", { needing: true })).value;
    expect(before).toMatchObject({ all: 540, needing: owners.length, total: owners.length });

    // A manager's listings need attention less often: payments and ownership are the owner's.
    const manager = await database.person();
    await sql(
      "insert into public.listing_managers (place_id, profile_id) select id, $1 from public.places where owner = $2",
      [manager.id, owner.id],
    );
    const managed = await readAll(false, manager);
    const managers = managed.rows.filter((row) => needsAttention(row, "manager"));
    const needingManager = await readAll(true, manager);
    expect(needingManager.rows.map(({ id }) => id).sort()).toEqual(
      managers.map(({ id }) => id).sort(),
    );
    expect([managed.page.counts["attention"], managed.page.all]).toEqual([managers.length, 360]);
    expect(managers.length).toBeLessThan(owners.filter(({ owner: of }) => of !== null).length);
  });
});

describe("visibility", () => {
  const change = (by: Caller, id: number, row: Row) => by.update("places", `id=eq.${id}`, row);

  it("changes neither the version nor the time, unless something else changes with it", async () => {
    const id = await database.place({ owner: owner.id, modified_at: "2026-01-01T00:00:00Z" });
    await change(owner, id, { hidden: true, archive_requested: true });
    expect(await database.row("places", id)).toMatchObject({
      hidden: true,
      archive_requested: true,
      version: 1,
      status: "published",
    });
    expect(
      await sql(
        "select from public.places where id = $1 and modified_at = '2026-01-01T00:00:00Z'",
        [id],
      ),
    ).toHaveLength(1);
    await change(owner, id, { hidden: false, name: "Café Y" });
    expect(await database.row("places", id)).toMatchObject({
      hidden: false,
      version: 2,
      status: "pending-update",
    });
  });

  it("is a decision when an admin changes it, which another admin's selection notices", async () => {
    const admin = await database.person({ admin: true });
    const id = await database.place({ owner: owner.id });
    await change(admin, id, { hidden: true });
    expect(await database.row("places", id)).toMatchObject({ hidden: true, version: 2 });
  });

  it("is in the audit log", async () => {
    const id = await database.place({ owner: owner.id });
    await change(owner, id, { hidden: true });
    expect(
      await sql(
        "select actor, before, after from public.audit_log where subject_id = $1 and action = 'update'",
        [String(id)],
      ),
    ).toEqual([{ actor: owner.id, before: { hidden: false }, after: { hidden: true } }]);
  });

  it("fills in a missing owner email with the confirmed address of the owner, and no other", async () => {
    const id = await database.place({ owner: owner.id, owner_email: null });
    await change(owner, id, { hidden: true });
    expect(await database.row("places", id)).toMatchObject({
      owner_email: owner.email,
      hidden: true,
    });

    const named = await database.place({ owner: owner.id, owner_email: "office@example.test" });
    await change(owner, named, { hidden: true, owner_email: other.email });
    expect(await database.row("places", named)).toMatchObject({
      owner_email: "office@example.test",
    });

    const unconfirmed = await database.person({ confirmed: false });
    const theirs = await database.place({ owner: unconfirmed.id, owner_email: null });
    await change(unconfirmed, theirs, { hidden: true });
    expect(await database.row("places", theirs)).toMatchObject({ owner_email: null, hidden: true });
  });
});
