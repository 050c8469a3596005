import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";

import { ADDRESS_COLUMNS, LISTING_FIELD_NAMES } from "~/modules/listings/fields";

import { type Caller, completeListing, startDatabase } from "./support/data-api";

const database = await startDatabase();
const { sql } = database;
let owner: Caller;
let other: Caller;
let admin: Caller;

beforeAll(async () => {
  owner = await database.person();
  other = await database.person();
  admin = await database.person({ admin: true });
});

const edit = (by: Caller, id: number, row: object) =>
  by.update("places", `id=eq.${id}`, { ...row });
const place = (id: number) => database.row("places", id);
async function publicPlace(id: number) {
  const { rows } = await database.anonymous.select("public_places", `id=eq.${id}`);
  return rows[0];
}

describe("a new listing", () => {
  it("is new and the sender's, whatever else was sent", async () => {
    const answer = await owner.insert("places", {
      ...completeListing,
      submission_id: randomUUID(),
      name: "  Guarded  ",
      status: "published",
      owner: other.id,
      owner_email: "victim@example.test",
      premium: true,
      premium_created_at: "2020-01-01",
      stripe_cus_id: "cus_x",
      stripe_subscription_id: "sub_x",
      subscription_status: "active",
      proxi_id: "map-1",
      last_update: { name: "x" },
      changes_requested: "x",
      version: 40,
      created_at: "2020-01-01",
      modified_at: "2020-01-01",
      waiting_since: "2020-01-01",
    });
    expect(answer.status).toBe(201);
    const [made] = await sql("select * from public.places where name = 'Guarded'");
    expect(made).toMatchObject({
      status: "new",
      owner: owner.id,
      owner_email: owner.email,
      premium: false,
      premium_created_at: null,
      stripe_cus_id: null,
      stripe_subscription_id: null,
      subscription_status: null,
      proxi_id: null,
      last_update: {},
      changes_requested: null,
      version: 1,
      waiting_since: null,
    });
    expect(new Date(String(made?.created_at)).getFullYear()).toBeGreaterThan(2020);
    expect(new Date(String(made?.modified_at)).getFullYear()).toBeGreaterThan(2020);
  });

  it("is added once, however often its form is sent", async () => {
    const form = { ...completeListing, submission_id: randomUUID() };
    expect((await owner.insert("places", form)).status).toBe(201);
    expect(await owner.insert("places", form)).toMatchObject({ status: 409, code: "23505" });
    // Tokens are per owner: the same token of another owner is a different one.
    expect((await other.insert("places", form)).status).toBe(201);
  });

  it("of two people who chose the same token are two, also once neither has an owner anymore", async () => {
    const submission_id = randomUUID();
    for (const by of [owner, other])
      expect(await by.insert("places", { ...completeListing, submission_id })).toMatchObject({
        status: 201,
      });
    for (const by of [owner, other]) {
      const [made] = await sql(
        "select id from public.places where owner = $1 and submission_id = $2",
        [by.id, submission_id],
      );
      await sql("update public.places set owner = null where id = $1", [made!.id]);
      expect(await place(made!.id as number)).toMatchObject({ owner: null, submission_id: null });
    }
  });

  it("cannot choose its id", async () => {
    expect((await owner.insert("places", { ...completeListing, id: 999_999 })).status).toBe(400);
  });

  const refused: [string, object, string][] = [
    ["no description", { description: " " }, "description_missing"],
    ["no address", { rawaddress: "" }, "address_missing"],
    ["no consent", { third_party_auth: false }, "listing_consent_missing"],
    ["no certification", { certified_queer: false }, "certification_missing"],
    ["a therapist licensed nowhere", { category: 2 }, "licensed_locations_missing"],
    [
      "a community group without queer programming",
      { category: 14, mission_statement: true },
      "community_group_not_serving",
    ],
    ["category 40", { category: 40 }, "category_unknown"],
    ["a job category", { category: 85 }, "category_unknown"],
    ["an online shopping category as its own", { category: 50 }, "category_unknown"],
    ["a category that does not exist", { category: 12345 }, "category_unknown"],
    [
      "an online category that is none",
      { category: 12, online_categories: [50, 4] },
      "online_category_unknown",
    ],
  ];
  it.each(refused)("is refused with %s", async (_, fields, message) => {
    expect(await owner.insert("places", { ...completeListing, ...fields })).toMatchObject({
      code: "P0001",
      message,
    });
  });

  const impossible: [string, object][] = [
    ["a url of javascript:", { url: "javascript:alert(1)" }],
    ["a url of data:", { url: "data:text/html,x" }],
    ["a url with backslashes", { url: "https:\\\\x" }],
    ["a url that names another host before an @", { url: "https://good.example@evil.example" }],
    ["a url without a host", { url: "https://" }],
    ["a social handle with a scheme", { instagram: "javascript:alert(1)" }],
    ["a linkedin that is no link", { linkedin: "someone" }],
    ["a latitude off the earth", { lat: 90.1, long: 0 }],
    ["a longitude off the earth", { lat: 0, long: -180.5 }],
    ["half a position", { lat: 10 }],
    ["an empty name", { name: "   " }],
    ["a name of 201 characters", { name: "x".repeat(201) }],
    ["a description of 5,001 characters", { description: "x".repeat(5001) }],
    ["an email without an @", { public_email: "nobody" }],
  ];
  it.each(impossible)("is refused with %s", async (_, fields) => {
    expect(await owner.insert("places", { ...completeListing, ...fields })).toMatchObject({
      code: "23514",
    });
  });

  it("stores text exactly as typed, if it is one line where it has to be", async () => {
    const name = "Łuna’s <b>Café</b> é 🏳️‍🌈";
    const fields = {
      name,
      description: "Two\nlines \u2028 ",
      url: "https://example.test/@name?a=b:c",
      tiktok: "@luna",
      youtube: "https://youtube.com/@luna",
    };
    expect((await owner.insert("places", { ...completeListing, ...fields })).status).toBe(201);
    expect(
      (await owner.select("places", `name=eq.${encodeURIComponent(`"${name}"`)}`)).rows[0],
    ).toMatchObject(fields);
  });
});

