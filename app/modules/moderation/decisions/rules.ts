/**
 * What an admin can decide on listings, and the labels of each decision. These rules say what a page
 * offers; the database checks every decision again (`judge_listings`).
 */
import { formatNumber } from "~/text/counts";

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
  /** Before the number of listings that were changed, and before the number that were not. */
  done: string;
  notDone: string;
  /** For one listing: before the decision, after it, and when it did not apply. */
  will: string;
  did: string;
  didNot: string;
}

export const DECISION_LABELS: Readonly<Record<Decision, DecisionLabels>> = {
  approve: {
    label: "Approve",
    done: "Approved",
    notDone: "not approved",
    will: "Will be approved",
    did: "Approved",
    didNot: "Not approved",
  },
  "request-changes": {
    label: "Request changes",
    done: "Changes requested of",
    notDone: "not of",
    will: "Changes will be requested",
    did: "Changes requested",
    didNot: "Nothing requested",
  },
  flag: {
    label: "Flag",
    done: "Flagged",
    notDone: "not flagged",
    will: "Will be flagged",
    did: "Flagged",
    didNot: "Not flagged",
  },
  archive: {
    label: "Archive",
    done: "Archived",
    notDone: "not archived",
    will: "Will be archived",
    did: "Archived",
    didNot: "Not archived",
  },
  reopen: {
    label: "Reopen",
    done: "Reopened",
    notDone: "not reopened",
    will: "Will be new again",
    did: "Reopened",
    didNot: "Not reopened",
  },
  reject: {
    label: "Reject the edit",
    done: "Edits rejected of",
    notDone: "not of",
    will: "The approved values will return",
    did: "Edit rejected",
    didNot: "Not rejected",
  },
};

/** How many listings a decision changed, and how many it did not: "Approved 47, not approved 3". */
export function formatDecisionCounts(decision: Decision, done: number, notDone: number): string {
  const labels = DECISION_LABELS[decision];
  const changed = `${labels.done} ${formatNumber(done)}`;
  return notDone === 0 ? changed : `${changed}, ${labels.notDone} ${formatNumber(notDone)}`;
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

interface Approvable {
  status: string;
  owner_email: string | null;
  state: string | null;
}

/** Why a listing cannot be approved, in the sentences of the product; empty when it can be. */
export function getApprovalBlockedReasons({ status, owner_email, state }: Approvable): string[] {
  if (status === "published") return [];
  return [
    ...(owner_email === null ? ["This listing does not have an owner_email."] : []),
    ...(state ? [] : ["This listing does not have a proper address."]),
  ];
}
