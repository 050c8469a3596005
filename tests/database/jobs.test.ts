import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { type Caller, type Row, startDatabase } from "./support/data-api";

const database = await startDatabase();
const { sql } = database;
let owner: Caller;
let admin: Caller;
let place = 0;

beforeAll(async () => {
  owner = await database.person();
  admin = await database.person({ admin: true });
  place = await database.place({ owner: owner.id });
});

const complete = {
  title: "Baker",
  category: 85,
  description: "Bake.",
  location: ["New Mexico", "Arizona"],
};
async function job(columns: Row = {}): Promise<number> {
  const row: Row = {
    ...complete,
    location: "{New Mexico}",
    place_id: place,
    owner: owner.id,
    ...columns,
  };
  const names = Object.keys(row);
  const [made] = await sql(
    `insert into public.jobs (${names.join(", ")}) values (${names.map((_, i) => `$${i + 1}`).join(", ")}) returning id`,
    Object.values(row),
  );
  return Number(made?.id);
}
const days = (n: number) => new Date(Date.now() + n * 24 * 60 * 60 * 1000).toISOString();

it("is deleted unpaid or expired, and by no one while it is paid for", async () => {
  const running = await job({ paid: true, expiration_date: days(1) });
  for (const by of [owner, admin]) {
    expect((await by.remove("jobs", `id=eq.${running}`)).rows).toEqual([]);
    for (const columns of [{}, { paid: true, expiration_date: days(-1) }]) {
      const id = await job(columns);
      expect((await by.remove("jobs", `id=eq.${id}`)).rows).toHaveLength(1);
      expect(await sql("select 1 from public.jobs where id = $1", [id])).toEqual([]);
    }
  }
  expect(await sql("select 1 from public.jobs where id = $1", [running])).toHaveLength(1);
});

describe("a new job", () => {
  it("is unpaid, unpublished, and owned by its sender, whatever else is sent", async () => {
    const other = await database.person();
    for (const by of [owner, admin]) {
      await by.insert("jobs", {
        ...complete,
        place_id: by === owner ? place : null,
        company_name: "X",
        company_bio: "Y",
        city: by.email,
        paid: true,
        published: true,
        expiration_date: days(400),
        owner: other.id,
        owner_email: ` ${other.email.toUpperCase()} `,
        version: 9,
      });
      const [made] = await sql("select * from public.jobs where city = $1", [by.email]);
      expect(made).toMatchObject({
        paid: false,
        published: false,
        expiration_date: null,
        version: 1,
      });
      // An admin can post for someone else.
      expect(made).toMatchObject(
        by === owner
          ? { owner: owner.id, owner_email: owner.email }
          : { owner: other.id, owner_email: other.email },
      );
    }
  });

  const refused: [string, object, string][] = [
    ["a category of listings", { category: 4 }, "P0001"],
    ["category 40 itself", { category: 40 }, "P0001"],
    ["no location", { location: [] }, "23514"],
    ["a blank location", { location: ["New Mexico", " "] }, "P0001"],
    ["a location that is too long", { location: ["x".repeat(101)] }, "P0001"],
    ["no title", { title: " " }, "23514"],
    ["no company and no listing", { place_id: null }, "23514"],
    ["a company without a bio", { place_id: null, company_name: "X" }, "23514"],
    ["an ally who does not say how it is safe", { ally_owned: true }, "23514"],
    ["an invalid link", { url: "javascript:alert(1)" }, "23514"],
  ];
  it.each(refused)("is rejected with %s", async (_, fields, code) => {
    expect(await owner.insert("jobs", { ...complete, place_id: place, ...fields })).toMatchObject({
      code,
    });
  });

  it("is rejected for a listing of someone else, and for one that its sender has not claimed yet", async () => {
    for (const place_id of [
      await database.place(),
      await database.place({ owner_email: owner.email }),
    ])
      expect(await owner.insert("jobs", { ...complete, place_id })).toMatchObject({
        code: "P0001",
        message: "job_place_not_yours",
      });
  });
});

