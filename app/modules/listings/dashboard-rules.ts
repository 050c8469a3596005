/** What the card of a listing says on the dashboard of its owner or manager. Pure. */

import { summarizeSubscription } from "~/modules/billing/subscription-summary";
import { formatNumber } from "~/text/counts";

import { ADDRESS_COLUMNS, getColumnLabel } from "./fields";
import type { OwnRole } from "./rules";

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

/**
 * The URL of a listing's public page; null while the listing is not on the map (has no proxi_id).
 * @param pattern the configured URL, with `{id}` in place of the listing's id
 */
export function getPreviewUrl(
  pattern: string | null,
  listing: { id: number; proxi_id: string | null },
): string | null {
  if (pattern === null || !listing.proxi_id) return null;
  return pattern.replaceAll("{id}", () => encodeURIComponent(String(listing.id)));
}

/** Something that a listing's owner or manager should know or do, as a box on its card. */
export interface ListingCallout {
  tone: "info" | "waiting" | "problem";
  title: string;
  text: string;
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

/** What a listing needs or waits for, problems first. Empty if there is nothing to say. */
export function getListingCallouts(listing: ListingState): ListingCallout[] {
  const { status, role, hidden, archive_requested, changes_requested, changed, rejected } = listing;
  const callouts: ListingCallout[] = [];
  // Only the owner pays for a listing.
  const subscription = role === "manager" ? null : summarizeSubscription(listing);
  if (subscription?.tone === "problem") callouts.push(subscription);
  if (changes_requested)
    callouts.push({ tone: "waiting", title: "Changes requested", text: changes_requested });
  if (rejected) {
    const text = rejected.reason ?? "Everybody sees the listing as it was approved before.";
    callouts.push({ tone: "info", title: "Your changes were not taken over", text });
  }

  const isInReview = status === "new" || status === "pending-update" || status === "flagged";
  if (isInReview && !listing.state) {
    callouts.push({
      tone: "waiting",
      title: "Incomplete",
      text: "Its address names no state, so it can’t be approved. Edit the listing and complete the address.",
    });
  }
  if (isInReview && role === "owner" && !listing.hasOwnerEmail) {
    callouts.push({
      tone: "waiting",
      title: "Incomplete",
      text: "It names no owner’s e-mail address, so it can’t be approved. Save it once, and yours is filled in.",
    });
  }
  if (status === "pending-update" && changed.length > 0) {
    callouts.push({
      tone: "info",
      title: "Live as approved",
      text: `Your changes wait for review: ${listFieldLabels(changed)}.`,
    });
  }
  if (status === "flagged")
    callouts.push({
      tone: "info",
      title: "Under review",
      text: "The directory’s team is looking into this listing.",
    });
  if (archive_requested && status !== "archived") {
    callouts.push({
      tone: "info",
      title: "Removal requested",
      text: `${role === "manager" ? "Its owner" : "You"} asked the team to take this listing out of the directory.`,
    });
  } else if (hidden && status !== "archived") {
    callouts.push({
      tone: "info",
      title: "Hidden",
      text: "Nobody finds it in the directory until you show it again.",
    });
  }
  if (subscription?.tone === "waiting") callouts.push(subscription);
  return callouts;
}