describe("an owner's edit", () => {
  it("changes no column that is not the owner's", async () => {
    const id = await database.place({ owner: owner.id, owner_email: owner.email });
    const all = await sql(
      `select attname as name, format_type(atttypid, null) as type from pg_attribute
       where attrelid = 'public.places'::regclass and attnum > 0 and not attisdropped and attidentity = ''
         and attname not in ('status', 'version', 'modified_at', 'waiting_since', 'removal_requested_at')`,
    );
    const writable = [...LISTING_FIELD_NAMES, ...ADDRESS_COLUMNS, "hidden", "archive_requested"];
    const columns = all.filter(({ name }) => !writable.includes(String(name)));
    expect(columns.length).toBeGreaterThan(12);
    const sent: Record<string, unknown> = {
      boolean: true,
      jsonb: { name: "forged" },
      uuid: other.id,
      text: "forged@example.test",
      "timestamp with time zone": "2020-01-01T00:00:00Z",
      tsvector: "'forged'",
    };
    const before = await place(id);
    for (const { name, type } of columns) {
      const answer = await edit(owner, id, {
        [String(name)]: sent[String(type)],
        phone: `+1 505-555-${String(name).length}-${String(name)}`.slice(0, 40),
      });
      expect([name, answer.status]).toEqual([name, 204]);
      const after = await place(id);
      const kept = name === "last_update" ? { phone: null } : before[String(name)];
      expect([name, after[String(name)]]).toEqual([name, kept]);
    }
  });

  it("of a published listing waits for review and leaves the public row as it was", async () => {
    const id = await database.place({ owner: owner.id, lat: 35.083_219_7, long: -106.6 });
    const shown = await publicPlace(id);
    await edit(owner, id, {
      name: "New name",
      lat: 35.1,
      online_categories: [],
      licensed_locations: ["Utah"],
      online: true,
    });
    expect(await place(id)).toMatchObject({
      status: "pending-update",
      version: 2,
      last_update: { name: "Café X", lat: 35.083_219_7, licensed_locations: [], online: false },
    });
    expect(await publicPlace(id)).toEqual(shown);

    // After a second edit, the approved values are still those of before the first.
    await edit(owner, id, { name: "Newer name", phone: "+1 505-555-0100" });
    expect((await place(id)).last_update).toMatchObject({ name: "Café X", phone: null });
    expect(await publicPlace(id)).toEqual(shown);

    // A field that is reverted no longer waits.
    await edit(owner, id, { name: "Café X" });
    expect((await place(id)).last_update).not.toHaveProperty("name");
    expect(await place(id)).toMatchObject({ status: "pending-update" });
  });

  it.each([
    [2, { licensed_locations: ["Utah"] }],
    [12, { online_categories: [51] }],
    [14, { queer_programming: true, mission_statement: true }],
  ])("to another category than %s takes away what only that asks", async (category, answers) => {
    const none = {
      online_categories: [],
      licensed_locations: [],
      queer_programming: false,
      mission_statement: false,
    };
    const id = await database.place({ owner: owner.id, category, ...answers });
    await edit(owner, id, { category: 4 });
    expect(await place(id)).toMatchObject({ category: 4, ...none, status: "pending-update" });
    expect(await publicPlace(id)).toMatchObject(answers);
    await edit(owner, id, { category, ...answers });
    expect(await place(id)).toMatchObject({ ...answers, status: "published", last_update: {} });

    await edit(admin, id, { category: 4 });
    expect(await publicPlace(id)).toMatchObject({ category: 4, ...none });
    await owner.insert("places", { ...completeListing, name: `New ${category}`, ...answers });
    const [made] = await sql("select * from public.places where name = $1", [`New ${category}`]);
    expect(made).toMatchObject(none);
  });

  it("that reverts everything leaves nothing to review", async () => {
    const id = await database.place({ owner: owner.id });
    await edit(owner, id, { name: "New name", url: "https://example.test" });
    await edit(owner, id, { name: "Café X", url: null });
    expect(await place(id)).toMatchObject({ status: "published", last_update: {} });
  });

  it("that changes nothing changes nothing", async () => {
    const id = await database.place({ owner: owner.id });
    const before = await place(id);
    expect(
      (await edit(owner, id, { name: "Café X", status: "new", premium: true, category: 4 })).rows,
    ).toHaveLength(1);
    expect(await place(id)).toEqual(before);
  });

  it("that hides it or requests its removal needs no review", async () => {
    const id = await database.place({ owner: owner.id });
    await edit(owner, id, { hidden: true, archive_requested: true });
    expect(await place(id)).toMatchObject({
      status: "published",
      hidden: true,
      archive_requested: true,
      // Open forms stay valid.
      version: 1,
    });
    expect(await publicPlace(id)).toBeUndefined();
    await edit(owner, id, { hidden: false });
    expect(await publicPlace(id)).toBeDefined();
  });

  it.each(["new", "flagged", "archived"])(
    "of a listing that is %s leaves its status",
    async (status) => {
      const id = await database.place({ owner: owner.id, status });
      await edit(owner, id, { name: "New name", status: "published" });
      expect(await place(id)).toMatchObject({ status, name: "New name", last_update: {} });
      expect(await publicPlace(id)).toBeUndefined();
    },
  );

  it("clears a request for changes", async () => {
    const id = await database.place({
      owner: owner.id,
      status: "new",
      changes_requested: "Which street?",
    });
    await edit(owner, id, { hidden: true });
    expect(await place(id)).toMatchObject({ changes_requested: "Which street?" });
    await edit(owner, id, { rawaddress: "2 Main St, Albuquerque" });
    expect(await place(id)).toMatchObject({ changes_requested: null });
  });

  it("back to its former category has the answers that were approved", async () => {
    const id = await database.place({ owner: owner.id });
    await edit(owner, id, { category: 2, licensed_locations: ["Utah"], name: "Café Y" });
    await edit(owner, id, { category: 4 });
    expect(await place(id)).toMatchObject({
      licensed_locations: [],
      last_update: { name: "Café X" },
    });
    const therapist = await database.place({
      owner: owner.id,
      category: 2,
      licensed_locations: ["Utah"],
    });
    await edit(owner, therapist, { category: 4 });
    await edit(owner, therapist, { category: 2 });
    expect(await place(therapist)).toMatchObject({
      licensed_locations: ["Utah"],
      status: "published",
      last_update: {},
    });
  });

  it("can't withdraw the consent to a public listing", async () => {
    const id = await database.place({ owner: owner.id });
    expect(await edit(owner, id, { third_party_auth: false })).toMatchObject({ code: "P0001" });
  });

  it("of an older version finds no row", async () => {
    const id = await database.place({ owner: owner.id });
    expect(
      (await owner.update("places", `id=eq.${id}&version=eq.1`, { name: "First" })).rows,
    ).toHaveLength(1);
    expect(
      (await owner.update("places", `id=eq.${id}&version=eq.1`, { name: "Second" })).rows,
    ).toHaveLength(0);
    expect(await place(id)).toMatchObject({ name: "First", version: 2 });
  });
});