describe("publishing", () => {
  const publish = (by: Caller, id: number, published = true) =>
    by.update("jobs", `id=eq.${id}`, { published });

  it("requires payment", async () => {
    const id = await job();
    for (const by of [owner, admin]) {
      expect(await publish(by, id)).toMatchObject({
        code: "P0001",
        message: "job_unpaid",
      });
    }
    expect(
      await owner.update("jobs", `id=eq.${id}`, { paid: true, published: true }),
    ).toMatchObject({
      code: "P0001",
    });
    await expect(
      sql("update public.jobs set published = true where id = $1", [id]),
    ).rejects.toThrow(/job_is_paid_before/);
  });

  it("can be toggled until the job expires, without changing the version", async () => {
    const id = await job({ paid: true, published: true, expiration_date: days(1) });
    await publish(owner, id, false);
    expect(await database.row("jobs", id)).toMatchObject({ published: false });
    await publish(owner, id);
    expect(await database.row("jobs", id)).toMatchObject({ published: true, version: 1 });
    await owner.update("jobs", `id=eq.${id}`, { city: "Santa Fe" });
    expect(await database.row("jobs", id)).toMatchObject({ version: 2 });

    for (const published of [true, false]) {
      const expired = await job({ paid: true, published, expiration_date: days(-0.001) });
      expect(await publish(owner, expired, !published)).toMatchObject({
        code: "P0001",
        message: "job_expired",
      });
    }
  });

  it("can’t change the expiration date, the payment, or the owner", async () => {
    const id = await job({ paid: true, published: true, expiration_date: days(1) });
    const before = await database.row("jobs", id);
    await owner.update("jobs", `id=eq.${id}`, {
      expiration_date: days(400),
      paid: false,
      owner: admin.id,
      owner_email: "x@y.z",
    });
    expect(await database.row("jobs", id)).toEqual(before);
  });

  it("expires at a whole millisecond, as the pages compute it", async () => {
    const id = await job({
      paid: true,
      published: true,
      expiration_date: "2030-01-01T00:00:00.123999Z",
    });
    const [row] = await sql(
      "select expiration_date = '2030-01-01T00:00:00.123Z' as whole from public.jobs where id = $1",
      [id],
    );
    expect(row).toEqual({ whole: true });
  });
});

describe("a filled job", () => {
  const fill = (by: Caller, id: number, filled_at: string | null = "2001-01-01T00:00:00Z") =>
    by.update("jobs", `id=eq.${id}`, { filled_at });
  const filledAt = async (id: number) => (await database.row("jobs", id))?.filled_at;

  it("is filled from the time its owner marks it until they reopen it", async () => {
    const id = await job({ paid: true, published: true, expiration_date: days(1) });
    const started = Date.now();
    await fill(owner, id);
    const since = await filledAt(id);
    expect(new Date(since as string).getTime()).toBeGreaterThan(started - 5_000);
    await fill(owner, id, days(5));
    expect(await filledAt(id)).toEqual(since);
    await fill(owner, id, null);
    expect(await filledAt(id)).toBeNull();
  });

  it.each([
    ["is not paid for", {}, "job_unpaid"],
    ["is not published", { paid: true, expiration_date: days(1) }, "job_not_published"],
    ["has expired", { paid: true, published: true, expiration_date: days(-1) }, "job_expired"],
  ])("can’t be one that %s", async (_, columns, message) => {
    const id = await job(columns);
    expect(await fill(owner, id)).toMatchObject({ code: "P0001", message });
    expect(await filledAt(id)).toBeNull();
  });

  it("can’t be a new one", async () => {
    for (const by of [owner, admin]) {
      await by.insert("jobs", {
        ...complete,
        place_id: place,
        city: `filled ${by.email}`,
        filled_at: days(0),
      });
      expect(
        await sql("select filled_at from public.jobs where city = $1", [`filled ${by.email}`]),
      ).toEqual([{ filled_at: null }]);
    }
  });
});

