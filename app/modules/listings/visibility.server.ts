import type { Db } from "~/integrations/supabase/clients.server";
import { unwrap } from "~/integrations/supabase/data.server";

import { noSuchListing } from "./listing.server";
import { roleIn } from "./rules";
import { VISIBILITY_CHANGES, visibilityChoices, type VisibilityIntent } from "./visibility-rules";

/**
 * A listing that the person owns, or manages for its owner, for deciding who sees it. Not one that waits to be claimed:
 * whoever changes that makes it theirs, and should have read it before.
 * @throws HttpError 404 with the same words whether it is another's or does not exist
 */
export async function listingInHand(
  db: Db,
  person: { id: string; admin: boolean },
  id: number | null,
) {
  if (id === null) throw noSuchListing();
  const answer = await db
    .from("places")
    .select("id, name, status, hidden, archive_requested, owner")
    .eq("id", id)
    .maybeSingle();
  unwrap(answer);
  if (!answer.data) throw noSuchListing();
  const { owner, ...listing } = answer.data;
  const role = roleIn({ owner }, person);
  if (role !== "owner" && role !== "manager") throw noSuchListing();
  return { ...listing, managed: role === "manager" };
}

/**
 * Hides a listing, shows it again, asks for its removal or takes that back. Done twice, it is the same.
 * @returns the listing as it was before, and whether the choice was there to be made
 * @throws HttpError 404, DataError
 */
export async function changeVisibility(
  db: Db,
  person: { id: string; admin: boolean },
  id: number | null,
  intent: VisibilityIntent,
) {
  const listing = await listingInHand(db, person, id);
  const change = VISIBILITY_CHANGES[intent];
  const done = Object.entries(change).every(
    ([name, value]) => listing[name as keyof typeof change] === value,
  );
  if (done) return { listing, outcome: "done" as const };
  if (!visibilityChoices(listing, listing.managed).includes(intent))
    return { listing, outcome: "closed" as const };
  unwrap(await db.from("places").update(change).eq("id", listing.id).not("owner", "is", null));
  return { listing, outcome: "done" as const };
}
