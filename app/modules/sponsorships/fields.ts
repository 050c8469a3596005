import { parseWebLink } from "~/text/web-link";

/** The fields of an order, as people know them. */
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
/** What a feature says, as against what it costs. */
export const WORD_FIELDS = ["promo_text", "link", "location", "photo_location"] as const;

/** A web address, as people type it: "example.com/menu" gets its beginning. Null for anything that is none. */
export function webLinkOf(typed: string): string | null {
  return (
    parseWebLink(typed) ??
    (/^[\w-]+(\.[\w-]+)+([/?#]|$)/.test(typed) ? parseWebLink(`https://${typed}`) : null)
  );
}
