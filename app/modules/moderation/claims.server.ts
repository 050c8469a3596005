import type { Db } from "~/integrations/supabase/clients.server";
import { unwrap } from "~/integrations/supabase/data.server";

import { noSuchListingToReview } from "./listing-details.server";
import type { ListingsFilter } from "./listings-filter";

/**
 * Tells the other admins that the caller reviews a listing, for 15 minutes from now on. It binds nobody.
 * @param takeOver also when another reviews it
 * @throws HttpError 404 when there is no such listing
 */
export async function claimListing(db: Db, id: number, takeOver = false): Promise<void> {
  const claim: unknown = unwrap(await db.rpc("claim_listing", { id, take_over: takeOver }));
  if (!claim) throw noSuchListingToReview();
}

/** The caller no longer reviews a listing. Safe to repeat. */
export async function releaseListing(db: Db, id: number): Promise<void> {
  unwrap(await db.rpc("release_listing", { id }));
}

/**
 * The next listing of a table that nobody else reviews, from now on the caller's to review. One call.
 * @param at where in the table's order the caller stands
 * @param leaving the listing that the caller is done with
 * @returns its id; null at the end of the table
 */
export async function claimNextListing(
  db: Db,
  filter: ListingsFilter,
  at: string,
  leaving: number,
): Promise<number | null> {
  const next = unwrap(
    await db.rpc("claim_next_listing", { filter, ...(at === "" ? {} : { after: at }), leaving }),
  ) as { id: number } | null;
  return next?.id ?? null;
}
