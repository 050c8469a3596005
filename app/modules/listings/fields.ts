/**
 * The fields of a listing, each defined once, in the order of the form. The form, its labels, hints, and
 * limits, the zod schema, the columns that are read, the comparison of two versions, the review, and the CSV
 * export follow from this table. The SQL lists of the same columns are compared with it in
 * tests/database/listing-fields.test.ts.
 */

import type { Audience } from "~/components/forms/audience-mark";
import { formatCode } from "~/text/values";

interface Field {
  kind: "text" | "social" | "category" | "list" | "box" | "bonus";
  label: string;
  audience: Audience;
  /** The most characters of a text. The form accepts no more; the database may. */
  maxLength?: number;
}

/** The most characters of a link to a social network. */
export const MAX_SOCIAL_LENGTH = 300;

const text = (label: string, maxLength: number, audience: Audience = "public") =>
  ({ kind: "text", label, audience, maxLength }) as const;
/** A social network where a name stands for a link; social-links.ts has its rule. */
const social = (label: string) =>
  ({ kind: "social", label, audience: "public", maxLength: MAX_SOCIAL_LENGTH }) as const;
/** Several values from a list. */
const list = (label: string) => ({ kind: "list", label, audience: "public" }) as const;
const box = (label: string, audience: Audience = "public") =>
  ({ kind: "box", label, audience }) as const;
/** A checkbox in the section "Bonus Questions". */
const bonus = (label: string) => ({ kind: "bonus", label, audience: "public" }) as const;

export const LISTING_FIELDS = {
  name: text("Business Name", 200),
  category: { kind: "category", label: "Category", audience: "public" },
  online_categories: list("Online Shopping Category"),
  licensed_locations: list("Where you’re licensed"),
  queer_programming: box("We offer programs for queer or trans people"),
  mission_statement: box("Our mission statement says that we serve queer or trans people"),
  description: text("About/Bio", 5_000),
  rawaddress: text("Address", 300),
  mailingaddress: text("Mailing Address", 300, "private"),
  public_email: text("Contact Email", 254),
  phone: text("Phone", 40),
  url: text("Website", 2_000),
  tiktok: social("TikTok"),
  instagram: social("Instagram"),
  xtwitter: social("X/Twitter"),
  youtube: social("YouTube"),
  facebook: social("Facebook"),
  // The full link only: a name does not say whether it is a person's or a company's.
  linkedin: text("LinkedIn", 2_000),
  online: bonus("We sell or serve online"),
  physicalLocation: bonus("We have a physical location"),
  bipocOwned: bonus("Owned by Black, Indigenous or other people of color"),
  outdoor: bonus("Outdoor space"),
  nonprofit: bonus("Nonprofit"),
  gender_neutral_bathrooms: bonus("Gender-neutral bathrooms"),
  masks_required: bonus("Masks required"),
  wholesale: bonus("We sell wholesale"),
  wholesale_buyer: bonus("We buy wholesale"),
  affiliate: bonus("We have an affiliate program"),
  third_party_auth: box("I agree to have this listing shown publicly in the directory", "private"),
  certified_queer: box(
    "I certify that this business or organization is queer-owned or queer-serving",
  ),
} as const satisfies Record<string, Field>;

/** The label of the box that stands for a mailing address like the one on the map. */
export const SAME_MAILING_ADDRESS = "Mailing address is the same as the address";

export type ListingField = keyof typeof LISTING_FIELDS;
export const LISTING_FIELD_NAMES = Object.keys(LISTING_FIELDS) as ListingField[];

type FieldsOfKind<Kind extends Field["kind"]> = {
  [Name in ListingField]: (typeof LISTING_FIELDS)[Name]["kind"] extends Kind ? Name : never;
}[ListingField];

/** The names of the fields of some kinds, in the order of the table. */
const fieldsOfKind = <Kind extends Field["kind"]>(...kinds: Kind[]) =>
  LISTING_FIELD_NAMES.filter((name): name is FieldsOfKind<Kind> =>
    (kinds as Field["kind"][]).includes(LISTING_FIELDS[name].kind),
  );

export type TextField = FieldsOfKind<"text">;
export type SocialNetwork = FieldsOfKind<"social">;
export const SOCIAL_NETWORKS = /* @__PURE__ */ fieldsOfKind("social");
export const BONUS_QUESTIONS = /* @__PURE__ */ fieldsOfKind("bonus");
/** Every field that is a firstValue checkbox. */
export const CHECKBOX_FIELDS = /* @__PURE__ */ fieldsOfKind("bonus", "box");

/** The columns that follow from the address that was chosen, with their labels. */
const ADDRESS_LABELS = {
  address: "Address on the map",
  address_approximate: "Position is approximate",
  city: "City",
  state: "State or province",
  country: "Country",
  postalcode: "ZIP / postal code",
  lat: "Latitude",
  long: "Longitude",
};
export const ADDRESS_COLUMNS = Object.keys(ADDRESS_LABELS);

const OTHER_LABELS: Record<string, string> = {
  ...ADDRESS_LABELS,
  /** What `withMove` says about its coordinates. */
  position: "Pin on the map",
  proxi_id: "Map ID",
  premium: "Featured",
  archive_requested: "Removal requested",
  subscription_status: "Featured plan",
};

/** A column's label; for a column that has none, its name as words. */
export function getColumnLabel(column: string): string {
  const known = (LISTING_FIELDS as Record<string, Field>)[column]?.label ?? OTHER_LABELS[column];
  return known ?? formatCode(column);
}
