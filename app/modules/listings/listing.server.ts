import type { PackedCheckboxGroup } from "~/components/forms/packed-checkboxes";
import { HttpError } from "~/http/errors.server";
import { addressAttribution } from "~/integrations/addresses/addresses.server";
import type { Db } from "~/integrations/supabase/clients.server";
import { unwrap } from "~/integrations/supabase/data.server";
import type { Database } from "~/integrations/supabase/database.types";

import { LISTING_FIELD_NAMES } from "./fields";
import { PACKED_LOCATION_GROUPS } from "./licensed-locations.server";
import { JOBS_PARENT, NO_PERMISSION, ONLINE_SHOPPING } from "./rules";

export interface CategoryOptions {
  /** The top-level categories, without the parent of the job categories. */
  categories: { id: number; name: string }[];
  /** The subcategories of "Online Shopping". */
  onlineCategories: { id: number; name: string }[];
}

/** What the editor offers to choose from. */
export interface EditorOptions extends CategoryOptions {
  licensedLocations: PackedCheckboxGroup[];
  /** The name that must be shown beside addresses that were found; null for none. */
  attribution: string | null;
}

/** The options of the listing editor. One database call. */
export async function getEditorOptions(db: Db): Promise<EditorOptions> {
  return {
    ...(await getCategoryOptions(db)),
    licensedLocations: PACKED_LOCATION_GROUPS,
    attribution: addressAttribution(),
  };
}

/** The categories that a listing can have, by name. One database call. */
export async function getCategoryOptions(db: Db): Promise<CategoryOptions> {
  const rows = unwrap(
    await db
      .from("categories")
      .select("id, name, parent_category")
      .or(`parent_category.is.null,parent_category.eq.${ONLINE_SHOPPING}`)
      .neq("id", JOBS_PARENT)
      .order("name"),
  );
  const childrenOf = (parent: number | null) =>
    rows
      .filter(({ parent_category }) => parent_category === parent)
      .map(({ id, name }) => ({ id, name }));
  return { categories: childrenOf(null), onlineCategories: childrenOf(ONLINE_SHOPPING) };
}

/** 404, the same for someone else's listing and for one that does not exist. */
export function noSuchListing(): HttpError {
  return new HttpError(404, "We can’t open that listing", NO_PERMISSION);
}

const COLUMNS = [
  "id",
  ...LISTING_FIELD_NAMES,
  "status",
  "version",
  "modified_at",
  "changes_requested",
  "address",
  "address_approximate",
  "city",
  "state",
  "country",
  "postalcode",
  "lat",
  "long",
  "premium",
  "last_update",
  "owner",
  "owner_email",
  "hidden",
  "archive_requested",
] as const satisfies readonly (keyof Database["public"]["Tables"]["places"]["Row"])[];

/**
 * supabase-js takes the type of a row from the text of its select, which here is known only when it
 * runs. The cast names "*" for the columns; the type of the result leaves out all others.
 */
const SELECT = COLUMNS.join(", ") as "*";
const MANAGED_SELECT = COLUMNS.filter((column) => column !== "owner_email").join(", ") as "*";

/**
 * The relation by which a listing is read and changed. A manager's is a view of those that they
 * manage, without the owner's address and payments. (It has the columns of the table that people
 * fill in, so the type is that of the table.)
 */
export const getListingRelation = ({ managed }: { managed: boolean }) =>
  (managed ? "managed_places" : "places") as "places";

/**
 * A listing for its form, with its last edit if that was rejected. Row level security decides who
 * may read it: its owner, its managers, someone who may claim it, and admins. One database call, and
 * another one for a manager.
 * @throws HttpError 404, the same for someone else's listing and for one that does not exist
 */
export async function getListingToEdit(db: Db, id: number) {
  const answer = await db
    .from("places")
    .select(
      `${SELECT}, rejected:rejected_edits(reason, edit, rejected_at), person:profiles!places_owner_fkey(id, full_name)`,
    )
    .eq("id", id)
    .maybeSingle();
  unwrap(answer);
  type Listing = Pick<
    NonNullable<typeof answer.data>,
    (typeof COLUMNS)[number] | "rejected" | "person"
  >;
  const listing: Listing | null = answer.data;
  return listing ? { ...listing, managed: false } : findManagedListing(db, id);
}

async function findManagedListing(db: Db, id: number) {
  const [answer, rejected] = await Promise.all([
    db
      .from(getListingRelation({ managed: true }))
      .select(MANAGED_SELECT)
      .eq("id", id)
      .maybeSingle(),
    db.from("rejected_edits").select("reason, edit, rejected_at").eq("place_id", id).maybeSingle(),
  ]);
  unwrap(answer);
  unwrap(rejected);
  if (!answer.data) throw noSuchListing();
  const row: Pick<typeof answer.data, (typeof COLUMNS)[number]> = answer.data;
  return { ...row, owner_email: null, rejected: rejected.data, person: null, managed: true };
}

export type EditableListing = Awaited<ReturnType<typeof getListingToEdit>>;
