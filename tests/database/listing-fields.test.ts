/**
 * LISTING_FIELDS, compared with every place of the database that depends on the columns of a
 * listing. If a column is missing somewhere, the test of that place fails and names the column.
 */
import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";

import {
  ADDRESS_COLUMNS,
  LISTING_FIELD_NAMES,
  LISTING_FIELDS,
  type ListingField,
} from "~/modules/listings/fields";

import { type Caller, type Row, startDatabase } from "./support/data-api";

const database = await startDatabase();
const { sql } = database;
let owner: Caller;
let admin: Caller;

beforeAll(async () => {
  owner = await database.person();
  admin = await database.person({ admin: true });
});

/** The columns that an owner fills in, the address that was found included. */
const FILLED_IN = [...LISTING_FIELD_NAMES, ...ADDRESS_COLUMNS];
/** The columns that only the dashboard writes. A new one must be added here, or be a field. */
const OWN_COLUMNS = [
  "id",
  "status",
  "hidden",
  "archive_requested",
  "owner",
  "owner_email",
  "premium",
  "premium_created_at",
  "stripe_cus_id",
  "stripe_subscription_id",
  "subscription_status",
  "subscription_ends_at",
  "proxi_id",
  "last_update",
  "changes_requested",
  "submission_id",
  "version",
  "created_at",
  "modified_at",
  "waiting_since",
  "removal_requested_at",
  "name_search",
  "name_key",
  "leads_from",
];
/** The public sees the address that was found, in `address`, and not the one that was typed. */
const PUBLIC = [
  ...LISTING_FIELD_NAMES.filter((name) => LISTING_FIELDS[name].audience === "public"),
  ...ADDRESS_COLUMNS,
].filter((column) => column !== "rawaddress");

type Edition = "approved" | "edited";
const FORMATS: Record<string, (edition: Edition) => unknown> = {
  category: (edition) => (edition === "edited" ? 12 : 4),
  online_categories: (edition) => (edition === "edited" ? [50] : []),
  licensed_locations: (edition) => (edition === "edited" ? ["Utah"] : []),
  public_email: (edition) => `${edition}@example.test`,
  url: (edition) => `https://example.test/${edition}`,
  linkedin: (edition) => `https://linkedin.test/${edition}`,
  address_approximate: (edition) => edition === "edited",
  lat: (edition) => (edition === "edited" ? 10.5 : 20.5),
  long: (edition) => (edition === "edited" ? 30.5 : 40.5),
};

/** A value for a column that no other column has, and that differs between the two editions. */
function valueOf(column: string, edition: Edition): unknown {
  const format = FORMATS[column];
  if (format) return format(edition);
  const kind = column in LISTING_FIELDS ? LISTING_FIELDS[column as ListingField].kind : "text";
  if (kind === "box" || kind === "bonus") return edition === "edited";
  if (kind === "social") return `https://${column}.test/${edition}`;
  return `${edition} ${column}`;
}

const rowOf = (columns: readonly string[], edition: Edition): Row =>
  Object.fromEntries(columns.map((column) => [column, valueOf(column, edition)]));
const pick = (row: Row | undefined, columns: readonly string[]): Row =>
  Object.fromEntries(columns.map((column) => [column, row?.[column]]));
const sorted = (columns: Iterable<string>) => [...columns].sort();

/** A published listing of the owner's, of which every field was edited afterwards. */
async function editedListing(): Promise<number> {
  const id = await database.place({ owner: owner.id, ...rowOf(FILLED_IN, "approved") });
  const answer = await owner.update("places", `id=eq.${id}`, rowOf(FILLED_IN, "edited"));
  expect(answer.status).toBe(204);
  return id;
}

const publicRow = async (id: number) =>
  (await database.anonymous.select("public_places", `id=eq.${id}`)).rows[0];

it("has a field for every column of public.places that an owner fills in", async () => {
  const columns = await sql(
    `select column_name as name from information_schema.columns
     where table_schema = 'public' and table_name = 'places'`,
  );
  expect(sorted(columns.map(({ name }) => String(name))), "columns of public.places").toEqual(
    sorted([...FILLED_IN, ...OWN_COLUMNS]),
  );
});

