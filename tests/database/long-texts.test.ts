/** Someone who saves the longest texts all day. Nothing is ever removed from the audit log, where they stay. */
import { randomUUID } from "node:crypto";
import { beforeEach, describe, expect, it } from "vitest";

import { completeListing, type Row, startDatabase } from "./support/data-api";

const database = await startDatabase();
const { sql, person, place } = database;

beforeEach(() => sql("delete from public.rate_limits"));

/** A text that takes as much room as it is long, in characters of four bytes. */
const longText = (characters: number) =>
  Array.from({ length: characters }, () =>
    String.fromCodePoint(0x20000 + Math.floor(Math.random() * 40_000)),
  ).join("");

/** Adds entries about a listing to the log: changes by its owner, each with a long text. */
async function addLongEntries(listing: number, owner: string, entries: number): Promise<void> {
  for (let added = 0; added < entries; added += 1)
    await sql(
      `insert into public.audit_log (actor, actor_role, action, subject, subject_id, before, after)
       values ($1, 'authenticated', 'update', 'places', $2, '{"description": "A"}', jsonb_build_object('description', $3::text))`,
      [owner, String(listing), longText(5_000)],
    );
}

/** How many blocks of long values of the log a call reads. */
async function readBlocks(call: string, params: readonly unknown[]): Promise<number> {
  const blocks = `pg_stat_get_xact_blocks_fetched(
    (select c.reltoastrelid from pg_class c where c.oid = 'public.audit_log'::regclass))`;
  // (They are counted up to the next report of a connection's statistics.)
  const [found] = await sql(
    `select ${blocks} as before, ${call} as result, ${blocks} as after`,
    params,
  );
  return Number(found!["after"]) - Number(found!["before"]);
}

describe("a listing with hundreds of long entries in the log", () => {
  it("keeps no email, review, or plan waiting for them", async () => {
    const [owner, listed] = [await person(), await person()];
    const listing = await place({ owner: owner.id, status: "new" });
    await addLongEntries(listing, owner.id, 200);
    await sql("update public.places set status = 'published' where id = $1", [listing]);
    await sql("analyze public.audit_log");
    const [other] = [await place({ owner: listed.id })];
    await addLongEntries(other, owner.id, 1);

    const calls: [string, unknown[]][] = [
      ["private.was_changed_by_others($1, now())", [listing]],
      ["private.last_removal($1)", [listing]],
      ["private.has_been_public('places', jsonb_build_object('id', $1::bigint))", [listing]],
      [
        "private.plan_leaves_since(jsonb_populate_record(null::public.subscriptions, jsonb_build_object('place_id', $1::bigint)))",
        [listing],
      ],
    ];
    for (const [call, params] of calls)
      expect(await readBlocks(call, params), call).toBeLessThan(20);
    // (The reading of one is counted.)
    expect(
      await readBlocks("(select max(length(a.after::text)) from public.audit_log a)", []),
    ).toBeGreaterThan(500);
  });

  it("still says who has changed it, and when it was removed and hidden", async () => {
    const [owner, admin, manager] = [await person(), await person({ admin: true }), await person()];
    const listing = await place({ owner: owner.id });
    await addLongEntries(listing, owner.id, 3);
    const others = async () =>
      (await sql("select private.was_changed_by_others($1, now()) as others", [listing]))[0]![
        "others"
      ];
    expect(await others()).toBe(false);
    await addLongEntries(listing, admin.id, 1);
    expect(await others()).toBe(false);
    await addLongEntries(listing, manager.id, 1);
    expect(await others()).toBe(true);

    const removal = async () =>
      (await sql("select private.last_removal($1) as removal", [listing]))[0]!["removal"];
    const decide = async (action: string) => {
      const { version } = await database.row("places", listing);
      const batch = randomUUID();
      const items = [{ id: String(listing), version: String(version) }];
      expect((await admin.call("decide_listings", { batch, action, items })).status).toBe(200);
      return batch;
    };
    expect(await removal()).toBeNull();
    const batch = await decide("archive");
    expect(await removal()).toMatchObject({ requested: false });
    expect((await admin.call("undo_decisions", { batch })).status).toBe(200);
    expect(await removal()).toBeNull();
    expect(
      (await owner.update("places", `id=eq.${listing}`, { archive_requested: true })).status,
    ).toBe(204);
    await decide("archive");
    await addLongEntries(listing, owner.id, 1);
    expect(await removal()).toMatchObject({ requested: true });
    await decide("reopen");
    expect(await removal()).toMatchObject({ requested: true });
    await decide("approve");
    expect(await removal()).toBeNull();
  });
});

