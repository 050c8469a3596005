/**
 * What an admin can decide on listings, and the labels of each decision. These rules say what a page
 * offers; the database checks every decision again (`judge_listings`).
 */
import { formatCount, formatNumber } from "~/text/counts";
import { formatDate } from "~/text/dates";

import type { Queue } from "../queue/filter";

export const DECISIONS = [
  "approve",
  "request-changes",
  "flag",
  "archive",
  "reopen",
  "reject",
] as const;
export type Decision = (typeof DECISIONS)[number];

interface DecisionLabels {
  /** On its button. */
  label: string;
  /** What is counted, and what happens to it: "2 listings approved", "1 edit not rejected". */
  noun: string;
  verb: string;
  /** For one listing, after the decision. */
  did: string;
  /** What is undone: "6 approvals undone". */
  undoes: string;
  /** After a number of listings, in the preview: "15 will be approved", "3 can’t be approved". */
  future: string;
}

export const DECISION_LABELS: Readonly<Record<Decision, DecisionLabels>> = {
  approve: {
    label: "Approve",
    noun: "listing",
    verb: "approved",
    did: "Approved",
    undoes: "approval",
    future: "be approved",
  },
  "request-changes": {
    label: "Request changes",
    noun: "change request",
    verb: "sent",
    did: "Changes requested",
    undoes: "change request",
    future: "get a change request",
  },
  flag: {
    label: "Flag",
    noun: "listing",
    verb: "flagged",
    did: "Flagged",
    undoes: "decision",
    future: "be flagged",
  },
  archive: {
    label: "Archive",
    noun: "listing",
    verb: "archived",
    did: "Archived",
    undoes: "decision",
    future: "be archived",
  },
  reopen: {
    label: "Reopen",
    noun: "listing",
    verb: "reopened",
    did: "Reopened",
    undoes: "decision",
    future: "be reopened",
  },
  reject: {
    label: "Reject the edit",
    noun: "edit",
    verb: "rejected",
    did: "Edit rejected",
    undoes: "rejection",
    future: "return to the approved version",
  },
};

/** How many listings a decision changed, and how many not: "47 listings approved, 3 not approved". */
export function formatDecisionCounts(decision: Decision, done: number, notDone: number): string {
  const { noun, verb } = DECISION_LABELS[decision];
  const changed = `${formatCount(done, noun)} ${verb}`;
  return notDone === 0 ? changed : `${changed}, ${formatNumber(notDone)} not ${verb}`;
}

/** A decision with its listings, as its button says it: "Request changes to 2 listings". */
export function formatDecision(decision: Decision, count: number): string {
  const { label } = DECISION_LABELS[decision];
  return `${label}${decision === "request-changes" ? " to" : ""} ${formatCount(count, "listing")}`;
}

/** Reads a decision from a URL or a form; null when there is no such decision. */
export function parseDecision(text: string | null): Decision | null {
  return DECISIONS.find((decision) => decision === text) ?? null;
}

/** The decisions that a queue offers: those that can change at least some of its listings. */
export function getQueueDecisions(queue: Queue): readonly Decision[] {
  switch (queue) {
    case "new":
    case "pending":
      return ["approve", "request-changes", "flag", "archive"];
    case "flagged":
      return ["approve", "request-changes", "archive", "reopen"];
    default:
      return ["approve", "request-changes", "flag", "archive", "reopen"];
  }
}

/** When a listing was taken off the directory, and whether its owner had asked for that. */
export interface Removal {
  at: string;
  requested: boolean;
}

/** What an admin reads about the removal, whatever has happened to the listing since. */
export const describeRemoval = ({ at, requested }: Removal): string =>
  `Removed from the directory on ${formatDate(at)}${requested ? ", as its owner had asked" : ""}`;

/**
 * Whether a decision can approve a listing in this state, apart from what may be missing. A listing
 * that isn't public can't be published after its owner has asked for its removal.
 */
export const canBeApproved = (status: string, isRemovalRequested: boolean): boolean =>
  status === "pending-update" ||
  (status !== "published" && status !== "archived" && !isRemovalRequested);

interface Approvable {
  status: string;
  owner_email: string | null;
  state: string | null;
}

export const REMOVAL_REQUESTED = "The owner has asked us to remove it.";
export const ARCHIVE_INSTEAD = `${REMOVAL_REQUESTED} Archive it instead.`;

export const NO_OWNER_EMAIL = "This listing does not have an owner_email.";
export const NO_PROPER_ADDRESS = "This listing does not have a proper address.";

/** Why a listing can't be approved, in the product's own sentences; empty when it can be. */
export function getApprovalBlockedReasons({ status, owner_email, state }: Approvable): string[] {
  if (status === "published" || status === "archived") return [];
  return [...(owner_email === null ? [NO_OWNER_EMAIL] : []), ...(state ? [] : [NO_PROPER_ADDRESS])];
}
