import { z } from "zod";

import { paths } from "~/http/paths";
import { defineEmail } from "~/modules/emails/render-email.server";
import { formatDeadline } from "~/text/deadlines";
import { isolate } from "~/text/isolate";

/** For the payer of a plan: its listing was removed from the directory, so we have stopped it. */
export const planStopped = defineEmail(
  z.object({
    listing: z.string().nullable(),
    /** Until when it is paid for; null when it has ended, because its last payment hadn't gone through. */
    ends_at: z.string().nullable(),
  }),
  ({ listing, ends_at }, { appUrl }) => ({
    subject: "Your plan has been stopped",
    paragraphs: [
      `${listing ? `“${isolate(listing)}”` : "Your listing"} was removed from the directory, so we’ve stopped its plan. We won’t charge you for it again.`,
      ends_at === null
        ? "Your last payment hadn’t gone through, so the plan has ended now. We’ve stopped trying to collect it."
        : `You’ve paid for it until ${formatDeadline(ends_at)}, and it ends then. If the listing is back before that, its owner can keep the plan.`,
      "If you have questions about this, please get in touch with us.",
    ],
    action: { label: "See your purchases", url: `${appUrl}${paths.purchases()}` },
  }),
);