describe("changes by which more than 20 KB go into the log", () => {
  const limit = { status: 429, code: "P0001" };

  it("are thirty an hour for one account's listings, and shorter ones go on", async () => {
    const owner = await person();
    const listings = [await place({ owner: owner.id }), await place({ owner: owner.id })];
    const change = (listing: number, change: Row) =>
      owner.update("places", `id=eq.${listing}`, change);
    for (let saved = 0; saved < 30; saved += 1)
      expect(
        (
          await change(listings[saved % 2]!, {
            description: longText(5_000),
            mailingaddress: longText(500),
          })
        ).status,
      ).toBe(204);
    expect(
      await change(listings[0]!, { description: longText(5_000), mailingaddress: longText(500) }),
    ).toMatchObject({ ...limit, message: "too_many_changes" });
    expect(
      (await change(listings[0]!, { description: "Shorter", mailingaddress: null })).status,
    ).toBe(204);
  });

  it("are thirty an hour for one account's jobs", async () => {
    const owner = await person();
    const listing = await place({ owner: owner.id });
    const job = {
      title: "Baker",
      category: 85,
      description: "Bake.",
      location: ["Arizona"],
      place_id: listing,
    };
    expect((await owner.insert("jobs", job)).status).toBe(201);
    const change = (description: string) =>
      owner.update("jobs", `owner=eq.${owner.id}`, { description });
    for (let saved = 0; saved < 30; saved += 1)
      expect((await change(longText(10_000))).status).toBe(204);
    expect(await change(longText(10_000))).toMatchObject({
      ...limit,
      message: "too_many_job_changes",
    });
    expect((await change("Shorter")).status).toBe(204);
  });

  it("are thirty an hour also where each unpublishes the job, which is never refused by itself", async () => {
    const owner = await person();
    const [job] = await sql(
      `insert into public.jobs (owner, title, category, description, location, company_name, company_bio, paid, published, expiration_date)
       values ($1, 'Baker', 85, 'Bake.', '{Arizona}', 'Bakery', 'We bake.', true, true, now() + interval '30 days') returning id`,
      [owner.id],
    );
    const change = (values: Row) => owner.update("jobs", `id=eq.${String(job!["id"])}`, values);
    for (let saved = 0; saved < 30; saved += 1) {
      expect((await change({ published: false, description: longText(10_000) })).status).toBe(204);
      expect((await change({ published: true, description: "Bake." })).status).toBe(204);
    }
    expect(await change({ published: false, description: longText(10_000) })).toMatchObject({
      ...limit,
      message: "too_many_job_changes",
    });
    expect((await change({ published: false })).status).toBe(204);
  });

  it("are thirty an hour for one account's orders of newsletters", async () => {
    const owner = await person();
    const listing = await place({ owner: owner.id });
    expect(
      (await owner.insert("sponsorships", { place_id: listing, promo_text: "Hello" })).status,
    ).toBe(201);
    const change = (photo_location: string) =>
      owner.update("sponsorships", `owner=eq.${owner.id}`, {
        photo_location,
        location: longText(300),
        // (Marks that belong to the letter before them count as no character.)
        promo_text: `A${"\u{e0101}".repeat(2_999)}`,
      });
    for (let saved = 0; saved < 30; saved += 1)
      expect((await change(longText(2_000))).status).toBe(204);
    expect(await change(longText(2_000))).toMatchObject({
      ...limit,
      message: "too_many_order_changes",
    });
    expect((await change("Shorter")).status).toBe(204);
  });

  it("don’t count where a long job is only published, which adds no text to the log", async () => {
    const owner = await person();
    const [job] = await sql(
      `insert into public.jobs (owner, title, category, description, location, company_name, company_bio, paid, published, expiration_date)
       values ($1, 'Baker', 85, $2, '{Arizona}', 'Bakery', 'We bake.', true, true, now() + interval '30 days') returning id`,
      [owner.id, longText(10_000)],
    );
    for (let times = 0; times < 31; times += 1)
      for (const published of [false, true])
        expect(
          (await owner.update("jobs", `id=eq.${String(job!["id"])}`, { published })).status,
        ).toBe(204);
  });
});

it("a listing takes as many places where its owner is licensed as the form has, and not forty pages of text", async () => {
  const owner = await person();
  const listing = await place({ owner: owner.id, category: 2 });
  const save = (licensed_locations: string[]) =>
    owner.update("places", `id=eq.${listing}`, { licensed_locations });
  const { LICENSED_LOCATIONS } = await import("~/modules/listings/licensed-locations.server");
  expect((await save([...LICENSED_LOCATIONS])).status).toBe(204);
  expect(await save(Array.from({ length: 400 }, () => "x".repeat(100)))).toMatchObject({
    status: 400,
    message: "licensed_location_unknown",
  });
});

