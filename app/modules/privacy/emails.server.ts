import { z } from "zod";

import { paths } from "~/http/paths";
import { defineEmail } from "~/modules/emails/render-email.server";
import { formatLongDate } from "~/text/dates";

/** The user, or someone else in their name, requested the deletion of the account. */
export const accountDeletion = defineEmail(
  z.object({ due_at: z.iso.datetime({ offset: true }) }),
  ({ due_at: due }, { appUrl }) => ({
    subject: "Your account will be deleted",
    paragraphs: [
      `As you asked, we’ll delete your account on ${formatLongDate(due)}. After that, this can’t be undone.`,
      "Changed your mind? Sign in to keep your account. Didn’t ask for this? Sign in, keep your account and change your password right away.",
    ],
    action: { label: "Keep my account", url: `${appUrl}${paths.privacy()}` },
  }),
);
