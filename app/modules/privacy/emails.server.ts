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
      `You asked us to delete your account. We will do it on ${formatLongDate(due)} (UTC), for good.`,
      "If you have changed your mind, or if it was not you who asked, sign in and keep your account. If it was not you, choose a new password as well.",
    ],
    action: { label: "Keep my account", url: `${appUrl}${paths.privacy()}` },
  }),
);
