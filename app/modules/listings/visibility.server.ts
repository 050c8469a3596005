import type { Db } from "~/integrations/supabase/clients.server";
import { unwrap } from "~/integrations/supabase/data.server";

import { getListingRelation, noSuchListing } from "./listing.server";
import { getListingRole } from "./rules";
import {
  getVisibilityIntents,
  VISIBILITY_CHANGES,
  type VisibilityIntent,
} from "./visibility-rules";

/**
 * A listing that the user owns or manages, with its visibility. Not a listing that they may claim:
 * any change would claim it, and they should read it first.
 * @throws HttpError 404, the same for someone else's listing and for one that does not exist
 */
export async function getOwnedOrManagedListing(
  db: Db,
  user: { id: string; admin: boolean },
  id: number,
) {
  const found = (await findListing(db, id, false)) ?? (await findListing(db, id, true));
  if (!found) throw noSuchListing();
  const { owner, ...listing } = found;
  const role = getListingRole({ owner }, user);
  if (role !== "owner" && role !== "manager") throw noSuchListing();
  return { ...listing, managed: role === "manager" };
}

async function findListing(db: Db, id: number, managed: boolean) {
  const answer = await db
    .from(getListingRelation({ managed }))
    .select("id, name, status, hidden, archive_requested, changes_requested, owner")
    .eq("id", id)
    .maybeSingle();
  unwrap(answer);
  return answer.data;
}

/**
 * Hides a listing, shows it again, requests its removal, or cancels that request. Idempotent.
 * @returns the listing as it was before, and whether the intent was allowed
 * @throws HttpError 404, DataError
 */
export async function changeVisibility(
  db: Db,
  user: { id: string; admin: boolean },
  id: number,
  intent: VisibilityIntent,
) {
  const listing = await getOwnedOrManagedListing(db, user, id);
  // A request that was fulfilled is not "canceled", although it is no longer open.
  if (listing.status === "archived") return { listing, allowed: false };
  const change = VISIBILITY_CHANGES[intent];
  const isDone = Object.entries(change).every(
    ([name, value]) => listing[name as keyof typeof change] === value,
  );
  // An owner counts on what they hide or show, also when a manager has just done it: the database is told.
  if (isDone && (listing.managed || !("hidden" in change))) return { listing, allowed: true };
  if (!isDone && !getVisibilityIntents(listing, listing.managed).includes(intent))
    return { listing, allowed: false };
  const changed = unwrap(
    await db
      .from(getListingRelation(listing))
      .update(change)
      .eq("id", listing.id)
      .neq("status", "archived")
      .not("owner", "is", null)
      .select("id"),
  );
  return { listing, allowed: changed.length > 0 };
}
