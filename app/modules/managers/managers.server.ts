import { z } from "zod";

import { callFunction } from "~/integrations/supabase/call-function.server";
import type { Db } from "~/integrations/supabase/clients.server";
import { DataError, unwrap } from "~/integrations/supabase/data.server";
import { noSuchListing } from "~/modules/listings/listing.server";
import { explainRefusal } from "~/http/refusals.server";

import { createInvitationToken, createNextInvitationId } from "./invitation.server";
import type { InviteForm } from "./schema.server";
import { MANAGER_REFUSALS } from "./refusals";

const manager = z.object({
  id: z.string(),
  name: z.string().nullable(),
  /** The address that was invited; null if it is not known anymore. */
  email: z.string().nullable(),
  since: z.string(),
});
export type Manager = z.infer<typeof manager>;

const pendingInvitation = z.object({
  id: z.string(),
  email: z.string(),
  expires_at: z.string(),
  /** It has expired. */
  late: z.boolean(),
});
export type PendingInvitation = z.infer<typeof pendingInvitation>;

const listingPeople = z.object({
  name: z.string(),
  /** Whether the caller owns it, and so may invite. */
  yours: z.boolean(),
  managers: z.array(manager),
  invitations: z.array(pendingInvitation),
});
/** The name of a listing, its managers, and the invitations that were not accepted. */
type ListingPeople = z.infer<typeof listingPeople>;

/**
 * The managers and invitations of a listing, for its owner or an admin. One database call.
 * @throws HttpError 404, the same for someone else's listing and for one that does not exist
 * @throws DataError
 */
export async function getListingPeople(db: Db, listing: number): Promise<ListingPeople> {
  const people = await callFunction(
    db,
    "get_listing_managers",
    { place_id: listing },
    listingPeople.nullable(),
  );
  if (!people) throw noSuchListing();
  return people;
}

type Invited = { refused: Record<string, string[]> } | { alsoSentTo: string | null };

/**
 * Invites someone to manage a listing. Submitting the same form twice invites once. With another address, as after its
 * answer was lost, it makes another invitation. The result does not reveal whether the address has an account.
 * @returns the errors by field if the database refused it; otherwise the other address that this form has invited and
 *   that hasn't answered, if any
 * @throws DataError
 */
export async function inviteManager(
  db: Db,
  listing: number,
  { email, submission_id: first }: InviteForm,
): Promise<Invited> {
  const invite = async (invitation: string): Promise<DataError | null> => {
    const token = createInvitationToken(invitation);
    try {
      unwrap(await db.rpc("invite_manager", { invitation, place_id: listing, email, token }));
      return null;
    } catch (error) {
      if (!(error instanceof DataError) || error.failure !== "refused") throw error;
      return error;
    }
  };
  let refusal = await invite(first);
  if (refusal === null) return { alsoSentTo: null };
  if (refusal.reason === "invitation_already_sent")
    refusal = await invite(createNextInvitationId(first, email));
  if (refusal !== null) return { refused: { email: [explainRefusal(refusal, MANAGER_REFUSALS)] } };
  const { invitations } = await getListingPeople(db, listing);
  return { alsoSentTo: invitations.find(({ id }) => id === first)?.email ?? null };
}

/**
 * Cancels an invitation.
 * @returns false if it was not pending anymore
 * @throws DataError, "denied" for anyone but the listing's owner and admins
 */
export async function withdrawInvitation(db: Db, invitation: string): Promise<boolean> {
  return unwrap(await db.rpc("withdraw_invitation", { invitation }));
}

/**
 * Removes a manager from a listing.
 * @returns false if they were not a manager of it
 * @throws DataError, "denied" for anyone but the listing's owner and admins
 */
export async function removeManager(db: Db, listing: number, person: string): Promise<boolean> {
  return unwrap(await db.rpc("remove_manager", { place_id: listing, user_id: person }));
}

/**
 * Ends the caller's role as a manager of a listing.
 * @returns false if they were not a manager of it
 * @throws DataError
 */
export async function leaveListing(db: Db, listing: number): Promise<boolean> {
  return unwrap(await db.rpc("leave_listing", { place_id: listing }));
}
