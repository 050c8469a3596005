/** The statuses of a listing, who may do what with it, and its messages. Pure. */
import { isolate } from "~/text/isolate";

export const LISTING_STATUSES = [
  "new",
  "flagged",
  "archived",
  "pending-update",
  "published",
] as const;
export type ListingStatus = (typeof LISTING_STATUSES)[number];

const STATUS_LABELS: Readonly<Record<ListingStatus, string>> = {
  new: "New",
  "pending-update": "Pending update",
  flagged: "Flagged",
  archived: "Archived",
  published: "Published",
};

/** A status as admins read it. Owners read "Pending Review" for two of them: `getStatusBadges`. */
export function getStatusLabel(status: string): string {
  return STATUS_LABELS[status as ListingStatus] ?? status;
}

export const STATUS_OPTIONS = LISTING_STATUSES.map((value) => ({
  value,
  label: STATUS_LABELS[value],
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

/** The badge of a status as an owner reads it. */
export const getStatusBadge = (status: string): StatusBadge =>
  STATUS_BADGES[status as ListingStatus] ?? { label: status, tone: "plain" };

/** The badge of a hidden listing: for owners in place of its status, for admins beside it. */
export const HIDDEN: StatusBadge = { label: "Hidden", tone: "plain" };

/**
 * What its owner reads in place of its status: what the team asked for, or what the owner did. Null if
 * neither.
 */
export function getOpenMatter(listing: {
  status: string;
  hidden: boolean;
  archive_requested: boolean;
  changes_requested: string | null;
}): StatusBadge | null {
  const { status, hidden, archive_requested, changes_requested } = listing;
  if (changes_requested) return { label: "Changes requested", tone: "waiting" };
  if (status === "archived") return null;
  if (archive_requested) return { label: "Removal requested", tone: "plain" };
  return hidden ? HIDDEN : null;
}

/** The badges of a listing as its owner reads them: its status, and "Featured" if it is. */
export function getStatusBadges(listing: {
  status: string | null;
  premium: boolean | null;
}): StatusBadge[] {
  const status = STATUS_BADGES[listing.status as ListingStatus];
  return [
    ...(status ? [status] : []),
    ...(listing.premium ? [{ label: "Featured", tone: "featured" } as const] : []),
  ];
}

/** What a user is to a listing of their dashboard. */
export type OwnRole = "owner" | "claimant" | "manager";

/**
 * What a user is to a listing that the database shows on their dashboard: a listing without an
 * owner is theirs to claim, and a listing of another owner is theirs to manage.
 */
export function getOwnRole(listing: { owner: string | null }, userId: string): OwnRole {
  if (listing.owner === userId) return "owner";
  return listing.owner === null ? "claimant" : "manager";
}

/** The same for a listing that the user opens by its URL: admins may open every listing. */
export function getListingRole(
  listing: { owner: string | null },
  user: { id: string; admin: boolean },
): OwnRole | "admin" {
  const role = getOwnRole(listing, user.id);
  return role !== "owner" && user.admin ? "admin" : role;
}

/** Where a listing is, in short: "Portland, OR"; empty when that is not known. */
export const formatPlace = ({
  city,
  state,
}: {
  city: string | null;
  state: string | null;
}): string => [city, state].filter(Boolean).join(", ");

/** The ids of categories that have rules of their own. */
export const THERAPIST = 2;
export const ONLINE_SHOPPING = 12;
export const COMMUNITY_GROUP = 14;
export const JOBS_PARENT = 40;

export const SELECT_ADDRESS =
  "To make sure we place your business on the map in the right place, please select an address from the dropdown on the location field.";
export const ADDRESS_REQUIRED = `${SELECT_ADDRESS} Type your address and select “Find address”, then choose yours from the list.`;
export const MAILING_ADDRESS_REQUIRED = "Please be sure to select a valid mailing address.";
export const COMMUNITY_GROUP_REQUIREMENTS =
  "At this time we are only allowing organizations that serve queer or trans people and include this in their mission statement, we appreciate you applying!";
export const WEBSITE_INVALID = "Please be sure to include https:// in your website URL.";

export const NO_PERMISSION = "You do not have permission to edit this listing.";
export const SUBMITTED = "Your listing has been submitted for review!";
/** The result of a save. */
export interface SaveResult {
  /** The status after the save. */
  status: string;
  changed: boolean;
  /** The listing had no owner before. */
  claimed: boolean;
  /** Its owner hides it from the directory. */
  hidden: boolean;
  /** Values that were approved are kept for what waits for review. */
  waits: boolean;
  /** An edit waited, and was dropped because the listing's owner has changed. */
  dropped: boolean;
  /** Its new address was saved as it was typed, because no address could be looked up. */
  unplaced: boolean;
}

/**
 * What saving a listing's form does, as its owner, manager, or claimant reads it beside the button. (An admin's changes
 * are live at once, also in a listing of their own.)
 */
export function getSaveNote(status: string, role: OwnRole | "admin"): string | undefined {
  if (role === "admin") return undefined;
  if (role === "claimant") return "Saving makes this listing yours.";
  return status === "published" || status === "pending-update"
    ? "Our team reviews changes before they go live."
    : "Our team reviews every listing before it goes live.";
}

/** The end of the message after a save with an address that could not be looked up. */
export const UNPLACED =
  "We couldn’t look up the address, so our team will place it on the map when they review it.";

/** What happens to the approved version when an edit of it was not approved, or was withdrawn. */
export function describeApprovedVersion(hidden: boolean): string {
  return hidden
    ? "The last approved version stays, and the listing is hidden."
    : "The last approved version is still live.";
}

const WITHOUT_CHANGE: Readonly<Record<string, string>> = {
  published: " Your listing is still live.",
  "pending-update": " Your earlier changes are still waiting for review.",
  new: " Your listing is still waiting for review.",
};

const ADMIN_RESULTS: Readonly<Record<string, string>> = {
  new: "Saved. The listing is still waiting for review.",
  "pending-update": "Saved. Its changes are still waiting for review.",
  flagged: "Saved. The listing is flagged.",
  archived: "Saved. The listing is off the directory.",
  published: "Saved. This version is live.",
};

/**
 * The message after a save: what it led to. It says "submitted for review" only if something is
 * waiting for review.
 * @param name of the listing, which an owner of several reads there
 */
export function formatSaveResult(result: SaveResult, isAdmin: boolean, name?: string): string {
  const outcome = (isAdmin ? formatAdminResult : formatOwnResult)(result);
  const message =
    outcome === SUBMITTED && name ? `${outcome} You updated “${isolate(name)}”.` : outcome;
  return result.unplaced ? `${message} ${UNPLACED}` : message;
}

/** What an admin reads first when an edit was dropped with its owner: their form had shown it. */
const DROPPED =
  "Saved. The changes that were waiting for review are dropped, because the listing’s owner has changed.";

function formatAdminResult({
  status: chosen,
  changed,
  hidden,
  waits,
  dropped,
}: SaveResult): string {
  if (!changed) return "Nothing was changed.";
  // Without an edit that waits, a pending listing is public as it is.
  const status = chosen === "pending-update" && !waits ? "published" : chosen;
  const isLive = status === "published" && !hidden;
  if (dropped && isLive)
    return `${DROPPED} The last approved version is live, with what you changed.`;
  const result =
    status === "published" && hidden
      ? "Saved. The listing is still hidden."
      : (ADMIN_RESULTS[status] ?? "Listing saved.");
  return dropped ? result.replace("Saved.", DROPPED) : result;
}

function formatOwnResult({ status, changed, claimed, hidden }: SaveResult): string {
  if (claimed) {
    if (status === "published")
      return hidden
        ? "This listing is yours now. It’s still hidden."
        : "This listing is yours now. It’s live, just as it was.";
    return status === "archived"
      ? "This listing is yours now. It’s still off the directory."
      : "This listing is yours now. It has been submitted for review.";
  }
  if (!changed && hidden && status === "published")
    return "Nothing was changed. Your listing is still hidden.";
  if (!changed) return `Nothing was changed.${WITHOUT_CHANGE[status] ?? ""}`;
  if (status === "archived")
    return "Your changes are saved. The listing is still off the directory.";
  return status === "published"
    ? "You’re back to the approved version; nothing is waiting for review."
    : SUBMITTED;
}
