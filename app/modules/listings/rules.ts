/** What a listing can be, and what follows from it. Pure: the database holds the same rules. */

export const LISTING_STATUSES = [
  "new",
  "flagged",
  "archived",
  "pending-update",
  "published",
] as const;
export type ListingStatus = (typeof LISTING_STATUSES)[number];

const STATUS_WORDS: Readonly<Record<ListingStatus, string>> = {
  new: "New",
  "pending-update": "Pending update",
  flagged: "Flagged",
  archived: "Archived",
  published: "Published",
};

/** A listing's status as admins tell it apart; owners read "Pending Review" for two of them. */
export function statusInWords(status: string): string {
  return STATUS_WORDS[status as ListingStatus] ?? status;
}

export const STATUS_CHOICES = LISTING_STATUSES.map((value) => ({
  value,
  label: STATUS_WORDS[value],
}));

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
export function statusBadges(listing: {
  status: string | null;
  premium: boolean | null;
}): StatusBadge[] {
  const status = STATUS_BADGES[listing.status as ListingStatus];
  return [
    ...(status ? [status] : []),
    ...(listing.premium ? [{ label: "Featured", tone: "featured" } as const] : []),
  ];
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
  if (listing.owner === null && listing.owner_email && listing.owner_email === person.email)
    return "unclaimed";
  return "other";
}

/** What somebody is to a listing that the database lets them open. */
export type ListingRole = "owner" | "claimant" | "manager" | "team";

/** An admin who does not own a listing opens it for the team; whoever else opens what is another's manages it for them. */
export function roleIn(
  listing: { owner: string | null },
  person: { id: string; admin: boolean },
): ListingRole {
  if (listing.owner === person.id) return "owner";
  if (person.admin) return "team";
  return listing.owner === null ? "claimant" : "manager";
}

/** Category ids that carry rules of their own. */
export const THERAPIST = 2;
export const ONLINE_SHOPPING = 12;
export const COMMUNITY_GROUP = 14;
export const JOBS_PARENT = 40;

/** The product's own words for what keeps a listing from being saved. */
export const ADDRESS_RULE =
  "To make sure we place your business on the map in the right place, please select an address from the dropdown on the location field.";
export const MAILING_ADDRESS_RULE = "Please be sure to select a valid mailing address.";
export const COMMUNITY_RULE =
  "At this time we are only allowing organizations that serve queer or trans people and include this in their mission statement, we appreciate you applying!";
export const WEBSITE_RULE = "Please be sure to include https:// in your website URL.";

export const NO_PERMISSION = "You do not have permission to edit this listing.";
export const SUBMITTED = "Your listing has been submitted for review!";

/** What a save came to. */
export interface SaveOutcome {
  /** As it is now. */
  status: string;
  changed: boolean;
  /** Nobody owned it before. */
  claimed: boolean;
}

/** What is said after an edit was saved. That it was submitted for review, only when something waits for one. */
export function savedInWords({ status, changed, claimed }: SaveOutcome, admin: boolean): string {
  if (admin) return "The listing is saved.";
  if (status === "archived")
    return changed
      ? "Your changes are saved. The listing stays out of the directory."
      : "Nothing was changed.";
  if (status !== "published") return SUBMITTED;
  if (claimed) return "This listing is yours now.";
  return changed
    ? "Your listing is as it was approved, and nothing waits for review."
    : "Nothing was changed. Your listing is live as before.";
}
