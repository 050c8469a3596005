import { z } from "zod";

import {
  selectedId,
  optionalLine,
  requiredProse,
  formVersion,
  submissionToken,
} from "~/http/form-fields.server";
import { parseDollars } from "~/text/dollars";

import { FEATURE_LIMITS } from "./fields";
import { findRateError, isNewsletterDay, MAX_PROMO_CHARACTERS } from "./rules";
import { toWebLink } from "./web-link";

/** A browser sends a line break as two characters. It is counted and stored as one. */
const normalizeLineBreaks = (value: unknown) =>
  typeof value === "string" ? value.replaceAll("\r\n", "\n") : value;

/** The newsletters of one year. */
const MAX_DATES = 104;

const rate = z.string({ error: findRateError(null)! }).transform((typed, context) => {
  const cents = parseDollars(typed);
  const error = findRateError(cents);
  if (cents !== null && error === null) return cents;
  context.addIssue({ code: "custom", message: error ?? "" });
  return z.NEVER;
});

/** The feature, which can be edited before payment and after. */
const feature = {
  promo_text: z.preprocess(
    normalizeLineBreaks,
    requiredProse(MAX_PROMO_CHARACTERS, "Enter your promo text."),
  ),
  link: optionalLine(FEATURE_LIMITS.link)
    .refine(
      (typed) => typed === null || toWebLink(typed) !== null,
      "Enter a web address, like https://example.com.",
    )
    .transform((typed) => (typed === null ? null : toWebLink(typed))),
  location: optionalLine(FEATURE_LIMITS.location),
  photo_location: optionalLine(FEATURE_LIMITS.photo_location),
  version: formVersion,
};

/** What the form of a paid order sends: only its feature. Business, price, and dates stay. */
export const featureSchema = z.object(feature);

/**
 * What the form of an order sends. Other fields are ignored: a total, an owner, and whether it is paid.
 * Whether the dates are available is checked later, with the newsletters.
 */
export const sponsorshipSchema = z.object({
  place_id: selectedId("Choose a business."),
  ...feature,
  /** Cents. */
  rate,
  sponsorship_dates: z
    .array(z.string())
    .default([])
    .refine(
      (dates) => dates.every(isNewsletterDay),
      "Newsletters go out on Tuesdays and Thursdays.",
    )
    .refine((dates) => dates.length <= MAX_DATES, "Choose fewer dates.")
    .transform((dates) => [...new Set(dates)].sort()),
  submission_id: submissionToken,
});

export type SponsorshipValues = z.output<typeof sponsorshipSchema>;
export type FeatureValues = z.output<typeof featureSchema>;