describe("a page, or a step of a download, with long texts has fewer rows", () => {
  it("in the audit log, and all of them in the end", async () => {
    const [owner, admin] = [await person(), await person({ admin: true })];
    const listing = await place({ owner: owner.id });
    // (JSON that is written out counts, not what compression leaves of it.)
    for (let added = 0; added < 30; added += 1)
      await sql(
        `insert into public.audit_log (actor, actor_role, action, subject, subject_id, after)
         values ($1, 'authenticated', 'update', 'places', $2, jsonb_build_object('description', repeat('x', 300000)))`,
        [owner.id, String(listing)],
      );
    const filter = { subject: "places", subject_id: String(listing) };
    const all: unknown[] = [];
    let after: string | null = null;
    let pages = 0;
    do {
      const { value } = await admin.call("admin_audit", { filter, after, page_rows: 500 });
      const page = value as { rows: Row[]; after: string | null; before: string | null };
      expect(JSON.stringify(page).length).toBeLessThan(5_000_000);
      all.push(...page.rows.map(({ id }) => id));
      after = page.after;
      pages += 1;
    } while (after !== null);
    const logged = await sql(
      "select id from public.audit_log where subject = 'places' and subject_id = $1 order by at desc, id desc",
      [String(listing)],
    );
    expect(all).toEqual(logged.map(({ id }) => Number(id)));
    expect(pages).toBe(3);
  });

  it("in the audit log, and none is left out on the way back", async () => {
    const [owner, admin] = [await person(), await person({ admin: true })];
    const listing = await place({ owner: owner.id });
    for (const characters of [1, 1, 1_000_000, 3_900_000])
      await sql(
        `insert into public.audit_log (actor, actor_role, action, subject, subject_id, after)
         values ($1, 'authenticated', 'update', 'places', $2, jsonb_build_object('description', repeat('x', $3)))`,
        [owner.id, String(listing), characters],
      );
    const [third, fourth] = (
      await sql(
        "select id, concat_ws('_', to_jsonb(at) #>> '{}', id) as position from public.audit_log where subject = 'places' and subject_id = $1 order by at desc, id desc",
        [String(listing)],
      )
    ).slice(2);
    const { value } = await admin.call("admin_audit", {
      filter: { subject: "places", subject_id: String(listing) },
      before: fourth!["position"],
      page_rows: 10,
    });
    const page = value as { rows: Row[]; before: string | null };
    expect(page.rows.map(({ id }) => id)).toContain(Number(third!["id"]));
    expect(page.before).toBeNull();
  });

  it("in the download of listings, and all of them in the end", async () => {
    const [owner, admin] = [await person(), await person({ admin: true })];
    const listings: number[] = [];
    for (let added = 0; added < 150; added += 1)
      listings.push(
        await place({
          owner: owner.id,
          category: 2,
          status: "flagged",
          description: longText(5_000),
          licensed_locations: Array.from({ length: 100 }, () => longText(100)),
        }),
      );
    const all: unknown[] = [];
    let after: string | null = null;
    let steps = 0;
    do {
      const answer = await admin.call("export_listings", {
        filter: { view: "flagged" },
        after,
        page_rows: 500,
      });
      const step = answer.value as { rows: Row[]; next: string | null };
      expect(Buffer.byteLength(JSON.stringify(step))).toBeLessThan(5_000_000);
      all.push(...step.rows.map(({ id }) => id));
      after = step.next;
      steps += 1;
    } while (after !== null);
    expect(all).toEqual(listings);
    expect(steps).toBe(3);
  });
});

it("listings whose names become long when they are searched for are all on some page in the order of names, at short addresses", async () => {
  const admin = await person({ admin: true });
  const owner = await person();
  const name = `M${"\uFDFA".repeat(198)}`;
  const rows = ["a", "b", "c", "d", "e", "f"].map((end) => ({
    ...completeListing,
    name: name + end,
  }));
  expect((await owner.insert("places", rows)).status).toBe(201);
  const made = await sql("select id from public.places where name like $1 order by name", [
    `${name}%`,
  ]);
  const filter = { view: "new", sort: "name" };
  const found: unknown[] = [];
  let after: string | null = null;
  do {
    const { value } = await admin.call("review_listings", { filter, after, page_rows: 2 });
    const page = value as { rows: Row[]; next: string | null };
    found.push(...page.rows.map(({ id }) => id));
    after = page.next;
    // Together with its path, for a proxy that takes 8 KB.
    expect(encodeURIComponent(after ?? "").length).toBeLessThan(4_000);
  } while (after !== null && found.length < 20);
  expect(found.filter((id) => made.some((one) => Number(one["id"]) === id))).toEqual(
    made.map(({ id }) => Number(id)),
  );
  const { value } = await admin.call("review_listings", {
    filter,
    before: (
      await sql(
        "select private.review_cursor(p, 'name') as at from public.places p where p.id = $1",
        [made[4]!["id"]],
      )
    )[0]!["at"],
    page_rows: 2,
  });
  expect((value as { rows: Row[] }).rows.map(({ id }) => id)).toEqual(
    [made[2]!["id"], made[3]!["id"]].map(Number),
  );
});
