import { createHmac } from "node:crypto";

import { env } from "~/env.server";
import { paths } from "~/http/paths";

/**
 * What the link of an invitation carries. It is reckoned from the invitation's id with our own secret, when the
 * invitation is made and again when its e-mail is written, so that it stands in no table: the database keeps a hash.
 */
export function invitationToken(invitation: string): string {
  return createHmac("sha256", env().sessionSecret)
    .update(`invitation ${invitation}`)
    .digest("base64url");
}

/** The address that an e-mail leads to. */
export function invitationLink(invitation: string): string {
  return `${env().appUrl}${paths.invitation(invitationToken(invitation))}`;
}

/** Whether a text can be a token of ours at all. */
export const looksLikeToken = (text: string) => /^[\w-]{43}$/.test(text);
