import { z } from "zod";

import { paths } from "~/http/paths";
import { defineEmail } from "~/modules/emails/render-email.server";
import { formatFullDate } from "~/text/dates";
import { isolate } from "~/text/isolate";

import { describeCopied } from "./feature-deadline";
import { listCancelableDates } from "./rules";

/** One date a line. */
const listDates = (dates: readonly string[]) =>
  dates.map((date) => `• ${formatFullDate(date)}`).join("\n");

const EDITABLE =
  "You can edit your feature until the newsletter goes out. In the two days before that, our team may already have copied it into the newsletter. If you change something important then, please tell us, too.";

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
      listDates(dates),
      EDITABLE,
    ],
    action: { label: "See your order", url: `${appUrl}${paths.sponsorship(sponsorship_id)}` },
  }),
);

/** Our team has changed what a newsletter that is still to come will say, or an order that isn’t paid for. */
export const featureEdited = defineEmail(
  z.object({
    sponsorship_id: z.number(),
    business: z.string(),
    /** (Absent from a database of the previous release.) */
    unpaid: z.boolean().default(false),
    /** Whether our team has added the order. (Absent from a database of the previous release.) */
    added: z.boolean().default(false),
  }),
  ({ sponsorship_id, business, unpaid, added }, { appUrl }) => ({
    subject: added ? "You have a new newsletter feature" : "Your newsletter feature was changed",
    paragraphs: [
      `Our team ${added ? "has added a newsletter feature for" : "made a change to your newsletter feature for"} “${isolate(business)}”${added ? " to your account" : ""}. Please check that it looks right${unpaid ? " before you pay for it" : ""}.`,
      ...(unpaid ? [] : [EDITABLE]),
    ],
    action: { label: "Check the feature", url: `${appUrl}${paths.sponsorship(sponsorship_id)}` },
  }),
);

/** No one can find the listing that newsletters are booked for, so that the team leaves it out. */
export const featureUnseen = defineEmail(
  z.object({
    sponsorship_id: z.number(),
    business: z.string(),
    /** Those that can still be canceled, and those that can’t. */
    dates: z.array(z.iso.date()),
    late: z.array(z.iso.date()).default([]),
    /** Until how many days before; emails that were queued before this was known don't have it. */
    days: z.number().optional(),
  }),
  (data, { appUrl }) => {
    const { sponsorship_id, business, days } = data;
    // The email may come days late.
    const now = new Date();
    const dates = days === undefined ? data.dates : listCancelableDates(data.dates, days, now);
    const late = [...data.late, ...data.dates.filter((date) => !dates.includes(date))].sort();
    return {
      subject: "About your newsletter dates",
      paragraphs: [
        `No one can see “${isolate(business)}” right now, and we don’t feature a listing that no one can find.`,
        ...(dates.length > 0
          ? [
              "You’ve booked:",
              listDates(dates),
              "If people won’t be able to see it again by then, please cancel what you’ve booked while you can still get a refund.",
            ]
          : []),
        ...(late.length > 0
          ? [
              dates.length > 0
                ? "It’s too late to cancel these:"
                : "You’ve booked these, and it’s too late to cancel:",
              listDates(late),
            ]
          : []),
        describeCopied([...late, ...dates].sort(), now) ??
          "If you have questions, please get in touch.",
      ],
      action: { label: "See your order", url: `${appUrl}${paths.sponsorship(sponsorship_id)}` },
    };
  },
);
