/**
 * Text of one line is one line, and looks like what it is; and no list holds a text without a limit. Straight
 * at the data API. The guards call with_one_line and validate_place_categories for it.
 */
import { beforeAll, describe, expect, it } from "vitest";

import { toOneLine } from "~/text/one-line";

import { type Caller, completeListing, type Row, startDatabase } from "./support/data-api";

const database = await startDatabase();
const { sql, person, place } = database;
const row = (table: string, id: unknown) => database.row(table, id);
let owner: Caller;
let admin: Caller;
let listing = 0;

beforeAll(async () => {
  owner = await person();
  admin = await person({ admin: true });
  listing = await place({ owner: owner.id });
});

/** As it is sent, and as it is stored. */
const DIRTY =
  "\u200DA\r\nBcc\u3000\xA0x\u034F\u0007\u0085\u2028y\u202E\u2066z\u2069\u200E\u200F\u061C\u200B\u2060\uFEFF\u3164\u2800\u115F\u{1D159}\u{13441}\u{13442}";
const CLEAN = "A Bcc x yz";
/** The same for text of several lines. */
const DIRTY_LINES = "One\r\n\tTwo\u0007\u0085 \u202Ethree\u2066\u2069\u200F\u200B";
const CLEAN_LINES = "One\r\n\tTwo three";

/** Text columns of the tables that users write, and those that may have several lines or are no one's free text. */
const NOT_ONE_LINE: Record<string, string[]> = {
  // Links, addresses, and handles come below, with a value that their checks accept.
  places: [
    "description",
    "status",
    "subscription_status",
    "changes_requested",
    "proxi_id",
    "name_key",
    "stripe_cus_id",
    "stripe_subscription_id",
  ],
  jobs: ["description", "company_bio", "ally_safety"],
  sponsorships: ["promo_text"],
  profiles: ["email", "stripe_customer_id"],
  leads: ["message", "notes", "state"],
  events: ["event_name", "note", "state"],
  feedback: ["feedback"],
  saved_views: [],
  email_preferences: ["kind"],
  // Its check accepts no white space.
  listing_drafts: ["form"],
};
/** No check accepts white space in an address, and none of these characters is left in it. */
const ADDRESSES: Record<string, string[]> = {
  places: ["owner_email"],
  jobs: ["owner_email"],
  leads: ["requester_email"],
};

/** A row for each table, with this text in every column of one line. */
const SENT: Record<
  string,
  () => { by: Caller; row: Row; id?: unknown; link: string[]; text: string[] }
> = {
  places: () => ({
    by: owner,
    row: completeListing,
    link: ["url", "linkedin"],
    text: [
      "name",
      "phone",
      "rawaddress",
      "address",
      "city",
      "state",
      "country",
      "postalcode",
      "mailingaddress",
      "tiktok",
      "instagram",
      "xtwitter",
      "youtube",
      "facebook",
    ],
  }),
  jobs: () => ({
    by: owner,
    row: { category: 85, description: "Bake.", location: ["New Mexico"], company_bio: "Words." },
    link: ["url"],
    text: ["title", "pay_range", "city", "company_name"],
  }),
  sponsorships: () => ({
    by: owner,
    row: { place_id: listing, promo_text: "Come in" },
    link: ["link"],
    text: ["location", "photo_location"],
  }),
  leads: () => ({
    by: owner,
    row: { place_id: listing, message: "Hello" },
    link: [],
    text: ["requester_name"],
  }),
  feedback: () => ({ by: owner, row: { feedback: "Lovely" }, link: [], text: ["os"] }),
  saved_views: () => ({ by: admin, row: { filter: {} }, link: [], text: ["name"] }),
};

