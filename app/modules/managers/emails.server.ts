import { z } from "zod";

import { paths } from "~/http/paths";
import { defineEmail } from "~/modules/emails/render-email.server";
import { isolate } from "~/text/isolate";

import { getInvitationUrl } from "./invitation.server";

/**
 * An invitation to manage a listing. Someone else may read that mailbox, so the email names neither
 * the listing, nor its owner, nor the directory.
 */
export const managerInvitation = defineEmail(
  // (Callers of the data API choose the id: any uuid of Postgres, not only those of a version.)
  z.object({ invitation_id: z.guid() }),
  ({ invitation_id: id }) => ({
    subject: "An invitation for you",
    paragraphs: [
      "You’ve been invited to help manage a listing.",
      "Sign in or sign up with this email address, and you’ll see which listing it is before you accept. The link works once, for seven days.",
      "Not expecting this? You can ignore it.",
    ],
    action: { label: "See the invitation", url: getInvitationUrl(id) },
    because:
      "You’re receiving this because someone entered your address. If you don’t accept, we’ll delete your address a month after the invitation expires.",
  }),
);

/** For the owner: someone accepted an invitation, and reads the messages to the listing from now on. */
export const managerJoined = defineEmail(
  z.object({
    place_id: z.number(),
    name: z.string(),
    /** Whether they have left, or were removed, before the email is sent. */
    left: z.boolean().default(false),
  }),
  ({ place_id: id, name, left }, { appUrl }) => ({
    subject: "Your invitation was accepted",
    paragraphs: left
      ? [
          `Someone you invited managed “${isolate(name)}” with you for a while and could read its messages. They no longer manage it.`,
        ]
      : [
          `Someone you invited now manages “${isolate(name)}” with you. They can edit, hide or show it and reply to its messages.`,
          "Didn’t invite them, or changed your mind? You can remove them any time.",
        ],
    action: { label: "See who manages it", url: `${appUrl}${paths.listingManagers(id)}` },
  }),
);
