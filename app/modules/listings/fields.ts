/**
 * The fields of a listing: what people call each, and who sees what is written there. The form, the
 * comparison of two versions and the review desk all read this one table.
 */

import { toFormValues } from "~/components/forms/form-state";

/** "public": everybody, in the directory. "team": the directory's admins alone. */
export type Audience = "public" | "team";

interface Field {
  label: string;
  audience: Audience;
}

const shown = (label: string): Field => ({ label, audience: "public" });
const kept = (label: string): Field => ({ label, audience: "team" });

export const LISTING_FIELDS = {
  name: shown("Business Name"),
  category: shown("Category"),
  online_categories: shown("Online Shopping Category"),
  licensed_locations: shown("Where are you licensed"),
  description: shown("About/Bio"),
  rawaddress: shown("Address"),
  mailingaddress: kept("Mailing Address"),
  public_email: shown("Contact Email"),
  phone: shown("Phone"),
  url: shown("Website"),
  tiktok: shown("TikTok"),
  instagram: shown("Instagram"),
  xtwitter: shown("X/Twitter"),
  youtube: shown("YouTube"),
  facebook: shown("Facebook"),
  linkedin: shown("LinkedIn"),
  online: shown("We sell or serve online"),
  physicalLocation: shown("We have a place that people can visit"),
  bipocOwned: shown("Owned by Black, Indigenous or other people of color"),
  outdoor: shown("Outdoor space"),
  nonprofit: shown("Nonprofit"),
  gender_neutral_bathrooms: shown("Gender-neutral bathrooms"),
  masks_required: shown("Masks required"),
  wholesale: shown("We sell wholesale"),
  wholesale_buyer: shown("We buy wholesale"),
  affiliate: shown("We have an affiliate program"),
  queer_programming: shown("We offer programs for queer or trans people"),
  mission_statement: shown("Our mission statement says that we serve queer or trans people"),
  third_party_auth: kept("I agree that this listing is shown publicly in the directory"),
  certified_queer: shown(
    "I certify that this business or organization is queer-owned or queer-serving",
  ),
} as const satisfies Record<string, Field>;

export type ListingField = keyof typeof LISTING_FIELDS;
export const LISTING_FIELD_NAMES = Object.keys(LISTING_FIELDS) as ListingField[];

/** The most characters of each text. The database holds as much, and refuses more. */
export const LISTING_LIMITS = {
  name: 200,
  description: 5_000,
  rawaddress: 300,
  mailingaddress: 300,
  public_email: 254,
  phone: 40,
  url: 2_000,
  /** Of each social network. */
  social: 300,
  linkedin: 2_000,
} as const;

export const BONUS_QUESTIONS = [
  "online",
  "physicalLocation",
  "bipocOwned",
  "outdoor",
  "nonprofit",
  "gender_neutral_bathrooms",
  "masks_required",
  "wholesale",
  "wholesale_buyer",
  "affiliate",
] as const satisfies readonly ListingField[];

export const SOCIAL_NETWORKS = [
  "tiktok",
  "instagram",
  "xtwitter",
  "youtube",
  "facebook",
] as const satisfies readonly ListingField[];
export type SocialNetwork = (typeof SOCIAL_NETWORKS)[number];

/** What has no control of its own: it follows from a found address, or the dashboard writes it. */
const DERIVED_LABELS: Record<string, string> = {
  address: "Address on the map",
  city: "City",
  state: "State or province",
  country: "Country",
  postalcode: "ZIP / postal code",
  lat: "Latitude",
  long: "Longitude",
  address_approximate: "Position is approximate",
  proxi_id: "Map id",
  subscription_status: "Featured subscription",
};

/** A column's name for people. */
export function labelOfColumn(column: string): string {
  const known = (LISTING_FIELDS as Record<string, Field>)[column]?.label ?? DERIVED_LABELS[column];
  return known ?? column.replaceAll("_", " ").replace(/^./, (letter) => letter.toUpperCase());
}

const asText = (value: unknown): string =>
  typeof value === "string" || typeof value === "number" ? String(value) : "";

/** The values of a listing as its form holds them: text, and "on" for a ticked box. */
export function editableValues(
  listing: Readonly<Record<ListingField, unknown>>,
): Record<ListingField, string | string[]> {
  return toFormValues(listing, LISTING_FIELD_NAMES);
}

interface Named {
  id: number;
  name: string;
}

/** A column's value for reading, with categories by their names. */
export function columnInWords(
  column: string,
  value: unknown,
  {
    categories,
    onlineCategories,
  }: Readonly<Record<"categories" | "onlineCategories", readonly Named[]>>,
): string {
  const names = (choices: readonly Named[]) =>
    [value].flat().map((id) => choices.find((one) => String(one.id) === String(id))?.name ?? id);
  if (column === "category") return valueInWords(names(categories));
  return valueInWords(column === "online_categories" && value ? names(onlineCategories) : value);
}

/** A value of a listing for reading: "Yes" and "No" for boxes, "Empty" for nothing. */
export function valueInWords(value: unknown): string {
  if (Array.isArray(value)) return value.map(asText).join(", ") || "Empty";
  if (typeof value === "boolean") return value ? "Yes" : "No";
  return value === "on" ? "Yes" : asText(value) || "Empty";
}