describe("an edit of every field of a published listing", () => {
  it("is saved in full", async () => {
    const saved = await database.row("places", await editedListing());
    expect(pick(saved, FILLED_IN), "what an owner may write").toEqual(rowOf(FILLED_IN, "edited"));
  });

  it("waits for review in full", async () => {
    const { status, last_update } = await database.row("places", await editedListing());
    expect(status).toBe("pending-update");
    expect(last_update, "what is reviewed").toEqual(rowOf(FILLED_IN, "approved"));
  });

  it("is shown to reviewers in full", async () => {
    const id = await editedListing();
    const { value } = await admin.call("review_listing", { id });
    const { changes } = value as { changes: { column: string; before: unknown; after: unknown }[] };
    const columns = sorted(changes.map(({ column }) => column));
    expect(columns, "changes of review_listing()").toEqual(sorted(FILLED_IN));
    for (const { column, before, after } of changes)
      expect([column, before, after]).toEqual([
        column,
        valueOf(column, "approved"),
        valueOf(column, "edited"),
      ]);
  });

  it("does not change what the public sees until it is approved", async () => {
    const id = await editedListing();
    const columns = sorted([...PUBLIC, "id", "premium", "proxi_id"]);
    const waiting = await publicRow(id);
    expect(sorted(Object.keys(waiting ?? {})), "columns of public_places").toEqual(columns);
    expect(pick(waiting, PUBLIC), "public_places of a waiting edit").toEqual(
      rowOf(PUBLIC, "approved"),
    );
    await admin.update("places", `id=eq.${id}`, { status: "published" });
    expect(pick(await publicRow(id), PUBLIC), "public_places after approval").toEqual(
      rowOf(PUBLIC, "edited"),
    );
  });

  it("is undone in full by a rejection, which stores all of it", async () => {
    const id = await editedListing();
    const { version } = await database.row("places", id);
    const decided = await admin.call("decide_listings", {
      batch: randomUUID(),
      action: "reject",
      items: [{ id, version }],
    });
    expect(decided.status).toBe(200);
    const restored = pick(await database.row("places", id), FILLED_IN);
    expect(restored, "what a rejection restores").toEqual(rowOf(FILLED_IN, "approved"));
    const [rejected] = await sql("select edit from public.rejected_edits where place_id = $1", [
      id,
    ]);
    expect(rejected?.["edit"], "rejected_edits.edit").toEqual(rowOf(FILLED_IN, "edited"));
  });
});

it("exports every field", async () => {
  const id = await editedListing();
  const { value } = await admin.call("export_listings", { filter: {} });
  const { rows } = value as { rows: Row[] };
  const exported = rows.find((row) => row["id"] === id);
  expect(sorted(Object.keys(exported ?? {})), "columns of export_listings()").toEqual(
    sorted([
      ...FILLED_IN,
      ...OWN_COLUMNS.filter(
        (column) =>
          !["last_update", "leads_from", "name_key", "name_search", "submission_id"].includes(
            column,
          ),
      ),
      "category_name",
      "owner_name",
    ]),
  );
});

it("gives reviewers a kind of edit for every field", async () => {
  const contact = ["public_email", "phone", "mailingaddress", "url", "linkedin"];
  const kinds: Record<string, string> = {
    ...Object.fromEntries(
      LISTING_FIELD_NAMES.map((name) => {
        const { kind } = LISTING_FIELDS[name];
        if (kind === "social" || contact.includes(name)) return [name, "contact"];
        return [name, kind === "category" || kind === "list" ? "category" : "other"];
      }),
    ),
    description: "description",
    ...Object.fromEntries(["rawaddress", ...ADDRESS_COLUMNS].map((name) => [name, "address"])),
  };
  const rows = await sql(
    `select name, private.edit_kind(jsonb_build_object(name, null)) as kind
     from unnest(string_to_array($1, ' ')) name`,
    [FILLED_IN.join(" ")],
  );
  expect(
    Object.fromEntries(rows.map(({ name, kind }) => [name, kind])),
    "private.edit_kind()",
  ).toEqual(kinds);
});
