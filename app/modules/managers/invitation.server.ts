import { createHash, createHmac } from "node:crypto";

import { z } from "zod";

import { env } from "~/env.server";
import { invitationCookie, readCookie } from "~/http/cookies.server";
import { paths } from "~/http/paths";
import { callFunction } from "~/integrations/supabase/call-function.server";
import type { Db } from "~/integrations/supabase/clients.server";

import { INVITATION_STATES } from "./rules";

/**
 * The token in the link of an invitation: an HMAC of the invitation's id. It is computed when the
 * invitation is made, and again when its email is written. The database stores only a hash of it.
 */
export function createInvitationToken(invitationId: string): string {
  return createHmac("sha256", env().sessionSecret)
    .update(`invitation ${invitationId}`)
    .digest("base64url");
}

/**
 * The id of the invitation that a form makes for another address, after it has made one: always the same one, so that
 * sending the form again with it invites once.
 * @param first the id of the first invitation, which is the form's one-submit token
 */
export function createNextInvitationId(first: string, email: string): string {
  const hash = createHash("sha256").update(`${first} ${email}`).digest("hex");
  return `${hash.slice(0, 8)}-${hash.slice(8, 12)}-8${hash.slice(13, 16)}-8${hash.slice(17, 20)}-${hash.slice(20, 32)}`;
}

/** The URL in the email of an invitation. */
export function getInvitationUrl(invitationId: string): string {
  return `${env().appUrl}${paths.invitation(createInvitationToken(invitationId))}`;
}

/** Whether a text has the form of an invitation's token. */
export const isInvitationToken = (text: string) => /^[\w-]{43}$/.test(text);

/** The token of the invitation that this browser opened and did not accept yet; null without one. */
export async function readOpenedInvitation(request: Request): Promise<string | null> {
  const token = await readCookie(invitationCookie(), request);
  return typeof token === "string" && isInvitationToken(token) ? token : null;
}

const invitation = z.object({
  state: z.enum(INVITATION_STATES),
  /** The listing's name. Only for an invitation that is open or was just accepted. */
  name: z.string().optional(),
  /** When it expires. Only for an invitation that is open. */
  until: z.string().optional(),
  /** Whether the public can't find the listing under this name. Only for an invitation that is open. */
  unseen: z.boolean().optional(),
});
/** An invitation as its link shows it to the caller. */
type Invitation = z.infer<typeof invitation>;

/** Finds the invitation of a token. One database call. @throws DataError */
export async function getInvitation(db: Db, token: string): Promise<Invitation> {
  if (!isInvitationToken(token)) return { state: "unknown" };
  return callFunction(db, "invitation_offer", { token }, invitation);
}

/**
 * Accepts an invitation for the caller.
 * @returns the state "accepted", or the state that does not allow it
 * @throws DataError
 */
export async function acceptInvitation(db: Db, token: string): Promise<Invitation> {
  if (!isInvitationToken(token)) return { state: "unknown" };
  return callFunction(db, "accept_invitation", { token }, invitation);
}
