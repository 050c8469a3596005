import { z } from "zod";

import { paths } from "~/http/paths";
import { defineEmail } from "~/modules/emails/render-email.server";

import { dayInWords } from "./day";

/** Somebody asked for their account to be deleted, or somebody else did in their name. */
export const accountDeletion = defineEmail(
  z.object({ due_at: z.iso.datetime({ offset: true }) }),
  ({ due_at: due }, { appUrl }) => ({
    subject: "Your account will be deleted",
    paragraphs: [
      `You asked us to delete your account. We will do it on ${dayInWords(due)}, for good.`,
      "If you have changed your mind, or if it was not you who asked, sign in and keep your account. If it was not you, choose a new password as well.",
    ],
    action: { label: "Keep my account", url: `${appUrl}${paths.privacy()}` },
  }),
);