describe("every text column that users write", () => {
  it("is known here, as one line or not", async () => {
    const columns = await sql(
      `select distinct c.table_name as t, c.column_name as c from information_schema.columns c
       join information_schema.column_privileges p on p.table_schema = c.table_schema
         and p.table_name = c.table_name and p.column_name = c.column_name
       where c.table_schema = 'public' and c.data_type = 'text' and p.grantee = 'authenticated'
         and p.privilege_type in ('INSERT', 'UPDATE')
         and exists (select from pg_class r where r.oid = format('public.%I', c.table_name)::regclass and r.relkind = 'r')
       order by 1, 2`,
    );
    const unknown = columns.filter(({ t, c }) => {
      const [table, column] = [String(t), String(c)];
      if (table === "profiles" && ["full_name", "phone", "pronouns", "postalcode"].includes(column))
        return false;
      const sent = SENT[table]?.();
      const known = [
        ...(sent?.link ?? []),
        ...(sent?.text ?? []),
        ...(NOT_ONE_LINE[table] ?? []),
        ...(ADDRESSES[table] ?? []),
        ...(table === "places" ? ["public_email"] : []),
      ];
      return !known.includes(column);
    });
    expect(unknown, "Clean these in the guard of their table, or say here why not.").toEqual([]);
    expect(columns.length).toBeGreaterThan(30);
  });

  it.each(Object.keys(SENT))(
    "of %s is stored without line breaks and changes of direction",
    async (table) => {
      const { by, row: more, link, text } = SENT[table]!();
      const dirty = {
        ...Object.fromEntries(text.map((column) => [column, DIRTY])),
        ...Object.fromEntries(link.map((column) => [column, "https://example.test/a\u202Eb"])),
      };
      expect(await by.insert(table, { ...more, ...dirty })).toMatchObject({ status: 201 });
      const expected = {
        ...Object.fromEntries(text.map((column) => [column, CLEAN])),
        ...Object.fromEntries(link.map((column) => [column, "https://example.test/ab"])),
      };
      const stored = async () =>
        (await sql(`select * from public.${table} order by created_at desc, id desc limit 1`))[0]!;
      expect(await stored()).toMatchObject(expected);
      if (["leads", "feedback"].includes(table)) return;
      const { id } = await stored();
      await by.update(table, `id=eq.${String(id)}`, dirty);
      expect(await stored()).toMatchObject(expected);
    },
  );

  it("of a listing, by an admin too; and its text of several lines keeps them", async () => {
    const description = "One\n\nTwo\r\nThree";
    await admin.update("places", `id=eq.${listing}`, {
      name: DIRTY,
      description,
      public_email: "a\u202Eb@example.test",
    });
    expect(await row("places", listing)).toMatchObject({
      name: CLEAN,
      description,
      public_email: "ab@example.test",
    });
  });

  it("of a profile, from the sign-up on", async () => {
    const someone = await person({ data: { full_name: DIRTY, pronouns: DIRTY } });
    expect(await row("profiles", someone.id)).toMatchObject({ full_name: CLEAN, pronouns: CLEAN });
    const columns = ["full_name", "pronouns", "postalcode", "phone"];
    await someone.update(
      "profiles",
      `id=eq.${someone.id}`,
      Object.fromEntries(columns.map((column) => [column, DIRTY])),
    );
    expect(await row("profiles", someone.id)).toMatchObject(
      Object.fromEntries(columns.map((column) => [column, CLEAN])),
    );
  });

  it.each<[table: string, columns: string[], row: () => Row]>([
    ["places", ["description"], () => completeListing],
    [
      "jobs",
      ["description", "company_bio", "ally_safety"],
      () => ({ title: "Baker", category: 85, company_name: "X", location: ["New Mexico"] }),
    ],
    ["sponsorships", ["promo_text"], () => ({ place_id: listing })],
    ["leads", ["message"], () => ({ place_id: listing, requester_name: "Kai" })],
    ["feedback", ["feedback"], () => ({})],
  ])("of %s keeps its lines, and nothing that no one sees", async (table, columns, rest) => {
    const texts = (text: string) => Object.fromEntries(columns.map((column) => [column, text]));
    expect(await owner.insert(table, { ...rest(), ...texts(DIRTY_LINES) })).toMatchObject({
      status: 201,
    });
    const [stored] = await sql(
      `select * from public.${table} order by created_at desc, id desc limit 1`,
    );
    expect(stored).toMatchObject(texts(CLEAN_LINES));
  });

  it("of a report, of the notes on it and on a lead, and of a reason keeps nothing that no one sees", async () => {
    const sent = await owner.insert("events", {
      event_name: "report_listing",
      place: listing,
      data: { reason: "Closed \u202Eyes", info: "I was there\u200F", more: DIRTY_LINES, times: 2 },
    });
    expect(sent).toMatchObject({ status: 201 });
    const [report] = await sql("select id, data from public.events order by id desc limit 1");
    expect(report!["data"]).toEqual({
      reason: "Closed yes",
      info: "I was there",
      more: CLEAN_LINES,
      times: 2,
    });
    await admin.update("events", `id=eq.${String(report!["id"])}`, { note: DIRTY_LINES });
    expect(await row("events", report!["id"])).toMatchObject({ note: CLEAN_LINES });
    const [lead] = await sql("select id from public.leads order by id desc limit 1");
    await owner.update("leads", `id=eq.${String(lead!["id"])}`, { notes: DIRTY_LINES });
    expect(await row("leads", lead!["id"])).toMatchObject({ notes: CLEAN_LINES });
    const mine = await place({ owner: owner.id, status: "new" });
    await sql("update public.places set changes_requested = $2 where id = $1", [mine, DIRTY_LINES]);
    expect(await row("places", mine)).toMatchObject({ changes_requested: CLEAN_LINES });
  });

  it("has no character that browsers don't show, but those that join or vary what is before them", async () => {
    const joining = [
      [0x180b, 0x180d],
      [0x180f, 0x180f],
      [0x200c, 0x200d],
      [0xfe00, 0xfe0f],
      [0xe0020, 0xe007f],
      [0xe0100, 0xe01ef],
    ] as const;
    const sent = Array.from({ length: 0x110000 }, (_, code) => code)
      .filter((code) => code < 0xd800 || code > 0xdfff)
      .filter((code) => !joining.some(([first, last]) => code >= first && code <= last))
      .map((code) => String.fromCodePoint(code))
      .filter((character) => /\p{Default_Ignorable_Code_Point}/u.test(character));
    const kept = await sql(
      "select c from unnest($1::text[]) c where private.one_line('A' || c || 'B') <> 'AB'",
      [sent],
    );
    const codes = (all: string[]) => all.map((one) => one.codePointAt(0)!.toString(16));
    expect(codes(kept.map(({ c }) => String(c)))).toEqual([]);
    expect(codes(sent.filter((one) => toOneLine(`A${one}B`) !== "AB"))).toEqual([]);
  });

  it("keeps what is harmless: other scripts and their marks, emoji, and symbols", async () => {
    for (const name of [
      "مقهى X",
      "קפה X",
      "می\u200Cخواهم",
      "カフェ",
      "👩‍❤️‍👩 & Söhne",
      "🏴\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F}",
      "“Café” – X/Y",
    ]) {
      await owner.update("places", `id=eq.${listing}`, { name });
      expect(await row("places", listing)).toMatchObject({ name });
    }
  });
});

