/** The queues at the data API: what a filter finds, its order, its pages, and the review lock. */
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";

import { QUEUES } from "~/modules/moderation/queue/filter";

import { type Caller, type Row, startDatabase } from "./support/data-api";

import { timesTried } from "../support/nightly";

const database = await startDatabase();
const { sql } = database;
let owner: Caller;
let admin: Caller;

interface Listed extends Row {
  id: number;
  name: string;
  cursor: string;
}
interface Page {
  total: number;
  more: boolean;
  rows: Listed[];
  next: string | null;
  previous: string | null;
  first: boolean;
  states: string[];
}

beforeAll(async () => {
  owner = await database.person({ data: { full_name: "Sam Rivera" } });
  admin = await database.person({ admin: true, data: { full_name: "Ade One" } });
});

async function list(filter: unknown, at: Row = {}): Promise<Page> {
  const { value, code, message } = await admin.call("review_listings", { filter, ...at });
  if (code) throw new Error(`${code}: ${message}`);
  return value as Page;
}
const findNames = async (filter: Row) => (await list(filter)).rows.map(({ name }) => name).sort();

/** The ids on every page of a filter, forwards and then back. */
async function readAllPages(filter: Row, page_rows: number) {
  const forth: number[][] = [];
  const back: number[][] = [];
  let page = await list(filter, { page_rows });
  expect(page).toMatchObject({ first: true, previous: null });
  for (;;) {
    forth.push(page.rows.map(({ id }) => id));
    if (!page.next) break;
    page = await list(filter, { after: page.next, page_rows });
  }
  for (;;) {
    back.unshift(page.rows.map(({ id }) => id));
    if (!page.previous) break;
    page = await list(filter, { before: page.previous, page_rows });
  }
  expect(page.first).toBe(true);
  return { forth, back };
}

it.each(QUEUES)("%s is a queue that the database knows", async (view) => {
  const [found] = await sql("select condition from private.review_filter($1)", [{ view }]);
  expect(found?.["condition"], `what private.review_filter() finds in "${view}"`).not.toBe("false");
});

describe("a row", () => {
  it("has what the queue shows, including what an edit changed", async () => {
    const id = await database.place({
      owner: owner.id,
      owner_email: owner.email,
      phone: "+1 505-555-0100",
    });
    await owner.update("places", `id=eq.${id}`, {
      phone: "+1 505-555-0199",
      description: "Better.",
    });
    await admin.call("lock_listing_for_review", { id });
    const place = await database.row("places", id);
    const [row] = (await list({ view: "pending" })).rows;
    expect(row).toMatchObject({
      ...{
        id,
        version: 2,
        name: "Café X",
        category: 4,
        category_name: "Café or Bakery",
        city: "Albuquerque",
        state: "NM",
      },
      ...{ status: "pending-update", premium: false, hidden: false, archive_requested: false },
      ...{
        owner: owner.id,
        owner_name: "Sam Rivera",
        owner_email: "p•••@e•••.test",
        kind: "other",
      },
      changes: [
        { column: "phone", before: "+1 505-555-0100", after: "+1 505-555-0199" },
        { column: "description", before: "A café for everybody.", after: "Better." },
      ],
      reviewer: { id: admin.id, name: "Ade One", mine: true },
    });
    expect(new Date(row!["modified_at"] as string)).toEqual(
      new Date(place["modified_at"] as string),
    );
    const { value } = await admin.call("review_listing", { id });
    expect(value).toMatchObject({
      ...{
        id,
        open_reports: 0,
        owner_profile: { full_name: "Sam Rivera", email: "p•••@e•••.test" },
      },
      listing: { description: "Better.", rawaddress: "1 Main St, Albuquerque" },
    });
    expect((await admin.call("review_listing", { id: 987_654 })).value).toBeNull();

    // The neighbors in the order of a filter, also when the filter no longer finds the listing itself.
    const [first, last] = [
      await database.place({ status: "new", name: "Aa" }),
      await database.place({ status: "new", name: "Zz" }),
    ];
    for (const filter of [
      { view: "new", sort: "name" },
      { view: "new", sort: "name", status: "new" },
    ]) {
      const { value: beside } = await admin.call("review_listing", { id, filter });
      expect(beside).toMatchObject({
        previous: first,
        next: last,
        total: 2,
        more: false,
        cursor: expect.stringMatching(/^\d+~/) as string,
      });
    }
    expect(
      (await admin.call("review_listing", { id: last, filter: { view: "new", sort: "name" } }))
        .value,
    ).toMatchObject({ previous: first, next: null });
    await sql("delete from public.places");
  });
});

