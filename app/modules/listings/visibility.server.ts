import type { Db } from "~/integrations/supabase/clients.server";
import { dataOf } from "~/integrations/supabase/data.server";

import { noSuchListing } from "./listing.server";
import { VISIBILITY_CHANGES, visibilityChoices, type VisibilityIntent } from "./visibility-rules";

/**
 * One of the person's own listings, for deciding who sees it. Not one that waits to be claimed: whoever changes that
 * makes it theirs, and should have read it before.
 * @throws HttpError 404 with the same words whether it is another's or does not exist
 */
export async function ownListing(db: Db, personId: string, id: number | null) {
  if (id === null) throw noSuchListing();
  const answer = await db
    .from("places")
    .select("id, name, status, hidden, archive_requested")
    .eq("id", id)
    .eq("owner", personId)
    .maybeSingle();
  dataOf(answer);
  if (!answer.data) throw noSuchListing();
  return answer.data;
}

/**
 * Hides a listing, shows it again, asks for its removal or takes that back. Done twice, it is the same.
 * @returns the listing as it was before, and whether the choice was there to be made
 * @throws HttpError 404, DataError
 */
export async function changeVisibility(db: Db, personId: string, id: number | null, intent: VisibilityIntent) {
  const listing = await ownListing(db, personId, id);
  const change = VISIBILITY_CHANGES[intent];
  const done = Object.entries(change).every(([name, value]) => listing[name as keyof typeof change] === value);
  if (done) return { listing, outcome: "done" as const };
  if (!visibilityChoices(listing).includes(intent)) return { listing, outcome: "closed" as const };
  dataOf(await db.from("places").update(change).eq("id", listing.id).eq("owner", personId));
  return { listing, outcome: "done" as const };
}
