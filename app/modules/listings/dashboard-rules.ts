/** What the dashboard of its owner or manager says about a listing. Pure. */

import { summarizeSubscription } from "~/modules/billing/subscription-summary";
import { formatNumber } from "~/text/counts";
import { formatDate } from "~/text/dates";
import { isolate } from "~/text/isolate";
import { shorten } from "~/text/shorten";

import { ADDRESS_COLUMNS, getColumnLabel } from "./fields";
import {
  describeApprovedVersion,
  getOpenMatter,
  getStatusBadge,
  type OwnRole,
  type StatusBadge,
} from "./rules";
import { isPublic } from "./visibility-rules";

/**
 * Below these numbers a card shows "< 50" and "< 25": a few people must not be countable. The database
 * itself gives 0 for fewer than 50 users.
 */
const MIN_NEARBY_SHOWN = 50;
const MIN_VIEWS_SHOWN = 25;

const formatFrom = (min: number, count: number | null): string =>
  count !== null && count >= min ? formatNumber(count) : `< ${min}`;

/** The number of users who live nearby: "1,204", or "< 50". */
export function formatNearbyUsers(count: number | null): string {
  return formatFrom(MIN_NEARBY_SHOWN, count);
}

/** The number of views: "1,204", or "< 25". */
export function formatViews(count: number | null): string {
  return formatFrom(MIN_VIEWS_SHOWN, count);
}

/** The number of people who have a listing among their favorites. */
export function formatFavorites(count: number | null): string {
  return formatNumber(count ?? 0);
}

interface ListingNumbers {
  /** Nearby users, views, and favorites. */
  stats: string[];
  /** The views by week, oldest first; empty when they are not known. */
  weeks: number[];
}

/** The numbers of a card as the page carries them: "1,240|< 25|3|12 0 4". */
export function joinNumbers({ stats, weeks }: ListingNumbers): string {
  return [...stats, weeks.join(" ")].join("|");
}

/** Reads what `joinNumbers` has written. */
export function readNumbers(text: string): ListingNumbers {
  const [weeks = "", ...stats] = text.split("|").reverse();
  return { stats: stats.reverse(), weeks: weeks ? weeks.split(" ").map(Number) : [] };
}

/**
 * The URL of a listing's public page; null while the listing is not on the map.
 * @param pattern the configured URL, with `{id}` in place of the listing's id
 */
export function getPreviewUrl(
  pattern: string | null,
  listing: { id: number; onMap: boolean },
): string | null {
  if (pattern === null || !listing.onMap) return null;
  return pattern.replaceAll("{id}", () => encodeURIComponent(String(listing.id)));
}

/** A draft's name, or what it is called without one. */
export function getDraftName({ name }: { name: string }): string {
  return name.trim() || "Untitled listing";
}

/** Something that a listing's owner or manager should know or do. */
export interface ListingNote {
  tone: "info" | "waiting" | "problem";
  title: string;
  text: string;
  /** What the listing's row says instead of the text, whose title its badge does not say. */
  sentence?: string;
}

interface ListingState {
  status: string;
  role: OwnRole;
  state: string | null;
  hasOwnerEmail: boolean;
  premium: boolean;
  subscription_status: string | null;
  /** When a canceled subscription ends; null while it renews. */
  subscription_ends_at: string | null;
  hidden: boolean;
  archive_requested: boolean;
  changes_requested: string | null;
  /** The columns that the waiting edit changed. */
  changed: readonly string[];
  /** The last edit, if it was rejected. */
  rejected: { reason: string | null } | null;
}

/**
 * Only the owner pays for a listing. We stop the plan of one that was removed, or is about to be: the page of the plan says
 * how it ends.
 */
const summarizePlan = (listing: ListingState) =>
  listing.role === "owner" && listing.status !== "archived" && !listing.archive_requested
    ? summarizeSubscription(listing)
    : null;

/** The one badge of a listing: what is the matter with it, or its status. */
export function getDashboardBadge(listing: ListingState): StatusBadge {
  const { status, premium } = listing;
  const plan = summarizePlan(listing);
  if (plan?.tone === "problem") return { label: plan.title, tone: "wrong" };
  const matter = getOpenMatter(listing);
  if (matter) return matter;
  // While no one can see the listing, that is more important.
  if (
    premium &&
    isPublic(listing) &&
    plan?.tone === "waiting" &&
    listing.subscription_ends_at !== null
  )
    return { label: `Ends ${formatDate(listing.subscription_ends_at)} (UTC)`, tone: "waiting" };
  return getStatusBadge(status);
}

