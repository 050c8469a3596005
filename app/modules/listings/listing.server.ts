import { HttpError } from "~/http/errors.server";
import type { Db } from "~/integrations/supabase/clients.server";
import { DataError, dataOf } from "~/integrations/supabase/data.server";

import { JOBS_PARENT, NO_PERMISSION } from "./rules";
import type { ListingValues } from "./schema.server";

const COLUMNS =
  "id, name, category, licensed_locations, queer_programming, mission_statement, description, rawaddress, city, state, postalcode, country, third_party_auth, certified_queer, status, version, changes_requested";

/** The categories a listing can have, by name: the top ones, without the parent of job categories. */
export async function listingCategories(db: Db): Promise<{ id: number; name: string }[]> {
  return dataOf(await db.from("categories").select("id, name").is("parent_category", null).neq("id", JOBS_PARENT).order("name"));
}

/** An id from an address: a positive whole number the database can hold, or null. */
export function listingId(param: string | undefined): number | null {
  return param !== undefined && /^[1-9]\d{0,15}$/.test(param) ? Number(param) : null;
}

/** The same answer for a listing that is somebody else's and for one that does not exist. */
export function noSuchListing(): HttpError {
  return new HttpError(404, "We can’t open that listing", NO_PERMISSION);
}

/**
 * A listing for its form: the person's own, one they may claim, or any for an admin; row level security
 * decides which.
 * @throws HttpError 404 with the same words whether it is another's or does not exist
 */
export async function listingToEdit(db: Db, id: number | null) {
  if (id === null) throw noSuchListing();
  const { data, error, status } = await db.from("places").select(COLUMNS).eq("id", id).maybeSingle();
  dataOf({ data, error, status });
  if (!data) throw noSuchListing();
  return data;
}

/** The columns a form fills in; without the tokens that only say which form it was. */
function columnsOf({ submission_id: _submission, version: _version, ...columns }: ListingValues) {
  return columns;
}

/** What follows from a typed address: it is shown as it was typed, and no older position belongs to it. */
const typedAddress = (rawaddress: string) => ({ address: rawaddress, lat: null, long: null, address_approximate: false });

/**
 * Adds a listing; the database makes it the person's own, with status "new". The same form sent
 * twice makes one listing.
 * @throws DataError
 */
export async function addListing(db: Db, values: ListingValues): Promise<void> {
  const columns = { ...columnsOf(values), ...typedAddress(values.rawaddress) };
  const { error, status } = await db.from("places").insert({ ...columns, submission_id: values.submission_id ?? null });
  if (error?.code !== "23505" || !values.submission_id) {
    dataOf({ data: null, error, status });
    return;
  }
  // The token was used. It is the same form again, unless somebody went back and typed another listing.
  const { name, description } = dataOf(
    await db.from("places").select("name, description").eq("submission_id", values.submission_id).limit(1).single(),
  );
  if (name !== values.name || description !== values.description) dataOf(await db.from("places").insert(columns));
}

/**
 * Saves a listing over the version its form showed. What follows from a save (review, claiming, what
 * an owner may change) is the database's to decide.
 * @returns "stale" when somebody saved a newer version in between: nothing was changed
 * @throws HttpError 404, DataError
 */
export async function saveListing(db: Db, id: number | null, values: ListingValues): Promise<"saved" | "stale"> {
  const current = await listingToEdit(db, id);
  const moved = values.rawaddress !== current.rawaddress;
  const columns = { ...columnsOf(values), ...(moved ? typedAddress(values.rawaddress) : {}) };
  const seen = values.version ?? current.version;
  const saved = dataOf(await db.from("places").update(columns).eq("id", current.id).eq("version", seen).select("id"));
  return saved.length > 0 ? "saved" : "stale";
}

/** The sentence of a rule that the database refused a listing by, or null for any other failure. */
export function listingRefusal(error: unknown): string | null {
  if (!(error instanceof DataError) || error.failure !== "refused") return null;
  return error.code === "P0001" ? error.message : "One of the values can’t be saved as it is. Please check the form.";
}
