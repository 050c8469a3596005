/**
 * People decide the columns that a form has. All others are the system's: what someone sends for them changes nothing.
 * The columns come from the catalog, so a new one is the system's until it is named here.
 */
import { beforeAll, describe, expect, it } from "vitest";

import { type Caller, completeListing, type Row, startDatabase } from "./support/data-api";

const database = await startDatabase();
const { sql } = database;
let owner: Caller;
let admin: Caller;
let stranger: Caller;
let listing = 0;
let dates: string[] = [];

beforeAll(async () => {
  owner = await database.person();
  admin = await database.person({ admin: true });
  stranger = await database.person();
  listing = await database.place({ owner: owner.id, owner_email: owner.email });
  dates = (
    await sql(
      "select weekday_date::text as day from public.get_available_sponsorship_dates() limit 2",
    )
  ).map(({ day }) => String(day));
});

const LISTING_FORM = [
  ...["name", "category", "online_categories", "licensed_locations", "description"],
  ...["public_email", "phone", "url", "tiktok", "instagram", "xtwitter", "youtube", "facebook"],
  ...["linkedin", "rawaddress", "address", "address_approximate", "city", "state", "country"],
  ...["postalcode", "lat", "long", "mailingaddress", "online", "physicalLocation", "bipocOwned"],
  ...["outdoor", "nonprofit", "gender_neutral_bathrooms", "masks_required", "wholesale"],
  ...["wholesale_buyer", "affiliate", "queer_programming", "mission_statement"],
  ...["certified_queer", "third_party_auth"],
];
const LISTING_OF_ADMINS = [
  ...["status", "hidden", "archive_requested", "owner", "owner_email", "proxi_id"],
  // For what was agreed upon outside of the dashboard.
  ...["premium", "premium_created_at"],
];
const JOB_FORM = [
  ...["title", "category", "description", "pay_range", "url", "location", "city", "queer_owned"],
  ...["ally_owned", "ally_safety", "remote", "full_time", "part_time", "contract", "place_id"],
  ...["company_name", "company_bio"],
];
const SPONSORSHIP_FORM = [
  ...["place_id", "promo_text", "link", "location", "photo_location", "rate", "sponsorship_dates"],
];
const ACCOUNT_FORM = [
  ...["full_name", "phone", "pronouns", "postalcode", "opted_in", "sms_opted_in", "discreet"],
];

interface Case {
  table: string;
  /** The one who writes, as the test calls them. */
  by: "owner" | "admin";
  /** Decided by that one when a row is added; null where this is not how one comes to be. */
  added: string[] | null;
  changed: string[];
  /** What a new row has at least. */
  complete: () => Row;
  /** A change of something that they decide, where a row says when it was changed. */
  change?: Row;
}

const newListing = () => ({ ...completeListing, submission_id: crypto.randomUUID() });
const newJob = () => ({
  title: "Baker",
  category: 85,
  description: "Bake.",
  location: ["New Mexico"],
  place_id: listing,
});
const newSponsorship = () => ({
  place_id: listing,
  promo_text: "Hi",
  sponsorship_dates: [dates[0]],
});

const CASES: Case[] = [
  {
    table: "places",
    by: "owner",
    added: [...LISTING_FORM, "hidden", "archive_requested", "submission_id"],
    changed: [...LISTING_FORM, "hidden", "archive_requested"],
    complete: newListing,
    change: { description: "Tea." },
  },
  {
    table: "places",
    by: "admin",
    added: [...LISTING_FORM, ...LISTING_OF_ADMINS, "changes_requested", "submission_id"],
    changed: [...LISTING_FORM, ...LISTING_OF_ADMINS, "changes_requested"],
    complete: newListing,
    change: { description: "Tea." },
  },
  {
    table: "jobs",
    by: "owner",
    added: [...JOB_FORM, "submission_id"],
    changed: [...JOB_FORM, "published", "filled_at"],
    complete: newJob,
    change: { description: "Knead." },
  },
  {
    table: "jobs",
    by: "admin",
    added: [...JOB_FORM, "submission_id", "owner", "owner_email"],
    changed: [...JOB_FORM, "published", "filled_at", "owner", "owner_email"],
    complete: newJob,
    change: { description: "Knead." },
  },
  {
    table: "sponsorships",
    by: "owner",
    added: [...SPONSORSHIP_FORM, "submission_id"],
    changed: SPONSORSHIP_FORM,
    complete: newSponsorship,
    change: { promo_text: "Hello" },
  },
  {
    table: "sponsorships",
    by: "admin",
    added: [...SPONSORSHIP_FORM, "submission_id", "owner"],
    changed: [...SPONSORSHIP_FORM, "owner"],
    complete: newSponsorship,
    change: { promo_text: "Hello" },
  },
  {
    table: "profiles",
    by: "owner",
    added: null,
    changed: ACCOUNT_FORM,
    complete: () => ({}),
    change: { pronouns: "they/them" },
  },
  {
    table: "profiles",
    by: "admin",
    added: null,
    changed: ["admin", "supporter", "business_owner"],
    complete: () => ({}),
    change: { supporter: true },
  },
  {
    table: "listing_drafts",
    by: "owner",
    added: ["id", "fields", "form", "expires"],
    changed: ["fields", "expires"],
    complete: () => ({ fields: {} }),
    change: { fields: { name: "Café" } },
  },
  {
    table: "saved_views",
    by: "admin",
    added: ["name", "filter"],
    changed: ["name", "filter"],
    complete: () => ({ name: `View ${crypto.randomUUID()}`, filter: {} }),
  },
];

