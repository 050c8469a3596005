/** What a listing can be, and what follows from it. Pure: the database holds the same rules. */

export const LISTING_STATUSES = ["new", "flagged", "archived", "pending-update", "published"] as const;
export type ListingStatus = (typeof LISTING_STATUSES)[number];

export interface StatusBadge {
  label: string;
  tone: "published" | "waiting" | "featured" | "wrong" | "plain";
}

const STATUS_BADGES: Record<ListingStatus, StatusBadge> = {
  new: { label: "Pending Review", tone: "waiting" },
  "pending-update": { label: "Pending Review", tone: "waiting" },
  published: { label: "Published", tone: "published" },
  flagged: { label: "Flagged", tone: "wrong" },
  archived: { label: "Archived", tone: "plain" },
};

/** The badges of a listing: its status in words, and "Featured" when it is. */
export function statusBadges(listing: { status: string | null; premium: boolean | null }): StatusBadge[] {
  const status = STATUS_BADGES[listing.status as ListingStatus];
  return [...(status ? [status] : []), ...(listing.premium ? [{ label: "Featured", tone: "featured" } as const] : [])];
}

/**
 * Whether a listing is the person's own, or waits to be claimed: it has no owner and names their
 * confirmed e-mail address. Owned wins when both are true.
 */
export function claimState(
  listing: { owner: string | null; owner_email: string | null },
  person: { id: string; email: string },
): "owned" | "unclaimed" | "other" {
  if (listing.owner === person.id) return "owned";
  if (listing.owner === null && listing.owner_email && listing.owner_email === person.email) return "unclaimed";
  return "other";
}

/** Category ids that carry rules of their own. */
export const THERAPIST = 2;
export const COMMUNITY_GROUP = 14;
export const JOBS_PARENT = 40;

export const NO_PERMISSION = "You do not have permission to edit this listing.";
export const SUBMITTED = "Your listing has been submitted for review!";

const asText = (value: unknown): string => (typeof value === "string" || typeof value === "number" ? String(value) : "");

/** The values of a listing as its form holds them: text, and "on" for a ticked box. */
export function editableValues(listing: Readonly<Record<EditableColumn, unknown>>): Record<EditableColumn, string | string[]> {
  const asTyped = (value: unknown): string | string[] => {
    if (Array.isArray(value)) return value.map(asText);
    return typeof value === "boolean" ? (value ? "on" : "") : asText(value);
  };
  return Object.fromEntries(EDITABLE_COLUMNS.map((name) => [name, asTyped(listing[name])])) as Record<EditableColumn, string | string[]>;
}

/** A value of a listing for reading: "Yes" and "No" for boxes, "Empty" for nothing. */
export function valueInWords(value: unknown): string {
  if (Array.isArray(value)) return value.map(asText).join(", ") || "Empty";
  if (typeof value === "boolean") return value ? "Yes" : "No";
  return value === "on" ? "Yes" : asText(value) || "Empty";
}

export const EDITABLE_COLUMNS = [
  "name",
  "category",
  "description",
  "rawaddress",
  "city",
  "state",
  "postalcode",
  "country",
  "licensed_locations",
  "queer_programming",
  "mission_statement",
  "third_party_auth",
  "certified_queer",
] as const;
export type EditableColumn = (typeof EDITABLE_COLUMNS)[number];

/** What people call each column of a listing. */
export const COLUMN_LABELS: Readonly<Record<EditableColumn, string>> = {
  name: "Business Name",
  category: "Category",
  description: "About/Bio",
  rawaddress: "Address",
  city: "City",
  state: "State or province",
  postalcode: "ZIP / postal code",
  country: "Country",
  licensed_locations: "Where are you licensed",
  queer_programming: "Programs for queer or trans people",
  mission_statement: "Mission statement",
  third_party_auth: "Agreed to be listed publicly",
  certified_queer: "Certified as queer-owned or queer-serving",
};

/** A column's name for people; a column without a name of its own is told by its words. */
export function labelOfColumn(column: string): string {
  const known = COLUMN_LABELS[column as EditableColumn] as string | undefined;
  return known ?? column.replaceAll("_", " ").replace(/^./, (letter) => letter.toUpperCase());
}
