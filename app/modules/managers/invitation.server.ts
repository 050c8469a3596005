import { invitationCookie, readCookie } from "~/http/cookies.server";
import type { Db } from "~/integrations/supabase/clients.server";
import { unwrap } from "~/integrations/supabase/data.server";

import { looksLikeToken } from "./invitation-link.server";
import type { InvitationState } from "./rules";

/** What an invitation offers whoever asks: the listing's name, and until when, only while it is open and theirs. */
export interface Offer {
  state: InvitationState;
  name?: string;
  until?: string;
}

/** The token of the invitation that this browser opened and has not answered; null without one. */
export async function openedInvitation(request: Request): Promise<string | null> {
  const kept = await readCookie(invitationCookie(), request);
  return typeof kept === "string" && looksLikeToken(kept) ? kept : null;
}

/** One call. Throws DataError. */
export async function offerOf(db: Db, token: string): Promise<Offer> {
  if (!looksLikeToken(token)) return { state: "unknown" };
  return unwrap(await db.rpc("invitation_offer", { token })) as unknown as Offer;
}

/** Uses an invitation up, for the caller. Gives what came of it: accepted, or why not. Throws DataError. */
export async function accept(db: Db, token: string): Promise<Offer> {
  if (!looksLikeToken(token)) return { state: "unknown" };
  return unwrap(await db.rpc("accept_invitation", { token })) as unknown as Offer;
}