it("a hidden listing whose owner has asked for its removal can be shown again only by them", async () => {
  const manager = await database.person();
  for (const status of ["published", "pending-update"]) {
    const id = await database.place({
      owner: owner.id,
      status,
      hidden: true,
      archive_requested: true,
    });
    await sql("insert into public.listing_managers (place_id, profile_id) values ($1, $2)", [
      id,
      manager.id,
    ]);
    const show = { hidden: false };
    for (const answer of [
      await manager.update("managed_places", `id=eq.${id}`, show),
      await admin.update("places", `id=eq.${id}`, show),
    ])
      expect(answer).toMatchObject({ status: 400, message: "removal_requested" });
    expect(await place(id)).toMatchObject({ hidden: true });
    // Everything else can be changed, and its owner decides.
    expect(
      (await manager.update("managed_places", `id=eq.${id}`, { phone: "+1 505-555-0142" })).status,
    ).toBe(204);
    expect((await owner.update("places", `id=eq.${id}`, show)).status).toBe(204);
    expect(await place(id)).toMatchObject({ hidden: false, archive_requested: true });
  }
});

describe("an admin's edit", () => {
  it("publishes no listing that its owner has asked to remove, unless it is given to someone else", async () => {
    for (const status of ["new", "flagged", "archived"]) {
      const id = await database.place({ owner: owner.id, status, archive_requested: true });
      for (const shown of ["published", "pending-update"])
        expect(await edit(admin, id, { status: shown })).toMatchObject({
          status: 400,
          message: "removal_requested",
        });
      expect(await place(id)).toMatchObject({ status, version: 1 });
      // Everything else can be changed.
      expect((await edit(admin, id, { name: "Café Y" })).status).toBe(204);
      expect((await edit(admin, id, { status: "published", owner: other.id })).status).toBe(204);
      expect(await place(id)).toMatchObject({ status: "published", archive_requested: false });
    }
    const live = await database.place({ owner: owner.id, archive_requested: true });
    expect((await edit(admin, live, { status: "pending-update" })).status).toBe(204);
    expect((await edit(admin, live, { status: "published" })).status).toBe(204);
  });

  it("may set any status and the owner, and is published at once", async () => {
    const id = await database.place({ owner: owner.id });
    await edit(admin, id, {
      name: "By the team",
      owner: other.id,
      owner_email: " Other@Example.TEST ",
    });
    expect(await place(id)).toMatchObject({
      status: "published",
      owner: other.id,
      owner_email: "other@example.test",
      last_update: {},
    });
    expect(await publicPlace(id)).toMatchObject({ name: "By the team" });
    for (const status of ["flagged", "archived", "new", "pending-update", "published"]) {
      expect((await edit(admin, id, { status })).status).toBe(204);
      expect(await place(id)).toMatchObject({ status });
    }
    expect(await edit(admin, id, { status: "deleted" })).toMatchObject({ code: "23514" });
  });

  it("makes no more live than was approved, when an edit waited while the listing was taken off", async () => {
    for (const status of ["flagged", "archived", "new"]) {
      const id = await database.place({ owner: owner.id });
      const shown = await publicPlace(id);
      await edit(owner, id, { name: "New name" });
      await edit(admin, id, { status, description: "Corrected." });
      await edit(owner, id, { url: "https://elsewhere.example", name: "Newer name" });
      // The review shows all of it, not only what waited before.
      expect(await place(id)).toMatchObject({
        status,
        last_update: { name: "Café X", description: "A café for everybody.", url: null },
      });
      await edit(admin, id, { status: "pending-update" });
      expect(await publicPlace(id)).toEqual(shown);
      await edit(admin, id, { status });
      // Back to what was approved, it stays where the team has put it.
      await edit(owner, id, { name: "Café X", description: "A café for everybody.", url: null });
      expect(await place(id)).toMatchObject({ status, last_update: {} });
    }
  });

  it("is none when the address of an owner is the same but for its case and spaces", async () => {
    const id = await database.place({ owner: null, owner_email: "someone@example.test" });
    const before = await place(id);
    await edit(admin, id, { owner_email: " Someone@Example.TEST " });
    expect(await place(id)).toEqual(before);
  });

  it("of a pending listing waits with its edit", async () => {
    const id = await database.place({ owner: owner.id });
    await edit(owner, id, { name: "New name" });
    await edit(admin, id, { description: "Corrected spelling." });
    expect(await place(id)).toMatchObject({
      status: "pending-update",
      last_update: { name: "Café X", description: "A café for everybody." },
    });
    await edit(admin, id, { status: "published" });
    expect(await place(id)).toMatchObject({ status: "published", last_update: {} });
    expect(await publicPlace(id)).toMatchObject({
      name: "New name",
      description: "Corrected spelling.",
    });
  });
});

