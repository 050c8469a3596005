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
export const ONLINE_SHOPPING = 12;
export const COMMUNITY_GROUP = 14;
export const JOBS_PARENT = 40;

export const NO_PERMISSION = "You do not have permission to edit this listing.";
export const SUBMITTED = "Your listing has been submitted for review!";