describe("a filter", () => {
  beforeAll(async () => {
    const create = (name: string, columns: Row = {}) => database.place({ name, ...columns });
    await create("New complete", { status: "new" });
    await create("New without state", { status: "new", state: null, category: 1 });
    await create("New without email", { status: "new", owner_email: null });
    await create("Flagged", { status: "flagged", changes_requested: "Fix it." });
    await create("Archived", { status: "archived", state: "CA", archive_requested: true });
    await create("To be archived", { archive_requested: true, state: "CA" });
    await create("Featured", { premium: true, premium_created_at: "2026-02-01T00:00:00Z" });
    await create("Featured, unknown since", { premium: true });
    await create("Featured first", { premium: true, premium_created_at: "2026-01-01T00:00:00Z" });
    const edits: Record<string, Row> = {
      "Phone edit": { phone: "1" },
      "Contact edit": { phone: "1", url: "https://a.test" },
      "Address edit": { rawaddress: "2 Main St", lat: 1, long: 2 },
      "Description edit": { description: "Other." },
      "Category edit": { category: 1, online_categories: [50] },
      "Mixed edit": { phone: "1", description: "Other." },
      "Name edit": { name: "Renamed" },
    };
    for (const [name, change] of Object.entries(edits)) {
      const id = await create(name, { owner: owner.id });
      await owner.update("places", `id=eq.${id}`, change);
    }
    const old = await create("Waits long", { status: "new", state: "OR" });
    await sql("alter table public.places disable trigger user");
    await sql("update public.places set modified_at = now() - interval '40 days' where id = $1", [
      old,
    ]);
    await sql("alter table public.places enable trigger user");
  });

  it.each<[Row, string[]]>([
    [{ view: "new" }, ["New complete", "New without email", "New without state", "Waits long"]],
    [{ view: "flagged" }, ["Flagged"]],
    [{ view: "premium" }, ["Featured", "Featured first", "Featured, unknown since"]],
    [{ status: "archived" }, ["Archived"]],
    [{ view: "new", category: "1" }, ["New without state"]],
    [{ state: "CA" }, ["Archived", "To be archived"]],
    [{ email: "no" }, ["New without email"]],
    [{ view: "new", complete: "yes" }, ["New complete", "Waits long"]],
    [{ complete: "no" }, ["New without email", "New without state"]],
    [{ view: "flagged", premium: "yes" }, []],
    [{ age: "30" }, ["Waits long"]],
    [{ archive: "requested" }, ["To be archived"]],
    [{ asked: "yes" }, ["Flagged"]],
    [{ edit: "contact" }, ["Contact edit", "Phone edit"]],
    [{ edit: "phone" }, ["Phone edit"]],
    [{ edit: "address" }, ["Address edit"]],
    [{ edit: "description" }, ["Description edit"]],
    [{ edit: "category" }, ["Category edit"]],
    [{ edit: "other" }, ["Mixed edit", "Renamed"]],
    [{ edit: "name" }, ["Renamed"]],
  ])("%j", async (filter, names) => {
    expect(await findNames(filter)).toEqual(names);
    expect(await list(filter)).toMatchObject({ total: names.length, more: false });
  });

  it.each<[unknown]>([
    ...[
      "view",
      "status",
      "category",
      "state",
      "premium",
      "email",
      "complete",
      "age",
      "edit",
      "archive",
      "asked",
      "sort",
    ].flatMap((key): [unknown][] => [
      [{ [key]: "x' or true --" }],
      [{ [key]: "total" }],
      [{ [key]: { a: 1 } }],
    ]),
    [{ category: "99999999999999999999999" }],
    [{ nonsense: "yes" }],
    [1],
    [[]],
    [["view"]],
  ])("finds nothing for the invalid %j", async (filter) => {
    expect(await list(filter)).toMatchObject({
      rows: [],
      total: 0,
      more: false,
      next: null,
      previous: null,
    });
  });

  it("counts what other filters find, in their order", async () => {
    const also = [{ view: "new" }, { edit: "nonsense" }, { email: "no" }, 1];
    const { value } = await admin.call("review_listings", { filter: { view: "flagged" }, also });
    expect(value).toMatchObject({
      total: 1,
      counts: [4, 0, 1, 0].map((total) => ({ total, more: false })),
    });
    for (const also of [null, {}]) {
      const { value: none } = await admin.call("review_listings", { filter: {}, also });
      expect(none).toMatchObject({ total: 17, counts: [] });
    }
  });

  it("finds everything when it is empty", async () => {
    for (const filter of [null, {}, { view: "all", state: "", search: null }]) {
      expect(await list(filter)).toMatchObject({ total: 17, states: ["CA", "NM"] });
    }
  });

  it("offers the states of published listings only: anyone could add listings of made-up ones", async () => {
    const listing = await database.place({ owner: owner.id, state: "WA" });
    expect((await list({ state: "OR" })).states).toEqual(["CA", "NM", "WA"]);
    await owner.update("places", `id=eq.${listing}`, { state: "!000" });
    expect((await list({ state: "OR" })).states).toEqual(["CA", "NM"]);
    await sql("delete from public.places where id = $1", [listing]);
  });

  it("orders by age, name, or the start of Featured", async () => {
    const oldest = (await list({})).rows.map(({ id }) => id);
    expect((await list({})).rows[0]?.name).toBe("Waits long");
    expect((await list({ sort: "newest" })).rows.map(({ id }) => id)).toEqual(oldest.reverse());
    const featured = ["Featured first", "Featured", "Featured, unknown since"];
    expect((await list({ view: "premium" })).rows.map(({ name }) => name)).toEqual(featured);
    expect((await list({ sort: "featured" })).rows.map(({ name }) => name)).toEqual(featured);
    const names = (await list({ sort: "name" })).rows.map(({ name }) => name);
    expect(names).toEqual([...names].sort((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1)));
  });

  it("finds as many listings as the dashboard counts, and what has waited longest", async () => {
    const { value } = await admin.call("review_dashboard");
    const dashboard = value as Record<
      string,
      Record<string, { count: number; oldest: { name: string } | null }>
    >;
    const queues = {
      new: { view: "new" },
      "pending-update": { view: "pending" },
      flagged: { view: "flagged" },
      "archive-requested": { archive: "requested" },
    };
    for (const [queue, filter] of Object.entries(queues)) {
      const { total, rows } = await list(filter);
      expect(rows).toHaveLength(total);
      expect(dashboard["queues"]![queue]).toMatchObject({
        count: total,
        oldest: { id: rows[0]!.id },
      });
    }
    for (const status of ["new", "flagged", "archived", "pending-update", "published"]) {
      expect(dashboard["places"]![status]).toBe((await list({ status })).rows.length);
    }
    expect(dashboard["longest"]).toHaveLength(5);
    expect(dashboard["longest"]).toMatchObject([
      { name: "Waits long", status: "new" },
      {},
      {},
      {},
      {},
    ]);
  });

  it("exports every listing, whatever the size of the pages", async () => {
    const all: number[] = [];
    let after: string | null = null;
    do {
      const { value } = await admin.call("export_listings", {
        filter: { sort: "name" },
        after,
        page_rows: 4,
      });
      const { rows, next } = value as { rows: Listed[]; next: string | null };
      expect(rows.length).toBeLessThanOrEqual(4);
      expect(rows[0]).toMatchObject({ category_name: expect.any(String), third_party_auth: true });
      all.push(...rows.map(({ id }) => id));
      after = next;
    } while (after);
    expect(all).toEqual((await list({ sort: "name" })).rows.map(({ id }) => id));
  });
});