describe("what the public sees", () => {
  const publicly = async (id: number) =>
    (await database.anonymous.select("public_jobs", `id=eq.${id}`)).rows[0];
  const live = { paid: true, published: true, expiration_date: days(1) };

  it.each([
    ["is live", live, true],
    ["is not paid for", {}, false],
    ["is not published", { ...live, published: false }, false],
    ["has expired", { ...live, expiration_date: days(-0.0001) }, false],
    ["is filled", { ...live, filled_at: days(-1) }, false],
  ])("of a job that %s", async (_, columns, shown) => {
    const id = await job(columns);
    expect((await publicly(id)) !== undefined).toBe(shown);
    // Its owner can preview it, live or not.
    expect((await owner.call("preview_job", { job_id: id })).value).toMatchObject({
      id,
      live: shown,
      title: complete.title,
    });
  });

  it("does not include the job's owner", async () => {
    const id = await job({ ...live, owner_email: "hidden@example.test" });
    const [seen, preview] = [
      await publicly(id),
      (await owner.call("preview_job", { job_id: id })).value,
    ];
    for (const one of [seen, preview]) {
      expect(JSON.stringify(one)).not.toContain("hidden@example.test");
      expect(JSON.stringify(one)).not.toContain(owner.id);
    }
    expect(Object.keys(seen!).sort()).toEqual([
      "ally_owned",
      "ally_safety",
      "category",
      "category_name",
      "city",
      "company_bio",
      "company_name",
      "contract",
      "description",
      "expiration_date",
      "full_time",
      "id",
      "location",
      "part_time",
      "pay_range",
      "place_id",
      "queer_owned",
      "remote",
      "title",
      "url",
    ]);
  });

  it("names the company as the directory does, and links to its listing only while that is public", async () => {
    const listing = await database.place({
      owner: owner.id,
      name: "Café X",
      description: "Coffee.",
    });
    const id = await job({ ...live, place_id: listing });
    expect(await publicly(id)).toMatchObject({
      place_id: listing,
      company_name: "Café X",
      company_bio: "Coffee.",
    });
    await owner.update("places", `id=eq.${listing}`, { name: "Not approved yet" });
    expect(await publicly(id)).toMatchObject({ place_id: listing, company_name: "Café X" });
    await owner.update("places", `id=eq.${listing}`, { hidden: true });
    expect(await publicly(id)).toBeUndefined();

    const unlisted = await job({
      ...live,
      place_id: null,
      company_name: "Vets",
      company_bio: "Animals.",
    });
    expect(await publicly(unlisted)).toMatchObject({
      place_id: null,
      company_name: "Vets",
      company_bio: "Animals.",
    });
  });
});

