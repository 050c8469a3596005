import type { Db } from "~/integrations/supabase/clients.server";
import { DataError, unwrap } from "~/integrations/supabase/data.server";

import { mapColumns, type AddressChoice } from "./address-choice.server";
import { SOCIAL_NETWORKS } from "./fields";
import type { AdminColumns } from "./admin-choice.server";
import type { EditableListing } from "./listing.server";
import { COMMUNITY_GROUP, ONLINE_SHOPPING, THERAPIST, type SaveOutcome } from "./rules";
import type { ListingValues } from "./schema.server";
import { socialLink } from "./social-links";

/** The columns a form fills in; without the tokens that only say which form it was. */
function columnsOf(
  { submission_id: _submission, version: _version, ...columns }: ListingValues,
  address: AddressChoice,
  mailing: AddressChoice,
) {
  const mailingaddress = mailing.address?.formatted ?? columns.mailingaddress;
  return { ...columns, mailingaddress, ...mapColumns(address, columns.rawaddress) };
}

/**
 * Adds a listing; the database makes it the person's own, with status "new". The same form sent
 * twice makes one listing.
 * @throws DataError
 */
export async function addListing(
  db: Db,
  values: ListingValues,
  address: AddressChoice,
  mailing: AddressChoice,
): Promise<void> {
  const columns = columnsOf(values, address, mailing);
  const { error, status } = await db
    .from("places")
    .insert({ ...columns, submission_id: values.submission_id ?? null });
  if (error?.code !== "23505" || !values.submission_id) {
    unwrap({ data: null, error, status });
    return;
  }
  // The token was used. It is the same form again, unless somebody went back and typed another listing.
  const { name, description } = unwrap(
    await db
      .from("places")
      .select("name, description")
      .eq("submission_id", values.submission_id)
      .limit(1)
      .single(),
  );
  if (name !== values.name || description !== values.description)
    unwrap(await db.from("places").insert(columns));
}

/**
 * Saves a listing over the version its form showed. What follows from a save (review, claiming, what
 * an owner may change) is the database's to decide.
 * @param decided what an admin decided besides; from everybody else the database takes none of it
 * @returns what came of it, or "stale" when somebody saved a newer version in between: nothing was changed
 * @throws DataError
 */
export async function saveListing(
  db: Db,
  current: EditableListing,
  values: ListingValues,
  address: AddressChoice,
  mailing: AddressChoice,
  decided: AdminColumns = {},
): Promise<SaveOutcome | "stale"> {
  const columns = { ...columnsOf(values, address, mailing), ...decided };
  for (const network of SOCIAL_NETWORKS) {
    // A name saved before links were: writing it as a link is no change that needs a review.
    const saved = current[network];
    if (saved !== null && socialLink(network, saved) === columns[network]) columns[network] = saved;
  }
  if (values.category === current.category) Object.assign(columns, notAsked(current));
  const seen = values.version ?? current.version;
  const [saved] = unwrap(
    await db
      .from("places")
      .update(columns)
      .eq("id", current.id)
      .eq("version", seen)
      .select("status, version"),
  );
  const after = saved ?? (await savedBefore(db, current.id, columns));
  if (!after) return "stale";
  return { status: after.status, changed: after.version !== seen, claimed: current.owner === null };
}

/** The listing as it is, when it holds these very values: then the form was saved before, and only the answer was lost. */
async function savedBefore(db: Db, id: number, columns: Readonly<Record<string, unknown>>) {
  const now = unwrap(await db.from("places").select("*").eq("id", id).limit(1))[0];
  const same = ([column, value]: [string, unknown]) =>
    JSON.stringify(now?.[column as keyof typeof now]) === JSON.stringify(value);
  return Object.entries(columns).every(same) ? now : undefined;
}

/** What the form of a category does not ask stays as it is saved: not asked is not answered with no. */
function notAsked({
  category,
  online_categories,
  licensed_locations,
  queer_programming,
  mission_statement,
}: EditableListing) {
  return {
    ...(category === ONLINE_SHOPPING ? {} : { online_categories }),
    ...(category === THERAPIST ? {} : { licensed_locations }),
    ...(category === COMMUNITY_GROUP ? {} : { queer_programming, mission_statement }),
  };
}

/** Rules that only the database can judge, by the field they are about. */
const RULES_OF_FIELDS: [sentence: RegExp, field: string][] = [
  [/^Please choose a category/, "category"],
  [/^Please choose online shopping/, "online_categories"],
];

/** Why the database refused a listing, by field ("" for the form as a whole); null for any other failure. */
export function listingRefusal(error: unknown): Record<string, string[]> | null {
  if (!(error instanceof DataError) || error.failure !== "refused") return null;
  if (error.message.includes("places_owner_fkey"))
    return { owner: ["There is no such person any more. Choose somebody else."] };
  if (error.code === "23503") return { category: ["Choose a category."] };
  if (error.code !== "P0001")
    return { "": ["One of the values can’t be saved as it is. Please check the form."] };
  const field = RULES_OF_FIELDS.find(([sentence]) => sentence.test(error.message))?.[1] ?? "";
  return { [field]: [error.message] };
}