/** A joiner joins nothing where a word begins, but what comes before it here is only removed with the next cleaning. */
const NOTHING = ["\u0001\u200D", "\xA0\uFE0F", "\u2003\u200C", "\x85\u180B", "\u200B\n\u{E0041}"];

describe("what is stored is cleaned again with each change of its row, so that", () => {
  it("it stays as it is", async () => {
    const pieces = [
      "A",
      " ",
      "\n",
      "\u0001",
      "\x85",
      "\xA0",
      "\u3000",
      "\u200B",
      "\u200D",
      "\uFE0F",
    ];
    const texts = pieces.flatMap((a) =>
      pieces.flatMap((b) => pieces.flatMap((c) => pieces.map((d) => a + b + c + d))),
    );
    for (const clean of ["one_line", "many_lines"]) {
      const [{ changed }] = (await sql(
        `select coalesce(array_agg(t), '{}') as changed from unnest($1::text[]) t,
           lateral (select private.${clean}(t) as once offset 0) c where private.${clean}(c.once) <> c.once`,
        [texts],
      )) as [Row];
      expect(changed, clean).toEqual([]);
    }
  });

  it.each(NOTHING)(
    "no one keeps a listing from being hidden by a name of nothing: %j",
    async (name) => {
      const id = await place({ owner: owner.id });
      const manager = await person();
      await sql("insert into public.listing_managers (place_id, profile_id) values ($1, $2)", [
        id,
        manager.id,
      ]);
      expect(await manager.update("managed_places", `id=eq.${id}`, { name })).toMatchObject({
        code: "23514",
      });
      expect(await owner.update("places", `id=eq.${id}`, { hidden: true })).toMatchObject({
        status: 204,
      });
      expect(await row("places", id)).toMatchObject({ hidden: true, status: "published" });
    },
  );

  it.each([
    ["is changed no more than that", "Café\xA0X"],
    ["is so nevertheless, where its name wouldn't be accepted", "\u200D"],
  ])("a listing from before a rule, when it is hidden, %s", async (_, name) => {
    // It lacks what the form asks for.
    const id = await place({ owner: owner.id, certified_queer: false, description: null });
    await sql("alter table public.places disable trigger user");
    await sql("update public.places set name = $2 where id = $1", [id, name]);
    await sql("alter table public.places enable trigger user");
    for (const change of [{ hidden: true }, { archive_requested: true }])
      expect(await owner.update("places", `id=eq.${id}`, change)).toMatchObject({ status: 204 });
    expect(await row("places", id)).toMatchObject({
      ...{ name, hidden: true, archive_requested: true },
      ...{ status: "published", last_update: {}, version: 1 },
    });
  });

  it("no one's listing keeps the account from being deleted whose address is its contact", async () => {
    const leaving = await person();
    const id = await place({ owner: owner.id, public_email: leaving.email });
    await owner.update("places", `id=eq.${id}`, { name: NOTHING[0] });
    expect(await admin.call("admin_delete_user", { userid: leaving.id })).toMatchObject({
      status: 200,
    });
    expect(await row("places", id)).toMatchObject({ public_email: null });
  });

  it("no text of nothing keeps our team from taking a paid job down", async () => {
    const job = { title: "Baker", category: 85, description: "Bake.", location: ["New Mexico"] };
    const company = { company_name: "X", company_bio: "Y" };
    const sent = { ...job, ...company, ally_owned: true, ally_safety: NOTHING[0] };
    expect(await owner.insert("jobs", sent)).toMatchObject({ code: "23514" });
    expect(await owner.insert("jobs", { ...sent, ally_safety: "Safe" })).toMatchObject({
      status: 201,
    });
    const [{ id }] = (await sql(
      `update public.jobs set paid = true, published = true, expiration_date = now() + interval '1 day'
       where id = (select max(id) from public.jobs) returning id`,
    )) as [Row];
    await owner.update("jobs", `id=eq.${String(id)}`, { ally_safety: NOTHING[0] });
    expect(await admin.update("jobs", `id=eq.${String(id)}`, { published: false })).toMatchObject({
      status: 204,
    });
  });
});