describe("what the public sees", () => {
  it("contains nothing private", async () => {
    const id = await database.place({ owner: owner.id });
    const columns = Object.keys((await publicPlace(id))!);
    for (const hidden of [
      "owner",
      "owner_email",
      "mailingaddress",
      "rawaddress",
      "third_party_auth",
      "last_update",
      "stripe_cus_id",
      "stripe_subscription_id",
      "changes_requested",
      "version",
      "submission_id",
    ]) {
      expect(columns).not.toContain(hidden);
    }
  });

  it("contains published listings, and the approved version of pending ones", async () => {
    for (const [status, shown] of [
      ["new", false],
      ["flagged", false],
      ["archived", false],
      ["pending-update", true],
      ["published", true],
    ] as const) {
      const id = await database.place({ status });
      expect([status, (await publicPlace(id)) !== undefined]).toEqual([status, shown]);
    }
  });

  it("can't be filtered by private columns", async () => {
    expect(
      (await database.anonymous.select("public_places", "owner_email=eq.somebody@example.test"))
        .status,
    ).toBe(400);
    const stranger = await database.person();
    expect(
      (await stranger.select("places", "select=id,owner_email&status=eq.published")).rows,
    ).toEqual([]);
  });
});

it("sets the owner email when an admin changes the owner, and clears it with the owner", async () => {
  const [admin, other] = [await database.person({ admin: true }), await database.person()];
  const id = await database.place({ owner: owner.id, owner_email: owner.email });
  for (const [change, owner_email] of [
    [{ owner: other.id }, other.email],
    [{ owner: null }, null],
    [{ owner: other.id, owner_email: "desk@example.test" }, "desk@example.test"],
    [{ description: "Corrected." }, "desk@example.test"],
  ] as const) {
    await admin.update("places", `id=eq.${id}`, change);
    expect(await database.row("places", id)).toMatchObject({ owner_email, status: "published" });
  }
});

it("logs every change, without contact details", async () => {
  const id = await database.place({ owner: owner.id, status: "new" });
  await edit(owner, id, {
    name: "New name",
    phone: "+1 505-555-0100",
    public_email: "me@example.test",
  });
  const entries = await sql(
    "select * from public.audit_log where subject = 'places' and subject_id = $1 order by id",
    [String(id)],
  );
  expect(entries).toMatchObject([
    { action: "insert", actor: null, actor_role: "system" },
    {
      action: "update",
      actor: owner.id,
      actor_role: "authenticated",
      before: { name: "Café X", phone: null, public_email: null },
      after: { name: "New name", phone: "[withheld]", public_email: "[withheld]" },
    },
  ]);
  expect(JSON.stringify(entries)).not.toMatch(/@example|555-0100/);
  await expect(sql("delete from public.audit_log")).rejects.toThrow(/append_only/);
  await expect(sql("update public.audit_log set action = 'x'")).rejects.toThrow(/append_only/);
  await expect(sql("truncate public.audit_log cascade")).rejects.toThrow(/append_only/);
});
