import { formatDays, isNewsletterDay } from "./rules";

/** The fields of a sponsorship with their labels. */
export const FIELD_LABELS = {
  place_id: "Business",
  promo_text: "Promo text",
  link: "Link",
  location: "Location",
  photo_location: "Photo location",
  rate: "Price per newsletter, in dollars",
  sponsorship_dates: "Dates",
} as const;

export type SponsorshipField = keyof typeof FIELD_LABELS;
export const FIELD_NAMES = Object.keys(FIELD_LABELS) as SponsorshipField[];

/** The fields that a feature consists of. They can be edited after payment. */
export type FeatureField = "promo_text" | "link" | "location" | "photo_location";

export const FEATURE_FIELDS: readonly FeatureField[] = [
  "promo_text",
  "link",
  "location",
  "photo_location",
];

/** The longest that a line of the feature may be, in characters. */
export const FEATURE_LIMITS = { link: 2_000, location: 300, photo_location: 2_000 } as const;

/** Formats a value of the form. */
export function formatSponsorshipValue(field: SponsorshipField, value: unknown): string {
  const values = [value ?? []]
    .flat()
    .filter((one): one is string => typeof one === "string" && one !== "");
  if (values.length === 0) return "(empty)";
  return field === "sponsorship_dates"
    ? formatDays(values.filter(isNewsletterDay))
    : values.join(", ");
}
