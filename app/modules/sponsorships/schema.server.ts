import { z } from "zod";

import {
  selectedId,
  optionalText,
  requiredText,
  formVersion,
  submissionToken,
} from "~/http/form-fields.server";

import { webLinkOf } from "./fields";
import { centsOf, isNewsletterDay, PROMO_LIMIT, rateProblem } from "./rules";

/** Line ends come from a form as two characters, and are counted and kept as one. */
const plainLineEnds = (value: unknown) =>
  typeof value === "string" ? value.replaceAll("\r\n", "\n") : value;

const rate = z.string({ error: rateProblem(null)! }).transform((typed, context) => {
  const cents = centsOf(typed);
  const problem = rateProblem(cents);
  if (cents !== null && problem === null) return cents;
  context.addIssue({ code: "custom", message: problem ?? "" });
  return z.NEVER;
});

/** What a feature says: it may be mended at any time, before payment and after. */
const words = {
  promo_text: z.preprocess(
    plainLineEnds,
    requiredText(PROMO_LIMIT, "Write what readers should know."),
  ),
  link: optionalText(2_000)
    .refine(
      (typed) => typed === null || webLinkOf(typed) !== null,
      "Enter a web address, like https://example.com.",
    )
    .transform((typed) => (typed === null ? null : webLinkOf(typed))),
  location: optionalText(300),
  photo_location: optionalText(2_000),
  version: formVersion,
};

/** The form of an order that is paid for: its words alone. Its business, price and dates stay. */
export const wordsSchema = z.object(words);

/**
 * What the form of an order may send. Anything else in it is not read: no total, no owner, and not that it
 * is paid. Whether a date can be had is the newsletter's to say, not the form's.
 */
export const sponsorshipSchema = z.object({
  place_id: selectedId("Choose a business."),
  ...words,
  /** Cents. */
  rate,
  sponsorship_dates: z
    .array(z.string())
    .default([])
    .refine(
      (dates) => dates.every(isNewsletterDay),
      "Newsletters go out on Tuesdays and Thursdays.",
    )
    .refine((dates) => dates.length <= 104, "Choose fewer dates.")
    .transform((dates) => [...new Set(dates)].sort()),
  submission_id: submissionToken,
});

export type SponsorshipValues = z.output<typeof sponsorshipSchema>;
export type WordsValues = z.output<typeof wordsSchema>;
