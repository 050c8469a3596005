import type { Db } from "~/integrations/supabase/clients.server";
import { DataError, unwrap } from "~/integrations/supabase/data.server";
import { noSuchListing } from "~/modules/listings/listing.server";

import { invitationToken } from "./invitation-link.server";
import type { InviteForm } from "./schema.server";

/** Somebody who manages a listing for its owner. */
export interface Manager {
  id: string;
  name: string | null;
  /** The address that was invited; null when that is not known any more. */
  email: string | null;
  since: string;
}

/** An invitation that waits for an answer, or that nobody answered in time. */
export interface OpenInvitation {
  id: string;
  email: string;
  expires_at: string;
  late: boolean;
}

export interface PeopleOfListing {
  name: string;
  managers: Manager[];
  invitations: OpenInvitation[];
}

/**
 * Who manages a listing, for its owner or an admin. One call.
 * @throws HttpError 404 with the same words whether it is another's or does not exist; DataError
 */
export async function peopleOf(db: Db, listing: number | null): Promise<PeopleOfListing> {
  const people =
    listing === null
      ? null
      : (unwrap(
          await db.rpc("people_of_listing", { place_id: listing }),
        ) as unknown as PeopleOfListing | null);
  if (!people) throw noSuchListing();
  return people;
}

/**
 * Invites somebody. The same form sent twice invites once; the answer tells nothing of whether the address has an account.
 * @returns why the database refused it, by field; null when it was sent
 * @throws DataError
 */
export async function invite(
  db: Db,
  listing: number,
  { email, submission_id: invitation }: InviteForm,
): Promise<Record<string, string[]> | null> {
  try {
    unwrap(
      await db.rpc("invite_manager", {
        invitation,
        place_id: listing,
        email,
        token: invitationToken(invitation),
      }),
    );
    return null;
  } catch (error) {
    if (!(error instanceof DataError) || error.failure !== "refused") throw error;
    return { email: [error.message] };
  }
}

/** Takes an invitation back; false when it was not open any more. Throws DataError (denied, for anybody but the owner). */
export async function withdraw(db: Db, invitation: string): Promise<boolean> {
  return unwrap(await db.rpc("withdraw_invitation", { invitation }));
}

/** Ends that somebody manages a listing; false when they didn't. Throws DataError (denied, for anybody but the owner). */
export async function removeManager(db: Db, listing: number, person: string): Promise<boolean> {
  return unwrap(await db.rpc("remove_manager", { place_id: listing, person }));
}

/** The caller stops managing a listing; false when they didn't manage it. Throws DataError. */
export async function leave(db: Db, listing: number): Promise<boolean> {
  return unwrap(await db.rpc("leave_listing", { place_id: listing }));
}
