import type { Db } from "~/integrations/supabase/clients.server";
import { unwrap } from "~/integrations/supabase/data.server";

import { getListingRelation, type EditableListing } from "./listing.server";
import type { OwnRole } from "./rules";

/** Whether an edit waits, and the user may withdraw it: admins reject one in its review instead. */
export const canWithdraw = (
  { status }: Pick<EditableListing, "status">,
  role: OwnRole | "admin",
): boolean => status === "pending-update" && (role === "owner" || role === "manager");

/**
 * Withdraws an edit that waits for review: saves the approved values again. The database sees that
 * nothing is left to review, and publishes the listing as it was approved.
 * @param version the version that was shown; another one may have more in it
 * @returns false if the listing has another version by now; then nothing was changed
 * @throws DataError
 */
export async function withdrawEdit(
  db: Db,
  listing: EditableListing,
  version: number,
): Promise<boolean> {
  const saved = unwrap(
    await db
      .from(getListingRelation(listing))
      .update(listing.last_update as Record<string, never>)
      .eq("id", listing.id)
      .eq("version", version)
      .eq("status", "pending-update")
      .select("version"),
  );
  return saved.length > 0;
}

/**
 * Discards an edit that was rejected. The database lets its owner and managers do so.
 * @param at when it was rejected, as it was shown; another one may have joined it since
 * @returns false if there is none of that time; then nothing was changed
 * @throws DataError
 */
export async function discardRejectedEdit(db: Db, id: number, at: string): Promise<boolean> {
  const rows = unwrap(
    await db
      .from("rejected_edits")
      .delete()
      .eq("place_id", id)
      .eq("rejected_at", at)
      .select("place_id"),
  );
  return rows.length > 0;
}