describe("the place in a queue", () => {
  beforeAll(() => sql("delete from public.places"));

  /** Adds what came into the queue an hour ago, and two hours ago; the older one is the owner's. */
  async function createTwo(columns: Row) {
    const at = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();
    const newer = await database.place({ ...columns, modified_at: at(1) });
    const older = await database.place({ ...columns, modified_at: at(2), owner: owner.id });
    return { newer, older };
  }
  const order = async (filter: Row) => (await list(filter)).rows.map(({ id }) => id);
  const save = (id: number, change: Row) => owner.update("places", `id=eq.${id}`, change);

  it.each<[string, Row, Row]>([
    ["a new listing", { view: "new" }, { status: "new" }],
    ["a flagged listing", { view: "flagged" }, { status: "flagged" }],
    ["an edit", { view: "pending" }, { status: "pending-update", last_update: { url: null } }],
    ["a request for removal", { archive: "requested" }, { archive_requested: true }],
  ])("of %s stays when it is saved again", async (_, filter, columns) => {
    const { newer, older } = await createTwo({ url: "https://a.test", ...columns });
    const since = (await list(filter)).rows[0]?.["modified_at"] as string;
    for (const phone of ["+1 505-555-0198", "+1 505-555-0199"]) {
      await save(older, { phone, waiting_since: "2020-01-01T00:00:00Z" });
      expect(await order(filter)).toEqual([older, newer]);
    }
    const row = (await list(filter)).rows[0];
    expect(row?.["waiting_since"]).toBe(since);
    expect(Date.parse(row?.["modified_at"] as string)).toBeGreaterThan(Date.now() - 60_000);
    expect(await order({ ...filter, age: "1" })).toEqual([]);
    // The dashboard and the pages say the same.
    const { value: dashboard } = await admin.call("review_dashboard");
    const queue = { new: "new", flagged: "flagged", pending: "pending-update" }[
      String(filter["view"])
    ];
    expect(dashboard).toMatchObject({
      queues: { [queue ?? "archive-requested"]: { oldest: { id: older, since } } },
    });
    if (["new", "pending"].includes(String(filter["view"])))
      expect(dashboard).toMatchObject({ longest: [{ id: older, since }, { id: newer }] });
    const { forth, back } = await readAllPages(filter, 1);
    expect([forth, back]).toEqual([
      [[older], [newer]],
      [[older], [newer]],
    ]);
    // Also an admin's correction.
    await admin.update("places", `id=eq.${older}`, {
      phone: "+1 505-555-0197",
      waiting_since: null,
    });
    expect(await order(filter)).toEqual([older, newer]);
    await sql("delete from public.places");
  });

  it("is a new one after the edit was withdrawn, or approved", async () => {
    const { newer, older } = await createTwo({ phone: null });
    await save(older, { phone: "1" });
    await admin.update("places", `id=eq.${newer}`, { status: "flagged" });
    for (const end of [
      () => save(older, { phone: null }),
      () => admin.update("places", `id=eq.${older}`, { status: "published", phone: null }),
    ]) {
      await save(older, { phone: "2" });
      expect(await database.row("places", older)).toMatchObject({ status: "pending-update" });
      await end();
      expect(await database.row("places", older)).toMatchObject({
        status: "published",
        waiting_since: null,
      });
    }
    await save(older, { phone: "3" });
    await sql("alter table public.places disable trigger user");
    await sql("update public.places set modified_at = now() - interval '3 hours' where id = $1", [
      newer,
    ]);
    await sql("alter table public.places enable trigger user");
    expect(await order({})).toEqual([newer, older]);
    await sql("delete from public.places");
  });

  it("is a new one when the team has asked for changes, and when its owner has made them", async () => {
    const { newer, older } = await createTwo({ status: "new" });
    await save(older, { phone: "1" });
    await admin.update("places", `id=eq.${older}`, { changes_requested: "Please add a photo." });
    expect(await order({ view: "new" })).toEqual([newer, older]);
    const asked = await database.row("places", older);
    expect(asked).toMatchObject({ waiting_since: null });
    await save(older, { description: "Better." });
    const answered = await database.row("places", older);
    expect(answered).toMatchObject({ changes_requested: null, waiting_since: null });
    expect(answered["modified_at"]).not.toEqual(asked["modified_at"]);
    await sql("delete from public.places");
  });

  it("of a request for removal begins with the request, whatever is saved after it", async () => {
    const { newer, older } = await createTwo({});
    const filter = { archive: "requested" };
    await save(older, { archive_requested: true });
    await sql("update public.places set archive_requested = true where id = $1", [newer]);
    expect(await order(filter)).toEqual([older, newer]);
    const [row] = (await list(filter)).rows;
    expect(row).toMatchObject({ version: 1 });
    expect(Date.parse(row?.["waiting_since"] as string)).toBeGreaterThan(Date.now() - 60_000);
    await save(older, { phone: "1" });
    expect(await database.row("places", older)).toMatchObject({ status: "pending-update" });
    // Not even when our team asks for changes of the edit, and someone makes them.
    await sql("update public.places set changes_requested = 'Which phone?' where id = $1", [older]);
    await save(older, { phone: "2" });
    expect(await order(filter)).toEqual([older, newer]);
    // The edit waits on its own: since it was made, not since the request.
    const edited = await database.row("places", older);
    expect((await list({ view: "pending" })).rows).toMatchObject([
      { id: older, waiting_since: null, modified_at: edited["modified_at"] },
    ]);
    expect((await list(filter)).rows[0]?.["waiting_since"]).toBe(row?.["waiting_since"]);
    await save(older, { phone: (await database.row("places", newer))["phone"] });
    await save(older, { archive_requested: false });
    expect(await database.row("places", older)).toMatchObject({
      status: "published",
      waiting_since: null,
    });
    await sql("delete from public.places");
  });

  it("of a request for removal doesn't begin with the edit that waited before it", async () => {
    const day = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
    const edit = { status: "pending-update", last_update: { phone: null }, phone: "1" };
    const id = await database.place({ ...edit, owner: owner.id, modified_at: day(9) });
    const earlier = await database.place({ archive_requested: true, modified_at: day(3) });
    await save(id, { archive_requested: true });
    const filter = { archive: "requested" };
    const requested = async () => {
      const listed = await list(filter);
      const row = listed.rows.find((found) => found.id === id);
      expect(listed.rows.map((found) => found.id)).toEqual([earlier, id]);
      expect(Date.parse(row?.["waiting_since"] as string)).toBeGreaterThan(Date.now() - 60_000);
      return row?.["waiting_since"];
    };
    const since = await requested();
    expect(await order({ ...filter, age: "1" })).toEqual([earlier]);
    const byName = (await list({ ...filter, sort: "name" })).rows;
    expect(byName.find((found) => found.id === id)).toMatchObject({ waiting_since: since });
    const { forth, back } = await readAllPages(filter, 1);
    expect([forth, back]).toEqual([
      [[earlier], [id]],
      [[earlier], [id]],
    ]);
    const { value: dashboard } = await admin.call("review_dashboard");
    expect(dashboard).toMatchObject({
      queues: {
        "archive-requested": { oldest: { id: earlier } },
        "pending-update": { oldest: { id } },
      },
    });
    // Nor is the edit younger for the request.
    expect(await order({ view: "pending", age: "8" })).toEqual([id]);
    await save(id, { description: "Also this." });
    expect(await order({ view: "pending", age: "8" })).toEqual([id]);
    expect(await requested()).toBe(since);
    // The removal, undone, waits as before.
    const batch = crypto.randomUUID();
    const items = [{ id, version: (await database.row("places", id))["version"] }];
    await admin.call("decide_listings", { batch, action: "archive", items });
    expect(await database.row("places", id)).toMatchObject({ removal_requested_at: null });
    await admin.call("undo_decisions", { batch });
    expect(await requested()).toBe(since);
    expect(await order({ view: "pending", age: "8" })).toEqual([id]);
    await sql("delete from public.places");
  });

  it("is the former one after a decision was undone", async () => {
    const { newer, older } = await createTwo({ status: "new" });
    await save(older, { phone: "1" });
    const before = await database.row("places", older);
    const batch = crypto.randomUUID();
    const items = [{ id: older, version: before["version"] }];
    await admin.call("decide_listings", { batch, action: "approve", items });
    expect(await database.row("places", older)).toMatchObject({
      status: "published",
      waiting_since: null,
    });
    await admin.call("undo_decisions", { batch });
    expect(await database.row("places", older)).toMatchObject({
      status: "new",
      modified_at: before["modified_at"],
      waiting_since: before["waiting_since"],
    });
    expect(await order({ view: "new" })).toEqual([older, newer]);
    await sql("delete from public.places");
  });
});