describe("a job for a listing", () => {
  afterAll(() => sql("delete from public.orders"));
  const live = { paid: true, published: true, expiration_date: days(1) };
  const publicly = async (id: number) =>
    (await database.anonymous.select("public_jobs", `id=eq.${id}`)).rows[0];
  const preview = async (id: number, by = owner) =>
    (await by.call("preview_job", { job_id: id })).value;
  const listingOf = (by: Caller, columns: Row = {}) =>
    database.place({
      owner: by.id,
      name: "Secret Garden",
      description: "Secret words.",
      ...columns,
    });
  const isShownToOwner = async (id: number) => {
    const { rows } = (await owner.call("jobs_page", { page_rows: 1000 })).value as {
      rows: { id: number; names_company: boolean }[];
    };
    return rows.find((row) => row.id === id)?.names_company;
  };
  const openOrder = async (id: number, buyer: Caller, renew = false) =>
    (
      await database.service.call("open_order", {
        buyer: buyer.id,
        kind: "job",
        item_id: id,
        unit_price_cents: 500,
        days: 45,
        renew,
      })
    ).value;

  it.each([
    ["new", { status: "new" }],
    ["flagged", { status: "flagged" }],
    ["archived", { status: "archived" }],
    ["hidden", { hidden: true }],
    [
      "edited and hidden",
      { status: "pending-update", hidden: true, last_update: '{"name": "Old"}' },
    ],
  ])("that is %s does not name it, in public or in its preview", async (_, columns) => {
    const listing = await listingOf(owner, columns);
    const id = await job({ ...live, place_id: listing });
    expect(await publicly(id)).toBeUndefined();
    expect(await preview(id)).toMatchObject({ place_id: null, company_name: null, live: false });
    expect(JSON.stringify(await preview(id))).not.toContain("Secret");
    expect(await isShownToOwner(id)).toBe(false);
    // No one pays for a job that no one sees.
    for (const [one, renew] of [
      [await job({ place_id: listing }), false],
      [id, true],
    ] as const)
      expect(await openOrder(one, owner, renew)).toEqual({ refused: "company-not-public" });
  });

  it("names no other company, no matter who writes it: hiding the listing would not hide the job", async () => {
    const listing = await listingOf(owner, { hidden: true });
    const own = { company_name: "Own", company_bio: "Mine." };
    const none = { company_name: null, company_bio: null };
    const id = await job({ ...live, place_id: null, ...own });
    expect(await publicly(id)).toMatchObject(own);
    for (const changes of [{ place_id: listing }, own, { place_id: listing, ...own }]) {
      expect((await owner.update("jobs", `id=eq.${id}`, changes)).status).toBe(204);
      expect(await database.row("jobs", id)).toMatchObject({ place_id: listing, ...none });
      expect(await publicly(id)).toBeUndefined();
    }
    expect((await owner.update("jobs", `id=eq.${id}`, { place_id: null })).code).toBe("23514");
    const added = await owner.insert("jobs", { ...complete, place_id: listing, ...own });
    expect(added.status).toBe(201);
    expect(
      await database.row("jobs", await job({ ...live, place_id: listing, ...own })),
    ).toMatchObject(none);
  });

  it("shows the approved text while an edit waits", async () => {
    const listing = await listingOf(owner);
    const id = await job({ ...live, place_id: listing });
    await owner.update("places", `id=eq.${listing}`, { name: "Unread", description: "Unread." });
    for (const shown of [await publicly(id), await preview(id)])
      expect(shown).toMatchObject({ company_name: "Secret Garden", company_bio: "Secret words." });
    expect(await openOrder(await job({ place_id: listing }), owner)).toHaveProperty("order");
  });

  it("goes to the next owner once it was paid for, and can't be touched by the previous one", async () => {
    const heir = await database.person();
    const listing = await listingOf(owner);
    const paid = await job({ ...live, place_id: listing, owner_email: owner.email });
    const draft = await job({ place_id: listing, title: "Unfinished words" });
    await admin.update("places", `id=eq.${listing}`, { owner: heir.id });
    expect(await database.row("jobs", paid)).toMatchObject({
      owner: heir.id,
      owner_email: heir.email,
      published: true,
    });
    expect(await publicly(paid)).toMatchObject({ company_name: "Secret Garden" });
    expect((await owner.select("jobs", `id=eq.${paid}`)).rows).toEqual([]);
    expect((await owner.update("jobs", `id=eq.${paid}`, { title: "Mine" })).rows).toEqual([]);
    expect(await preview(paid)).toBeNull();
    expect((await heir.update("jobs", `id=eq.${paid}`, { title: "Theirs" })).rows).toHaveLength(1);

    // A draft stays with its author, and does not name the listing anymore.
    expect((await heir.select("jobs", `id=eq.${draft}`)).rows).toEqual([]);
    expect(await preview(draft)).toMatchObject({ company_name: null });
    expect(await openOrder(draft, owner)).toEqual({ refused: "company-not-public" });
    expect(await owner.update("jobs", `id=eq.${draft}`, { title: "Still here" })).toMatchObject({
      message: "job_place_not_yours",
    });
    const own = { place_id: null, company_name: "New Start", company_bio: "Words." };
    expect((await owner.update("jobs", `id=eq.${draft}`, own)).status).toBe(204);
    expect(await openOrder(draft, owner)).toHaveProperty("order");
  });

  it("that a previous owner still has, from before, is not shown under the name of the listing", async () => {
    const seller = await database.person();
    const listing = await listingOf(owner);
    const id = await job({ ...live, place_id: listing, owner: seller.id });
    expect(await publicly(id)).toBeUndefined();
    expect(await seller.update("jobs", `id=eq.${id}`, { description: "Lies." })).toMatchObject({
      message: "job_place_not_yours",
    });
    expect(await seller.update("jobs", `id=eq.${id}`, { published: false })).toMatchObject({
      status: 204,
    });
  });

  it("follows a listing that loses its owner, is claimed, or whose owner's account is deleted", async () => {
    const seller = await database.person();
    const listing = await listingOf(seller);
    const id = await job({ ...live, place_id: listing, owner: seller.id });
    await admin.update("places", `id=eq.${listing}`, { owner: null });
    expect(await database.row("jobs", id)).toMatchObject({ owner: null, owner_email: null });
    expect(await publicly(id)).toMatchObject({ company_name: "Secret Garden" });
    expect((await seller.select("jobs", `id=eq.${id}`)).rows).toEqual([]);

    const claimant = await database.person();
    await sql("update public.places set owner_email = $2 where id = $1", [listing, claimant.email]);
    await claimant.update("places", `id=eq.${listing}`, { name: "Secret Garden" });
    expect(await database.row("jobs", id)).toMatchObject({
      owner: claimant.id,
      owner_email: claimant.email,
    });

    expect((await admin.call("admin_delete_user", { userid: claimant.id })).value).toBe(true);
    expect(await database.row("jobs", id)).toMatchObject({ owner: null, owner_email: null });
    expect(await publicly(id)).toMatchObject({ company_name: "Secret Garden" });
  });

  it("has its owner's address, also when an admin gives them one that had no owner", async () => {
    const id = await job({ owner: null, owner_email: "former@example.test" });
    await admin.update("jobs", `id=eq.${id}`, { owner: owner.id });
    expect(await database.row("jobs", id)).toMatchObject({
      owner: owner.id,
      owner_email: owner.email,
    });
  });

  it("can't be added or edited by a manager of the listing", async () => {
    const manager = await database.person();
    const listing = await listingOf(owner);
    await sql("insert into public.listing_managers (place_id, profile_id) values ($1, $2)", [
      listing,
      manager.id,
    ]);
    expect(await manager.insert("jobs", { ...complete, place_id: listing })).toMatchObject({
      message: "job_place_not_yours",
    });
    const id = await job({ ...live, place_id: listing });
    expect((await manager.update("jobs", `id=eq.${id}`, { title: "Theirs" })).rows).toEqual([]);
  });
});

