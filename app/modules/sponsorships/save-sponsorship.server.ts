import type { Db } from "~/integrations/supabase/clients.server";
import { unwrap } from "~/integrations/supabase/data.server";
import { hasValues } from "~/integrations/supabase/has-values";
import { nextFormId } from "~/http/form-id.server";
import { FIRST_VERSION } from "~/http/version-conflict";

import { formatDecimal } from "./rules";
import type { FeatureValues, SponsorshipValues } from "./schema.server";
import type { Sponsorship } from "./sponsorship.server";

const STORED =
  "id, paid, place_id, promo_text, link, location, photo_location, rate, sponsorship_dates";

/** The columns of a form's values, without the tokens that identify the form. */
function toColumns({
  submission_id: _submission,
  version: _version,
  rate,
  ...columns
}: SponsorshipValues) {
  // JSON writes this number as the same decimal text. No arithmetic is done with it.
  return { ...columns, rate: Number(formatDecimal(rate)) };
}

/** The columns that the form of an order changes: of a paid one, only those of its feature. */
function toChangedColumns(values: SponsorshipValues | FeatureValues) {
  if ("rate" in values) return toColumns(values);
  const { version: _version, ...columns } = values;
  return columns;
}

/**
 * Adds an order, unpaid. The same form sent again is the same order: when its buyer went back from the
 * payment page and changed the form, the order is updated, unless it is paid already, and while it is the version that
 * the form made.
 * @param beforeChange called with the order's id before an unpaid order is updated, to close its checkout
 * @returns its id, and whether it is paid; or the id of the order that this form made when there is a newer version of
 *   it: then nothing was changed
 * @throws DataError
 */
export async function addSponsorship(
  db: Db,
  owner: string,
  values: SponsorshipValues,
  beforeChange: (id: number) => Promise<void>,
): Promise<{ id: number; paid: boolean } | { newer: number }> {
  const columns = toColumns(values);
  const { submission_id = null } = values;
  const inserted = await db
    .from("sponsorships")
    .insert({ ...columns, owner, submission_id })
    .select("id, paid")
    .single();
  if (inserted.error?.code !== "23505" || submission_id === null) return unwrap(inserted);

  const stored = unwrap(
    await db
      .from("sponsorships")
      .select(`${STORED}, version`)
      .eq("owner", owner)
      .eq("submission_id", submission_id)
      .single(),
  );
  const { id, paid, version } = stored;
  if (hasValues(stored, columns)) return { id, paid };
  if (paid)
    return addSponsorship(
      db,
      owner,
      { ...values, submission_id: nextFormId(submission_id) },
      beforeChange,
    );
  // Before its open checkout is closed for a change that won't be saved.
  if (version !== FIRST_VERSION) return { newer: id };
  await beforeChange(id);
  const [updated] = unwrap(
    await db
      .from("sponsorships")
      .update(columns)
      .eq("id", id)
      .eq("version", FIRST_VERSION)
      .select("id, paid"),
  );
  if (updated) return updated;
  return (await isSaved(db, id, values)) ? { id, paid } : { newer: id };
}

/**
 * Whether an order has exactly these values: its form was saved before, but the response was lost.
 * @throws DataError
 */
export async function isSaved(
  db: Db,
  id: number,
  values: SponsorshipValues | FeatureValues,
): Promise<boolean> {
  const [stored] = unwrap(await db.from("sponsorships").select(STORED).eq("id", id));
  return stored !== undefined && hasValues(stored, toChangedColumns(values));
}

/**
 * Saves an order over the version that its form showed; of a paid order, only its feature. Safe to repeat
 * after the response was lost.
 * @returns "stale" when someone saved a newer version in between: then nothing was changed
 * @throws DataError
 */
export async function saveSponsorship(
  db: Db,
  current: Sponsorship,
  values: SponsorshipValues | FeatureValues,
): Promise<"saved" | "stale"> {
  const rows = unwrap(
    await db
      .from("sponsorships")
      .update(toChangedColumns(values))
      .eq("id", current.id)
      .eq("version", values.version ?? current.version)
      .select("id"),
  );
  return rows.length > 0 || (await isSaved(db, current.id, values)) ? "saved" : "stale";
}

/** Whether a form changes the price or the item of an order, so that its open checkout must be closed. */
export function changesOrder(current: Sponsorship, values: SponsorshipValues): boolean {
  return (
    values.place_id !== current.placeId ||
    values.rate !== current.rateCents ||
    values.sponsorship_dates.join() !== current.dates.join()
  );
}