/** Who can see a listing whose owner has asked for its removal, until the team removes it. */
function describeUntilRemoved(listing: ListingState): string {
  if (listing.hidden) return " It’s hidden until we do.";
  return isPublic(listing) ? " It’s public until we do." : "";
}

/** How much of the team's words a row shows. All of them are below it, under More, and in the form. */
const MAX_IN_ROW = 200;

const shortenForRow = (text: string) =>
  text.length > MAX_IN_ROW ? { sentence: shorten(text, MAX_IN_ROW) } : {};

const MAX_NAMED_FIELDS = 4;

/** "Address; Business Name; 3 more". Semicolons, because a label may contain a comma. */
function listFieldLabels(columns: readonly string[]): string {
  const labels = columns.map((column) =>
    getColumnLabel(ADDRESS_COLUMNS.includes(column) ? "rawaddress" : column),
  );
  const sorted = [...new Set(labels)].sort();
  const more = sorted.length - MAX_NAMED_FIELDS + 1;
  return (more > 1 ? [...sorted.slice(0, -more), `${more} more`] : sorted).join("; ");
}

/**
 * What a listing needs or is waiting for, problems first. Its row shows the first one. The messages
 * that ask for something are exactly those of listings that need attention (private.attention in
 * SQL). Empty if there is nothing to say.
 */
export function getListingNotes(listing: ListingState): ListingNote[] {
  const { status, role, hidden, archive_requested, changes_requested, changed, rejected } = listing;
  if (role === "claimant")
    return [
      {
        tone: "waiting",
        title: "",
        text: "Is this your listing? It has your email address but no owner yet.",
      },
    ];
  const notes: ListingNote[] = [];
  const plan = summarizePlan(listing);
  if (plan?.tone === "problem") notes.push(plan);
  if (changes_requested)
    notes.push({
      tone: "waiting",
      title: "Changes requested",
      text: changes_requested,
      ...shortenForRow(changes_requested),
    });

  const isInReview = status === "new" || status === "pending-update" || status === "flagged";
  if (isInReview && !listing.state) {
    notes.push({
      tone: "waiting",
      title: "Incomplete",
      text: "Its address has no state, so it can’t be approved. Edit the listing to complete it.",
    });
  }
  if (isInReview && role === "owner" && !listing.hasOwnerEmail) {
    notes.push({
      tone: "waiting",
      title: "Incomplete",
      text: "It has no owner email, so it can’t be approved. Save it to add yours.",
    });
  }
  if (rejected) {
    const text = rejected.reason ?? describeApprovedVersion(hidden);
    const title = "Your changes weren’t approved";
    const short = shorten(text, MAX_IN_ROW);
    notes.push({ tone: "info", title, text, sentence: `${title}: ${isolate(short)}` });
  }
  if (archive_requested && status !== "archived") {
    notes.push({
      tone: "info",
      title: "Removal requested",
      text: `${role === "manager" ? "The owner has" : "You’ve"} asked us to remove this listing.${describeUntilRemoved(listing)}`,
    });
  } else if (hidden && status !== "archived") {
    notes.push({
      tone: "info",
      title: "Hidden",
      text: "It won’t appear in the directory until you show it again.",
    });
  }
  if (status === "pending-update" && changed.length > 0) {
    notes.push({
      tone: "info",
      title: hidden ? "Pending Review" : "The approved version is live",
      text: `Your changes are waiting for review: ${listFieldLabels(changed)}.`,
    });
  }
  if (status === "flagged")
    notes.push({ tone: "info", title: "Flagged", text: "Our team is looking into this listing." });
  if (status === "new")
    notes.push({
      tone: "info",
      title: "Pending Review",
      text: "Our team will review it before it goes live.",
    });
  if (status === "archived")
    notes.push({ tone: "info", title: "Archived", text: "It’s no longer in the directory." });
  // (Its place in the list shows that a listing is Featured.)
  if (plan && plan.tone !== "problem" && (plan.tone === "waiting" || !listing.premium))
    notes.push(plan);
  if (role === "manager")
    notes.push({ tone: "info", title: "", text: "You manage this for its owner." });
  return notes;
}