describe("the search by name", () => {
  beforeAll(async () => {
    await sql("delete from public.places");
    for (const name of [
      "Café Olé",
      "Cafe Noir",
      "The Café/Bar",
      "Bar None",
      "O’Malley’s Pub",
      "Rose-Hill Books",
      "100% Queer, (or) not",
    ]) {
      await database.place({ name });
    }
  });

  it.each([
    ["cafe", ["Cafe Noir", "Café Olé", "The Café/Bar"]],
    ["CAFÉ ole", ["Café Olé"]],
    ["cafe -noir", ["Café Olé", "The Café/Bar"]],
    ["noir or none", ["Bar None", "Cafe Noir"]],
    ['"bar none"', ["Bar None"]],
    ["bar", ["Bar None", "The Café/Bar"]],
    ["o'malley's", ["O’Malley’s Pub"]],
    ["rose-hill", ["Rose-Hill Books"]],
    ["hill", ["Rose-Hill Books"]],
    ["hil boo", ["Rose-Hill Books"]],
    ["caf no", ["Cafe Noir"]],
    ["ill", []],
    ["queer, (or)", ["100% Queer, (or) not"]],
    ["%", []],
    ["*", []],
    ["' or true --", []],
    ["\\", []],
    ["!!! & | <-> :*", []],
    ["\ufdfa".repeat(200), []],
    ["\u337f".repeat(200), []],
    ["x".repeat(5000), []],
  ])("%s", async (search, names) => {
    expect(await findNames({ search })).toEqual(names);
  });

  it("finds a listing by its new name", async () => {
    const id = await database.place({ name: "Before", owner: owner.id });
    await owner.update("places", `id=eq.${id}`, { name: "Señor After" });
    expect(await findNames({ search: "senor" })).toEqual(["Señor After"]);
    expect(await findNames({ search: "before" })).toEqual([]);
    await admin.update("places", `id=eq.${id}`, { name: "Third", name_key: "aaa" });
    expect((await list({ sort: "name" })).rows.at(-1)?.name).toBe("Third");
  });
});