describe("where a therapist is licensed, and where a job is", () => {
  it("is text of one line and of at most 100 characters", async () => {
    const therapist = { ...completeListing, category: 2 };
    for (const wrong of ["x".repeat(101), "", "  ", null, "A\nB", "A\u202EB"]) {
      for (const by of [owner, admin])
        expect(
          await by.insert("places", { ...therapist, licensed_locations: ["Oregon", wrong] }),
        ).toMatchObject({ message: "licensed_location_unknown", details: "licensed_locations" });
      expect(
        await owner.update("places", `id=eq.${listing}`, { licensed_locations: [wrong] }),
      ).toMatchObject({ message: "licensed_location_unknown" });
    }
    expect(
      await owner.insert("jobs", {
        title: "Baker",
        category: 85,
        description: "Bake.",
        company_name: "X",
        company_bio: "Y",
        location: ["A\nB"],
      }),
    ).toMatchObject({ message: "job_location_unknown" });
    expect(
      await owner.insert("places", { ...therapist, licensed_locations: ["x".repeat(100)] }),
    ).toMatchObject({ status: 201 });
  });

  it("is a list, and not a list of lists, which no reviewer would read", async () => {
    const [online] = await sql("select id from public.categories where parent_category = 12");
    const refusals = [
      await owner.update("places", `id=eq.${listing}`, { licensed_locations: [["Oregon"]] }),
      await owner.update("places", `id=eq.${listing}`, { online_categories: [[online!["id"]]] }),
      await owner.insert("jobs", {
        title: "Baker",
        category: 85,
        description: "Bake.",
        company_name: "X",
        company_bio: "Y",
        location: [["Oregon"]],
      }),
    ];
    expect(refusals.map(({ message }) => message)).toEqual([
      "licensed_location_unknown",
      "online_category_unknown",
      "job_location_unknown",
    ]);
  });

  it("is limited like every list of text and every document that users write", async () => {
    const columns = await sql(
      `select distinct c.table_name || '.' || c.column_name as name from information_schema.columns c
       join information_schema.column_privileges p on p.table_schema = c.table_schema
         and p.table_name = c.table_name and p.column_name = c.column_name
       where c.table_schema = 'public' and (c.data_type = 'jsonb' or c.udt_name = '_text')
         and p.grantee = 'authenticated' and p.privilege_type in ('INSERT', 'UPDATE')
         and exists (select from pg_class r where r.oid = format('public.%I', c.table_name)::regclass and r.relkind = 'r')
       order by 1`,
    );
    expect(columns.map(({ name }) => name)).toEqual([
      // 10,000 characters.
      "events.data",
      // As above.
      "jobs.location",
      // 64 KB.
      "listing_drafts.fields",
      // Written by the guard, from columns with limits.
      "places.last_update",
      "places.licensed_locations",
      // 8 KB.
      "saved_views.filter",
    ]);
  });
});

it.each([
  ["profiles", () => owner.id, "full_name"],
  ["places", () => listing, "name"],
] as const)(
  "a name of megabytes in %s is refused as too long, before it is made searchable",
  async (table, id, column) => {
    const long = Array.from({ length: 150_000 }, (_, n) => `é${n}`).join(" ");
    expect(await owner.update(table, `id=eq.${id()}`, { [column]: long })).toMatchObject({
      status: 400,
      code: "23514",
    });
  },
);