describe("pages of jobs", () => {
  interface Page {
    total: number;
    previous: number | null;
    next: number | null;
    rows: { id: number; owner?: string; owner_email?: string }[];
  }
  const page = async (by: Caller, args: Row) => (await by.call("jobs_page", args)).value as Page;
  const ids = ({ rows }: Page) => rows.map(({ id }) => id);

  it("list only the user's jobs, the newest first, in both directions", async () => {
    const me = await database.person();
    const made: number[] = [];
    for (let n = 0; n < 7; n++)
      made.unshift(await job({ owner: me.id, created_at: days(-10 + Math.floor(n / 2)) }));
    const walked: number[][] = [];
    let current = await page(me, { page_rows: 3 });
    for (; current.next !== null; current = await page(me, { page_rows: 3, after: current.next })) {
      expect(current.total).toBe(7);
      walked.push(ids(current));
    }
    walked.push(ids(current));
    expect(walked).toEqual([made.slice(0, 3), made.slice(3, 6), made.slice(6)]);
    const back = await page(me, { page_rows: 3, before: current.previous });
    expect(ids(back)).toEqual(made.slice(3, 6));
    expect(ids(await page(me, { page_rows: 3, before: back.previous }))).toEqual(made.slice(0, 3));
    expect((await page(me, { page_rows: 3 })).previous).toBeNull();
    // Someone else's job is not a valid cursor, just like one that does not exist.
    expect(ids(await page(me, { page_rows: 3, after: await job() }))).toEqual(made.slice(0, 3));
    expect((await page(me, {})).rows.every((row) => !("owner" in row))).toBe(true);
  });

  it("of everyone's jobs are for admins, filtered by state and text", async () => {
    for (const more of [{}, { search: "baker" }, { state: "filled" }]) {
      expect(await owner.call("jobs_page", { all_owners: true, ...more })).toMatchObject({
        code: "42501",
      });
    }
    const name = "Wanderwort";
    const made = {
      "pending-payment": await job({ title: `Café ${name}` }),
      published: await job({ title: name, paid: true, published: true, expiration_date: days(1) }),
      unpublished: await job({ title: `A ${name}`, paid: true, expiration_date: days(1) }),
      expired: await job({
        title: "B",
        place_id: null,
        company_name: name,
        company_bio: "Words.",
        paid: true,
        published: true,
        expiration_date: days(-1),
      }),
    };
    for (const [state, id] of Object.entries(made)) {
      expect(
        await page(admin, { all_owners: true, state, search: name.toLowerCase() }),
      ).toMatchObject({ total: 1, rows: [{ id, owner: owner.id }] });
    }
    expect(ids(await page(admin, { all_owners: true, search: "cafe wander" }))).toEqual([
      made["pending-payment"],
    ]);
    expect(ids(await page(admin, { all_owners: true, search: `${name} -cafe -a` }))).toEqual([
      made.expired,
      made.published,
    ]);
    expect(ids(await page(admin, { all_owners: true, state: "nonsense" }))).toEqual([]);
    for (const state of [undefined, ...Object.keys(made)]) {
      const { total, rows } = await page(admin, { all_owners: true, state, page_rows: 1000 });
      expect([state, total]).toEqual([state, rows.length]);
    }
  });
});