describe("pages", () => {
  it("contain each listing once, in order, forwards and back, also with equal times and names", async () => {
    await sql("delete from public.places");
    const property = fc.asyncProperty(
      fc.array(
        fc.record({
          name: fc.constantFrom("A", "Á", "b~1", "'", "Z"),
          minute: fc.nat(3),
          premium: fc.boolean(),
        }),
        { maxLength: 12 },
      ),
      fc.constantFrom("oldest", "newest", "name", "featured"),
      fc.integer({ min: 1, max: 5 }),
      async (listings, sort, size) => {
        await sql("delete from public.places");
        for (const { name, minute, premium } of listings) {
          const at = new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString();
          await database.place({
            name,
            modified_at: at,
            premium,
            premium_created_at: minute ? at : null,
          });
        }
        const all = (await list({ sort })).rows.map(({ id }) => id);
        expect(all).toHaveLength(
          sort === "featured" ? listings.filter(({ premium }) => premium).length : listings.length,
        );
        const { forth, back } = await readAllPages({ sort }, size);
        expect(forth.flat()).toEqual(all);
        expect(back.flat()).toEqual(all);
        expect(forth.slice(0, -1).every((page) => page.length === size)).toBe(true);
      },
    );
    await fc.assert(property, { numRuns: timesTried(8, 50) });
  });

  it("continue when the listing of the cursor left the queue, and are never empty", async () => {
    await sql("delete from public.places");
    const ids: number[] = [];
    for (let n = 0; n < 7; n += 1) ids.push(await database.place({ name: `N${n}`, status: "new" }));
    const filter = { view: "new" };
    const first = await list(filter, { page_rows: 3 });
    await sql("update public.places set status = 'published' where id = any ($1)", [
      ids.slice(0, 3),
    ]);
    const second = await list(filter, { after: first.next, page_rows: 3 });
    expect(second.rows.map(({ id }) => id)).toEqual(ids.slice(3, 6));
    // Fewer than a page are before the cursor, so it is the first page.
    expect(await list(filter, { before: second.next, page_rows: 3 })).toMatchObject({
      first: true,
      total: 4,
      previous: null,
    });
    // Nothing is after the cursor.
    const last = await list(filter, { after: second.next, page_rows: 3 });
    expect(
      (await list(filter, { after: last.rows.at(-1)!.cursor, page_rows: 3 })).rows.map(
        ({ id }) => id,
      ),
    ).toEqual(ids.slice(3, 6));
    for (const after of [
      "",
      "x",
      "1",
      "~",
      "1~x",
      "999999999999999999999~1",
      `${ids[0]}~99999999999999999999`,
      "1~' or true --",
    ]) {
      expect(await list(filter, { after, page_rows: 3 })).toMatchObject({ first: true, total: 4 });
    }
    for (const page_rows of [-1, 0, null])
      expect((await list(filter, { page_rows })).rows.length).toBeGreaterThan(0);
  });

  it("count up to a thousand where no exact count is stored", async () => {
    await sql("delete from public.places");
    await sql(`insert into public.places (name, category, state, owner_email, status)
      select 'Many', 4, 'NM', 'a@example.test', 'new' from generate_series(1, 1001)`);
    expect(await list({ view: "new" }, { page_rows: 1 })).toMatchObject({
      total: 1_001,
      more: false,
    });
    expect(await list({ state: "NM" }, { page_rows: 1 })).toMatchObject({
      total: 1_000,
      more: true,
    });
    await sql("delete from public.places where id = (select min(id) from public.places)");
    expect(await list({ state: "NM" }, { page_rows: 1 })).toMatchObject({
      total: 1_000,
      more: false,
    });
    await sql("delete from public.places");
  });
});

