import type { SponsorshipField } from "./fields";
import { daysInWords } from "./newsletter-days";
import { isNewsletterDay } from "./rules";

/** A field's value as its form holds it, for reading. */
export function valueInWords(field: SponsorshipField, value: unknown): string {
  const values = [value ?? []]
    .flat()
    .filter((one): one is string => typeof one === "string" && one !== "");
  if (values.length === 0) return "(empty)";
  return field === "sponsorship_dates"
    ? daysInWords(values.filter(isNewsletterDay))
    : values.join(", ");
}
