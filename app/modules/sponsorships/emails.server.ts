import { z } from "zod";

import { paths } from "~/http/paths";
import { defineEmail } from "~/modules/emails/render-email.server";
import { formatFullDate } from "~/text/dates";
import { isolate } from "~/text/isolate";

/** A sponsorship was paid for. */
export const sponsorshipConfirmed = defineEmail(
  z.object({
    sponsorship_id: z.number(),
    business: z.string().nullable(),
    dates: z.array(z.iso.date()).min(1),
  }),
  ({ sponsorship_id, business, dates }, { appUrl }) => ({
    subject: "Your dates are confirmed",
    paragraphs: [
      `Thank you! ${business === null ? "Your business" : `“${isolate(business)}”`} will be in the newsletter on:`,
      dates.map((date) => `• ${formatFullDate(date)}`).join("\n"),
      "You can edit your feature until the newsletter goes out.",
    ],
    action: { label: "See your order", url: `${appUrl}${paths.sponsorship(sponsorship_id)}` },
  }),
);

/** No one can find the listing that a newsletter is booked for, so that the team leaves it out. */
export const featureUnseen = defineEmail(
  z.object({ sponsorship_id: z.number(), date: z.iso.date(), business: z.string() }),
  ({ sponsorship_id, date, business }, { appUrl }) => ({
    subject: "About your newsletter dates",
    paragraphs: [
      `No one can see “${isolate(business)}” right now, and we don’t feature a listing that no one can find. You’ve booked the newsletter on ${formatFullDate(date)} for it.`,
      "Don’t expect that to change? Please cancel while you can still get a refund. If you have questions, please get in touch.",
    ],
    action: { label: "See your order", url: `${appUrl}${paths.sponsorship(sponsorship_id)}` },
  }),
);
