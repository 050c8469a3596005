/** What a listing's card on its owner's dashboard says. Pure. */

import { summarizeSubscription } from "~/modules/billing/subscription-summary";

import { labelOfColumn } from "./fields";

const NEARBY_SHOWN_ABOVE = 49;
const VIEWS_SHOWN_ABOVE = 24;

const counted = (count: number) => count.toLocaleString("en-US");

/** How many users live nearby, in words: a number only where it is above 49, so that few people stay uncounted. */
export function nearbyInWords(count: number | null): string {
  return count !== null && count > NEARBY_SHOWN_ABOVE ? counted(count) : "< 50";
}

/** How often a listing was looked at, in words: a number only where it is above 24. */
export function viewsInWords(count: number | null): string {
  return count !== null && count > VIEWS_SHOWN_ABOVE ? counted(count) : "< 25";
}

/** How many people keep a listing among their favorites. */
export function favoritesInWords(count: number | null): string {
  return counted(count ?? 0);
}

/**
 * The public page of a listing, or null while it has none: it gets one with its place on the map (its proxi_id).
 * @param pattern the configured address, with `{id}` where the listing's id goes
 */
export function previewAddress(
  pattern: string | null,
  listing: { id: number; proxi_id: string | null },
): string | null {
  if (pattern === null || !listing.proxi_id) return null;
  return pattern.replaceAll("{id}", () => encodeURIComponent(String(listing.id)));
}

/** Something that a listing's owner should know or do, as a sentence. */
export interface Need {
  tone: "info" | "waiting" | "problem";
  title: string;
  text: string;
}

interface ListingState {
  status: string;
  type: "owned" | "unclaimed" | "managed";
  state: string | null;
  hasOwnerEmail: boolean;
  premium: boolean;
  subscription_status: string | null;
  /** When it ends by itself; null while it goes on. */
  subscription_ends_at: string | null;
  hidden: boolean;
  archive_requested: boolean;
  changes_requested: string | null;
  /** The columns that a waiting edit changed. */
  changed: readonly string[];
  /** The last edit, when the team did not take it over. */
  rejected: { reason: string | null } | null;
}

/** The columns an address consists of: told as one. */
const OF_ADDRESS = new Set([
  "rawaddress",
  "address",
  "address_approximate",
  "city",
  "state",
  "country",
  "postalcode",
  "lat",
  "long",
]);
const MOST_NAMED = 4;

/** "Address; Business Name; 3 more": the names of fields may hold commas themselves. */
function namesOf(columns: readonly string[]): string {
  const names = [
    ...new Set(
      columns.map((column) => (OF_ADDRESS.has(column) ? "Address" : labelOfColumn(column))),
    ),
  ].sort();
  const shown =
    names.length > MOST_NAMED
      ? [...names.slice(0, MOST_NAMED - 1), `${names.length - MOST_NAMED + 1} more`]
      : names;
  return shown.join("; ");
}

/** What a listing needs or waits for, what is wrong first. Empty when all is well. */
export function needsOf(listing: ListingState): Need[] {
  const { status, type, hidden, archive_requested, changes_requested, changed, rejected } = listing;
  const needs: Need[] = [];
  // What is paid for a listing is its owner's business.
  const paid = type === "managed" ? null : summarizeSubscription(listing);
  if (paid?.tone === "problem") needs.push(paid);
  if (changes_requested)
    needs.push({ tone: "waiting", title: "Changes requested", text: changes_requested });
  if (rejected) {
    const why = rejected.reason ?? "Everybody sees the listing as it was approved before.";
    needs.push({ tone: "info", title: "Your changes were not taken over", text: why });
  }

  const reviewable = status === "new" || status === "pending-update" || status === "flagged";
  if (reviewable && !listing.state) {
    needs.push({
      tone: "waiting",
      title: "Incomplete",
      text: "Its address names no state, so it can’t be approved. Edit the listing and complete the address.",
    });
  }
  if (reviewable && type === "owned" && !listing.hasOwnerEmail) {
    needs.push({
      tone: "waiting",
      title: "Incomplete",
      text: "It names no owner’s e-mail address, so it can’t be approved. Save it once, and yours is filled in.",
    });
  }
  if (status === "pending-update" && changed.length > 0) {
    needs.push({
      tone: "info",
      title: "Live as approved",
      text: `Your changes wait for review: ${namesOf(changed)}.`,
    });
  }
  if (status === "flagged")
    needs.push({
      tone: "info",
      title: "Under review",
      text: "The directory’s team is looking into this listing.",
    });
  if (archive_requested && status !== "archived") {
    needs.push({
      tone: "info",
      title: "Removal requested",
      text: `${type === "managed" ? "Its owner" : "You"} asked the team to take this listing out of the directory.`,
    });
  } else if (hidden && status !== "archived") {
    needs.push({
      tone: "info",
      title: "Hidden",
      text: "Nobody finds it in the directory until you show it again.",
    });
  }
  if (paid?.tone === "waiting") needs.push(paid);
  return needs;
}
