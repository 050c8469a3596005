import type { Db } from "~/integrations/supabase/clients.server";
import { DataError, unwrap } from "~/integrations/supabase/data.server";
import { hasValues } from "~/integrations/supabase/has-values";
import { nextFormId } from "~/http/form-id.server";
import { toFormErrors } from "~/http/refusals.server";

import { discardDraft } from "./drafts.server";
import { SOCIAL_NETWORKS } from "./fields";
import type { AdminChanges, ValidListing } from "./listing-form.server";
import { dropsEdit } from "./listing-admin.server";
import { getListingRelation, type EditableListing } from "./listing.server";
import { toAddressColumns } from "./picked-address.server";
import { COMMUNITY_GROUP, ONLINE_SHOPPING, THERAPIST, type SaveResult } from "./rules";
import { parseSocialLink } from "./social-links";
import { LISTING_REFUSALS } from "./refusals";

/** Whether a new address was saved as it was typed, because none could be looked up. */
export const isUnplaced = ({ address }: ValidListing): boolean =>
  address.unavailable !== null && address.changed;

/** The columns of the questions that a form asks only for one category. */
type CategoryAnswers = Pick<
  EditableListing,
  "online_categories" | "licensed_locations" | "queer_programming" | "mission_statement"
>;

const NO_ANSWERS: CategoryAnswers = {
  online_categories: [],
  licensed_locations: [],
  queer_programming: false,
  mission_statement: false,
};

/**
 * The columns that a form fills in: its fields without the submission token and the version. Without script it also
 * sends the answers to the questions of a category that was chosen before. No form would show them anymore, and the
 * public would.
 * @param current the listing that is edited. While its category stays, a question that is not asked was not answered
 *   with "no".
 */
function toColumns({ values, address, mailing }: ValidListing, current?: EditableListing) {
  const { submission_id: _submission, version: _version, ...columns } = values;
  const { category } = values;
  const mailingaddress = mailing.address?.formatted ?? columns.mailingaddress;
  return {
    ...columns,
    mailingaddress,
    ...toAddressColumns(address, columns.rawaddress),
    ...getUnaskedColumns(category, current?.category === category ? current : NO_ANSWERS),
  };
}

/** Those of these answers that belong to questions which the form of a category does not ask. */
function getUnaskedColumns(
  category: number,
  { online_categories, licensed_locations, queer_programming, mission_statement }: CategoryAnswers,
) {
  return {
    ...(category === ONLINE_SHOPPING ? {} : { online_categories }),
    ...(category === THERAPIST ? {} : { licensed_locations }),
    ...(category === COMMUNITY_GROUP ? {} : { queer_programming, mission_statement }),
  };
}

/**
 * Adds a listing. The database makes it the caller's, with the status "new"; an admin's has no owner. Submitting the
 * same form twice adds one listing. When its name is different, and its description or its address, it is another
 * listing, typed after going back: a second location may have the same description.
 * @returns the id of the listing that this form made before with other values, which the caller has
 * to deal with; null when the listing is there as the form has it
 * @throws DataError
 */
export async function addListing(
  db: Db,
  user: { id: string; admin: boolean },
  listing: ValidListing,
): Promise<number | null> {
  const columns = toColumns(listing);
  const { submission_id = null, name, description } = listing.values;
  const insert = () => db.from("places").insert({ ...columns, submission_id });
  if (submission_id === null) {
    unwrap(await insert());
    return null;
  }
  const findMade = async () => {
    const rows = db.from("places").select("*").eq("submission_id", submission_id).limit(1);
    return unwrap(await (user.admin ? rows : rows.eq("owner", user.id)))[0];
  };
  let made = user.admin ? await findMade() : undefined;
  if (!made) {
    const added = await insert();
    if (added.error?.code === "23505") made = await findMade();
    if (!made) {
      unwrap(added);
      // With an owner, the database deletes it.
      if (user.admin) await discardDraft(db, submission_id);
      return null;
    }
  }
  const isCorrected =
    made.name === name ||
    (made.description === description && made.rawaddress === columns.rawaddress);
  if (isCorrected) return hasValues(made, columns) ? null : made.id;
  const values = { ...listing.values, submission_id: nextFormId(submission_id, name) };
  return addListing(db, user, { ...listing, values });
}

/**
 * Saves a listing over the version that its form was opened with. The database decides what follows:
 * a review, a claim, and which columns the caller may change.
 * @param adminChanges ignored by the database unless the caller is an admin
 * @returns "stale" if someone saved a newer version in between; then nothing was changed
 * @throws DataError
 */
export async function saveListing(
  db: Db,
  current: EditableListing,
  listing: ValidListing,
  adminChanges: AdminChanges = {},
): Promise<SaveResult | "stale"> {
  const columns = { ...toColumns(listing, current), ...adminChanges };
  for (const network of SOCIAL_NETWORKS) {
    // Old rows have a name in place of a link. The link of the same name is no change to review.
    const saved = current[network];
    if (saved !== null && parseSocialLink(network, saved) === columns[network])
      columns[network] = saved;
  }
  const version = listing.values.version ?? current.version;
  const [saved] = unwrap(
    await db
      .from(getListingRelation(current))
      .update(columns)
      .eq("id", current.id)
      .eq("version", version)
      .select("status, version, last_update"),
  );
  const after = saved ?? (await findSavedBefore(db, current, columns));
  if (!after) return "stale";
  return {
    status: after.status,
    changed: after.version !== version,
    claimed: current.owner === null,
    hidden: current.hidden,
    waits: !hasValues(after, { last_update: {} }),
    dropped: adminChanges.owner !== undefined && dropsEdit(current),
    unplaced: isUnplaced(listing),
  };
}

/** The saved listing if it has exactly these values: the form was saved, but its response was lost. */
async function findSavedBefore(
  db: Db,
  current: EditableListing,
  columns: Readonly<Record<string, unknown>>,
) {
  const relation = getListingRelation(current);
  const now = unwrap(await db.from(relation).select("*").eq("id", current.id).limit(1))[0];
  return now && hasValues(now, columns) ? now : undefined;
}

/**
 * The errors of a listing that the database refused, by field ("" for the form as a whole).
 * @returns null for any other failure
 */
export function getListingErrors(error: unknown): Record<string, string[]> | null {
  if (!(error instanceof DataError) || error.failure !== "refused") return null;
  if (error.constraint === "places_owner_fkey")
    return { owner: ["That account no longer exists. Choose someone else."] };
  if (error.code === "23503") return { category: ["Choose a category."] };
  return toFormErrors(error, LISTING_REFUSALS);
}
