import type { PackedCheckboxGroup } from "~/components/forms/packed-checkboxes";
import { HttpError } from "~/http/errors.server";
import { addressAttribution } from "~/integrations/addresses/addresses.server";
import type { Db } from "~/integrations/supabase/clients.server";
import { unwrap } from "~/integrations/supabase/data.server";

import { PACKED_LOCATION_GROUPS } from "./licensed-locations.server";
import { JOBS_PARENT, NO_PERMISSION, ONLINE_SHOPPING } from "./rules";

const COLUMNS =
  "id, name, category, online_categories, licensed_locations, description, rawaddress, mailingaddress, public_email, phone, url, tiktok, instagram, xtwitter, youtube, facebook, linkedin, online, physicalLocation, bipocOwned, outdoor, nonprofit, gender_neutral_bathrooms, masks_required, wholesale, wholesale_buyer, affiliate, queer_programming, mission_statement, third_party_auth, certified_queer, status, version, changes_requested, address_approximate, last_update, owner, owner_email, hidden, archive_requested";

export interface CategoryChoices {
  /** The top categories without the parent of job categories. */
  categories: { id: number; name: string }[];
  /** The children of "Online Shopping". */
  onlineCategories: { id: number; name: string }[];
}

/** What the editor offers to choose from. */
export interface EditorChoices extends CategoryChoices {
  licensedLocations: PackedCheckboxGroup[];
  /** Whose name has to stand beside addresses that were found. */
  attribution: string | null;
}

/** What the editor of a listing offers, in one call. */
export async function editorChoices(db: Db): Promise<EditorChoices> {
  return {
    ...(await categoryChoices(db)),
    licensedLocations: PACKED_LOCATION_GROUPS,
    attribution: addressAttribution(),
  };
}

/** The categories a listing can have, by name, in one call. */
export async function categoryChoices(db: Db): Promise<CategoryChoices> {
  const rows = unwrap(
    await db
      .from("categories")
      .select("id, name, parent_category")
      .or(`parent_category.is.null,parent_category.eq.${ONLINE_SHOPPING}`)
      .neq("id", JOBS_PARENT)
      .order("name"),
  );
  const choices = (parent: number | null) =>
    rows
      .filter(({ parent_category }) => parent_category === parent)
      .map(({ id, name }) => ({ id, name }));
  return { categories: choices(null), onlineCategories: choices(ONLINE_SHOPPING) };
}

/** The same answer for a listing that is somebody else's and for one that does not exist. */
export function noSuchListing(): HttpError {
  return new HttpError(404, "We can’t open that listing", NO_PERMISSION);
}

/**
 * A listing for its form, with the last edit of it if that was rejected: the person's own, one they may claim, or any
 * for an admin; row level security decides which. One call.
 * @throws HttpError 404 with the same words whether it is another's or does not exist
 */
export async function listingToEdit(db: Db, id: number | null) {
  if (id === null) throw noSuchListing();
  const { data, error, status } = await db
    .from("places")
    .select(
      `${COLUMNS}, rejected:rejected_edits(reason, edit), person:profiles!places_owner_fkey(id, full_name)`,
    )
    .eq("id", id)
    .maybeSingle();
  unwrap({ data, error, status });
  if (!data) throw noSuchListing();
  return data;
}

export type EditableListing = Awaited<ReturnType<typeof listingToEdit>>;
