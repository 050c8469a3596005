import { z } from "zod";

import { paths } from "~/http/paths";
import { defineEmail } from "~/modules/emails/render-email.server";
import { formatDeadline } from "~/text/deadlines";
import { isolate } from "~/text/isolate";

import { withLastCharge } from "./rules";

/** For the payer of a plan: its listing was removed from the directory, so we have stopped it. */
export const planStopped = defineEmail(
  z.object({
    listing: z.string().nullable(),
    /** Until when it is paid for; null when it has ended: its last bill hadn't been paid, or is refunded, or it was paused. */
    ends_at: z.string().nullable(),
    /** Whether its last bill is refunded, which was charged before the plan could be stopped. */
    refunded: z.boolean().default(false),
    /** Whether the debit of its last bill is on its way from the bank. */
    awaits_renewal: z.boolean().default(false),
    /** Whether its first payment is on its way, so that nothing is paid for yet. */
    awaited: z.boolean().default(false),
    /** Whether it was paused, so that nothing was owed. */
    paused: z.boolean().default(false),
  }),
  ({ listing, ends_at, refunded, awaits_renewal, awaited, paused }, { appUrl }) => ({
    subject: "Your plan has been stopped",
    paragraphs: [
      withLastCharge(
        `${listing ? `“${isolate(listing)}”` : "Your listing"} was removed from the directory, so we’ve stopped its plan`,
        awaits_renewal,
        "and we won’t charge you for it again",
      ),
      awaited
        ? "Your first payment hasn’t arrived yet. When it does, we’ll refund it, and the plan ends."
        : ends_at === null
          ? awaits_renewal
            ? "When that payment arrives, we’ll refund it. The plan has already ended."
            : refunded
              ? "You were charged just before we could stop it. We’re refunding that charge, and the plan has ended."
              : paused
                ? "The plan was paused, so it has ended right away."
                : "Its last bill hadn’t been paid, so the plan has ended. We’ve stopped trying to collect that bill."
          : `You’ve paid for it until ${formatDeadline(ends_at)}, and it ends then. If the listing is back before that, you can keep the plan.`,
      "If you have questions about this, please get in touch with us.",
    ],
    action: { label: "See your purchases", url: `${appUrl}${paths.purchases()}` },
  }),
);