describe("a job that expires within five days", () => {
  const queueEmails = () => database.service.call("enqueue_expiring_job_emails");
  const listEmails = () =>
    sql(
      "select recipient, kind, data from private.email_queue where kind = 'job-expiring' order by created_at, (data ->> 'job_id')::bigint",
    );

  it("is announced to its owner once for each expiration date; no other job is", async () => {
    await sql("delete from public.jobs");
    const live = { paid: true, published: true };
    const id = await job({ ...live, title: "Bäcker:in", expiration_date: days(4.99) });
    await job({ ...live, expiration_date: days(5.01) });
    await job({ ...live, expiration_date: days(-0.01) });
    await job({ ...live, published: false, expiration_date: days(2) });
    await job({ ...live, filled_at: days(-1), expiration_date: days(2) });
    await job({
      ...live,
      owner: null,
      owner_email: "nobody@example.test",
      expiration_date: days(2),
    });
    await job({});

    for (let again = 0; again < 3; again++) await queueEmails();
    expect(await listEmails()).toMatchObject([
      { recipient: owner.id, kind: "job-expiring", data: { job_id: id, title: "Bäcker:in" } },
    ]);

    await sql("update public.jobs set expiration_date = $2 where id = $1", [id, days(50)]);
    await queueEmails();
    await sql("update public.jobs set expiration_date = $2 where id = $1", [id, days(3)]);
    await queueEmails();
    expect(await listEmails()).toHaveLength(2);
  });

  it("isn't announced to someone who has it no more, by an email that waited", async () => {
    await sql("delete from public.jobs");
    await sql("delete from private.email_queue");
    const place_id = await database.place({ owner: owner.id });
    await job({ paid: true, published: true, expiration_date: days(2), place_id });
    await queueEmails();
    const due = () =>
      sql(
        "select d.user_id from private.due_emails d join private.email_queue n using (id) where n.kind = 'job-expiring'",
      );
    expect(await due()).toEqual([{ user_id: owner.id }]);
    await sql("update public.places set owner = $2 where id = $1", [
      place_id,
      (await database.person()).id,
    ]);
    expect(await due()).toEqual([]);
  });

  it("is announced to the next owner of its listing, too, once", async () => {
    await sql("delete from public.jobs");
    await sql("delete from private.email_queue");
    const place_id = await database.place({ owner: owner.id });
    await job({ paid: true, published: true, expiration_date: days(2), place_id });
    await queueEmails();
    const next = await database.person();
    await sql("update public.places set owner = $2 where id = $1", [place_id, next.id]);
    for (let again = 0; again < 2; again++) await queueEmails();
    expect((await listEmails()).map(({ recipient }) => recipient)).toEqual([owner.id, next.id]);
  });

  it("isn't said to be unseen because of its listing, by an email that waited until it had ended", async () => {
    await sql("delete from public.jobs");
    await sql("delete from private.email_queue");
    await job({ paid: true, published: true, expiration_date: days(2) });
    await queueEmails();
    const due = () =>
      sql(
        "select from private.due_emails d join private.email_queue n using (id) where n.kind = 'job-expiring'",
      );
    expect(await due()).toHaveLength(1);
    await sql("update public.jobs set expiration_date = $1", [days(-1)]);
    await sql(
      "update private.email_queue set data = data || jsonb_build_object('expiration_date', (select j.expiration_date from public.jobs j))",
    );
    expect(await due()).toEqual([]);
  });

  it("is said to be seen only if it is when the email is sent, which may have waited", async () => {
    await sql("delete from public.jobs");
    await sql("delete from private.email_queue");
    const place_id = await database.place({ owner: owner.id });
    await job({ paid: true, published: true, expiration_date: days(2), place_id });
    await queueEmails();
    for (const hidden of [true, false]) {
      await sql("update public.places set hidden = $2 where id = $1", [place_id, hidden]);
      await sql("update private.email_queue set next_try_at = now()");
      const { rows } = await database.service.call("lease_emails", { max_emails: 50 });
      const sent = rows.filter(({ kind }) => kind === "job-expiring");
      expect(sent).toMatchObject([{ data: { shown: !hidden } }]);
    }
  });

  it("isn't announced while a payment for more days is on its way, and is when that fails", async () => {
    await sql("delete from public.jobs");
    await sql("delete from private.email_queue");
    const id = await job({ paid: true, published: true, expiration_date: days(2) });
    const pay = (status: string) =>
      sql(
        `insert into public.orders (kind, job_id, days, unit_price_cents, owner, status)
          values ('job', $1, 45, 3000, $2, $3)`,
        [id, owner.id, status],
      );
    const due = async () =>
      (await sql("select d.id from private.due_emails d join private.email_queue n using (id)"))
        .length;
    await pay("processing");
    await queueEmails();
    expect(await listEmails()).toEqual([]);
    await sql("update public.orders set status = 'failed' where job_id = $1", [id]);
    await queueEmails();
    expect([(await listEmails()).length, await due()]).toEqual([1, 1]);
    // One that waits isn't sent, either.
    await sql("update public.orders set status = 'canceled' where job_id = $1", [id]);
    await pay("processing");
    expect(await due()).toBe(0);
    await sql("update public.orders set status = 'canceled' where job_id = $1", [id]);
  });

  it("is announced as one that no one sees, while its listing is hidden", async () => {
    await sql("delete from public.jobs");
    await sql("delete from private.email_queue");
    const [open, hidden] = [
      await database.place({ owner: owner.id }),
      await database.place({ owner: owner.id, hidden: true }),
    ];
    for (const place_id of [open, hidden])
      await job({
        paid: true,
        published: true,
        expiration_date: days(2),
        place_id,
        company_name: null,
        company_bio: null,
      });
    await queueEmails();
    expect((await listEmails()).map(({ data }) => (data as Row)["shown"])).toEqual([true, false]);
  });
});

it("counts jobs by their current state", async () => {
  await sql("delete from public.jobs");
  await job();
  await job({ paid: true, published: true, expiration_date: days(1) });
  await job({ paid: true, published: false, expiration_date: days(1) });
  await job({ paid: true, published: true, expiration_date: days(-1) });
  await job({ paid: true, published: false, expiration_date: days(-1) });
  expect((await admin.call("get_jobs_counts")).value).toEqual({
    total: 5,
    unpaid: 1,
    published: 1,
    unpublished: 1,
    expired: 2,
  });
});
