import type { Db } from "~/integrations/supabase/clients.server";
import { unwrap } from "~/integrations/supabase/data.server";

import { decimalOf } from "./rules";
import type { SponsorshipValues, WordsValues } from "./schema.server";
import type { Sponsorship } from "./sponsorship.server";

/** The columns a form fills in; without the tokens that only say which form it was. */
function columnsOf({
  submission_id: _submission,
  version: _version,
  rate,
  ...columns
}: SponsorshipValues) {
  // The number that is written as this text, and so travels as it: no arithmetic is done with it.
  return { ...columns, rate: Number(decimalOf(rate)) };
}

/**
 * Keeps a new order, unpaid. The same form sent again is the same order: when somebody came back from the
 * payment and typed on, the order becomes what the form says now, unless it is paid for already.
 * @param mayChange called before an unpaid order is changed, with its id: a running payment ends there
 * @returns its id, and whether it is paid for
 * @throws DataError
 */
export async function addSponsorship(
  db: Db,
  owner: string,
  values: SponsorshipValues,
  mayChange: (id: number) => Promise<void>,
): Promise<{ id: number; paid: boolean }> {
  const columns = columnsOf(values);
  const { submission_id = null } = values;
  const insert = (token: string | null) =>
    db
      .from("sponsorships")
      .insert({ ...columns, owner, submission_id: token })
      .select("id, paid")
      .single();
  const made = await insert(submission_id);
  if (made.error?.code !== "23505" || submission_id === null) return unwrap(made);

  const { id, paid, ...kept } = unwrap(
    await db
      .from("sponsorships")
      .select(
        "id, paid, place_id, promo_text, link, location, photo_location, rate, sponsorship_dates",
      )
      .eq("owner", owner)
      .eq("submission_id", submission_id)
      .single(),
  );
  if (
    Object.entries(columns).every(
      ([name, value]) => JSON.stringify(kept[name as keyof typeof kept]) === JSON.stringify(value),
    )
  )
    return { id, paid };
  if (paid) return unwrap(await insert(null));
  await mayChange(id);
  return unwrap(
    await db.from("sponsorships").update(columns).eq("id", id).select("id, paid").single(),
  );
}

/**
 * Saves an order over the version its form showed; of one that is paid for, the words alone.
 * @returns "stale" when somebody saved a newer version in between: nothing was changed
 * @throws DataError
 */
export async function saveSponsorship(
  db: Db,
  current: Sponsorship,
  values: SponsorshipValues | WordsValues,
): Promise<"saved" | "stale"> {
  const { version, ...words } = values;
  const columns = "rate" in values ? columnsOf(values) : words;
  const rows = unwrap(
    await db
      .from("sponsorships")
      .update(columns)
      .eq("id", current.id)
      .eq("version", version ?? current.version)
      .select("id"),
  );
  return rows.length > 0 ? "saved" : "stale";
}

/** Whether a form changes what an order costs, or what it is for: a payment that was opened for it can't go on. */
export function changesOrder(current: Sponsorship, values: SponsorshipValues): boolean {
  return (
    values.place_id !== current.placeId ||
    values.rate !== current.rateCents ||
    values.sponsorship_dates.join() !== current.dates.join()
  );
}