describe.each(CASES)(
  "of $table, written by an $by",
  ({ table, by, added, changed, complete, change }) => {
    const writer = () => (by === "admin" ? admin : owner);

    it.runIf(added)("are filled in by the system when a row is added", async () => {
      for (const { column, type } of await columnsOf(table, added!)) {
        const value = otherThan(undefined, column, type);
        const known = await idsOf();
        const answer = await writer().insert(table, { ...complete(), [column]: value });
        // Ids and totals are generated, which Postgres says in so many words.
        if (answer.code === "428C9") continue;
        expect(answer, column).toMatchObject({ status: 201 });
        const id = (await idsOf()).find((one) => !known.includes(one));
        expect((await read(id))[column], column).not.toEqual(value);
      }
    });

    it("stay as they are when a row is changed", async () => {
      const before = await theirs();
      for (const { column, type } of await columnsOf(table, changed)) {
        const value = otherThan(before[column], column, type);
        await writer().update(table, `id=eq.${String(before["id"])}`, { [column]: value });
        const after = await read(before["id"]);
        expect(after[column], column).not.toEqual(value);
        expect(comparable(after), column).toEqual(comparable(before));
      }
    });

    it.runIf(change)("say when and how often a row was changed", async () => {
      const before = await theirs();
      expect(await writer().update(table, `id=eq.${String(before["id"])}`, change!)).toMatchObject({
        status: 204,
      });
      const after = await read(before["id"]);
      const time = "modified_at" in before ? "modified_at" : "updated_at";
      expect(Date.parse(String(after[time]))).toBeGreaterThan(Date.parse(String(before[time])));
      if ("version" in before) expect(after["version"]).toBe(Number(before["version"]) + 1);
    });

    /** Profiles and drafts say when a row was written last, also when nothing changed. */
    const comparable = ({ modified_at, updated_at, ...row }: Row) =>
      ["profiles", "listing_drafts"].includes(table) ? row : { ...row, modified_at, updated_at };

    const idsOf = async () =>
      (await sql(`select id::text from public.${table}`)).map(({ id }) => String(id));

    const read = async (id: unknown): Promise<Row> =>
      (await sql(`select to_jsonb(t) as row from public.${table} t where id = $1`, [id]))[0]![
        "row"
      ] as Row;

    /** A row that this one may change. */
    async function theirs(): Promise<Row> {
      if (table === "profiles") return read(owner.id);
      const person = by === "admin" && table !== "saved_views" ? owner : writer();
      expect(await person.insert(table, complete())).toMatchObject({ status: 201 });
      const [made] = await sql(
        `select id from public.${table} where owner = $1 order by created_at desc limit 1`,
        [person.id],
      );
      return read(made!["id"]);
    }
  },
);

async function columnsOf(table: string, decided: string[]) {
  const columns = await sql(
    `select attname as column, format_type(atttypid, null) as type from pg_attribute
     where attrelid = ('public.' || $1)::regclass and attnum > 0 and not attisdropped`,
    [table],
  );
  const names = columns.map(({ column }) => String(column));
  expect(names).toEqual(expect.arrayContaining(decided));
  return columns
    .map(({ column, type }) => ({ column: String(column), type: String(type) }))
    .filter(({ column }) => !decided.includes(column));
}

/** A value that a column could have, and that is not the one that is there. */
function otherThan(now: unknown, column: string, type: string): unknown {
  switch (type) {
    case "boolean":
      return now !== true;
    case "timestamp with time zone":
      return "2001-02-03T04:05:06+00:00";
    case "uuid":
      return stranger.id;
    case "jsonb":
      return { name: "Other" };
    case "text":
      return column === "form" ? "/jobs/new" : "other@example.test";
    case "tsvector":
      return "'other'";
    default:
      return 123_456;
  }
}
