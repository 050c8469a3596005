import { z } from "zod";

import { paths } from "~/http/paths";
import { defineEmail } from "~/modules/emails/render-email.server";

import { getInvitationUrl } from "./invitation.server";

/**
 * An invitation to manage a listing. Someone else may read that mailbox, so the email names neither
 * the listing, nor its owner, nor the directory.
 */
export const managerInvitation = defineEmail(
  z.object({ invitation_id: z.uuid() }),
  ({ invitation_id: id }) => ({
    subject: "An invitation for you",
    paragraphs: [
      "Somebody would like your help: they invite you to manage a listing of theirs.",
      "Open the link and sign in with this e-mail address, or sign up with it. Then you see which listing it is, and can say yes or leave it. The link works once, for seven days.",
      "If you don’t know what this is about, do nothing.",
    ],
    action: { label: "See the invitation", url: getInvitationUrl(id) },
    because:
      "You get this email because someone entered your address. Unless you accept, we forget it a month after the invitation has run out.",
  }),
);

/** For the owner: someone accepted an invitation, and reads the messages to the listing from now on. */
export const managerJoined = defineEmail(
  z.object({ place_id: z.number(), name: z.string() }),
  ({ place_id: id, name }, { appUrl }) => ({
    subject: "Your invitation was accepted",
    paragraphs: [
      `Someone you invited now manages “${name}” with you. They can edit it, and read and answer the messages it gets.`,
      "If you didn’t invite them, or have changed your mind, you can remove them at any time.",
    ],
    action: { label: "See who manages it", url: `${appUrl}${paths.listingManagers(id)}` },
  }),
);