describe("the review lock", () => {
  it("is shown to other admins for 15 minutes, and is taken over only on request", async () => {
    const other = await database.person({ admin: true, data: { full_name: "Kai Two" } });
    const id = await database.place({ status: "new" });
    const lock = async (by: Caller, more: Row = {}) =>
      (await by.call("lock_listing_for_review", { id, ...more })).value;
    expect(await lock(admin)).toMatchObject({
      locked: true,
      reviewer: { name: "Ade One", mine: true },
    });
    expect(await lock(other)).toMatchObject({
      locked: false,
      reviewer: { id: admin.id, name: "Ade One", mine: false },
    });
    const { value } = await other.call("review_listings", { filter: { view: "new" } });
    expect((value as Page).rows).toMatchObject([{ reviewer: { name: "Ade One", mine: false } }]);
    expect(await lock(other, { take_over: true })).toMatchObject({
      locked: true,
      reviewer: { name: "Kai Two", mine: true },
    });
    expect(await lock(admin)).toMatchObject({ locked: false });
    expect((await admin.call("release_review_lock", { id })).value).toBe(false);

    const [left] = await sql(
      "select until - since as minutes, until > now() + interval '14 minutes' as far from private.review_locks",
    );
    expect(left).toMatchObject({ far: true });
    await sql("update private.review_locks set until = now()");
    expect((await list({ view: "new" })).rows).toMatchObject([{ reviewer: null }]);
    expect(await lock(admin)).toMatchObject({ locked: true });
    expect((await admin.call("release_review_lock", { id })).value).toBe(true);
    expect(await lock(other)).toMatchObject({ locked: true });
    expect((await admin.call("lock_listing_for_review", { id: 987_654 })).value).toBeNull();

    // A decision warns about the lock, and removes it.
    const items = [{ id, version: 1 }];
    const decided = await admin.call("decide_listings", {
      batch: crypto.randomUUID(),
      action: "approve",
      items,
    });
    expect(decided.value).toMatchObject({
      rows: [{ outcome: "done", warnings: ["under_review:Kai Two"] }],
    });
    expect(await sql("select 1 from private.review_locks")).toEqual([]);
  });

  it("of another admin stays when someone leaves the listing", async () => {
    const other = await database.person({ admin: true });
    const id = await database.place({ status: "new" });
    await other.call("lock_listing_for_review", { id });
    await admin.call("lock_next_listing_for_review", { filter: { view: "flagged" }, leaving: id });
    const holder = "select admin from private.review_locks where place_id = $1";
    expect(await sql(holder, [id])).toEqual([{ admin: other.id }]);
    await other.call("lock_next_listing_for_review", { filter: { view: "flagged" }, leaving: id });
    expect(await sql(holder, [id])).toEqual([]);
  });

  it("moves to the next listing that no other admin reviews", async () => {
    await sql("delete from public.places");
    const other = await database.person({ admin: true });
    const ids: number[] = [];
    for (let n = 0; n < 4; n += 1) ids.push(await database.place({ status: "new" }));
    const next = async (by: Caller, more: Row = {}) =>
      (await by.call("lock_next_listing_for_review", { filter: { view: "new" }, ...more }))
        .value as {
        id: number;
        cursor: string;
      } | null;
    const mine = await next(admin);
    expect(mine).toMatchObject({ id: ids[0] });
    expect(await next(other)).toMatchObject({ id: ids[1] });
    // The listing that the caller has locked comes again, until they leave it.
    expect(await next(admin)).toMatchObject({ id: ids[0] });
    const then = await next(admin, { after: mine!.cursor, leaving: ids[0] });
    expect(then).toMatchObject({ id: ids[2] });
    expect(await next(other, { leaving: ids[1] })).toMatchObject({ id: ids[0] });
    const end = await next(admin, { after: then!.cursor });
    expect(end).toMatchObject({ id: ids[3] });
    expect(await next(admin, { after: end!.cursor })).toBeNull();
  });
});

it("is for admins only", async () => {
  const id = await database.place({ status: "new", owner: owner.id });
  for (const by of [owner, database.anonymous, database.service]) {
    for (const [name, args] of Object.entries<Row>({
      review_listings: { filter: {} },
      review_listing: { id },
      export_listings: { filter: {} },
      review_dashboard: {},
      lock_listing_for_review: { id },
      lock_next_listing_for_review: { filter: {} },
      release_review_lock: { id },
    })) {
      expect(await by.call(name, args)).toMatchObject({ code: "42501" });
    }
  }
  expect(await sql("select 1 from private.review_locks where place_id = $1", [id])).toEqual([]);
});
