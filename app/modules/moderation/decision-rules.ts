/** What an admin can decide on listings, and how it is said. Pure: the database judges each listing. */
import type { ListingView } from "./listings-filter";

export const DECISIONS = [
  "approve",
  "request-changes",
  "flag",
  "archive",
  "reopen",
  "reject",
] as const;
export type Decision = (typeof DECISIONS)[number];

interface DecisionWords {
  /** On its button. */
  label: string;
  /** Before a number of listings that it was done to, and before one of those that it was not. */
  done: string;
  notDone: string;
  /** Of one listing, beforehand and afterwards. */
  will: string;
  did: string;
  didNot: string;
}

export const DECISION_WORDS: Readonly<Record<Decision, DecisionWords>> = {
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

/** What a decision came to: "Approved 47, not approved 3". */
export function decidedInWords(action: Decision, done: number, notDone: number): string {
  const words = DECISION_WORDS[action];
  const number = (count: number) => count.toLocaleString("en");
  return notDone === 0
    ? `${words.done} ${number(done)}`
    : `${words.done} ${number(done)}, ${words.notDone} ${number(notDone)}`;
}

/** A decision from an address or a form, or null. */
export function decisionOf(text: string | null): Decision | null {
  return DECISIONS.find((one) => one === text) ?? null;
}

/** What can be decided from each table; what would do nothing to any of its listings is not offered. */
export function decisionsOffered(view: ListingView): readonly Decision[] {
  switch (view) {
    case "new":
    case "pending":
      return ["approve", "request-changes", "flag", "archive"];
    case "flagged":
      return ["approve", "request-changes", "archive", "reopen"];
    default:
      return ["approve", "request-changes", "flag", "archive", "reopen"];
  }
}

/** "250 listings", "1 listing". */
export const countOfListings = (count: number) =>
  `${count.toLocaleString("en")} ${count === 1 ? "listing" : "listings"}`;

/** How many a filter finds, when they are counted to a point: "more than 1,000 listings". */
export const totalInWords = (total: number, more: boolean) =>
  more ? `more than ${countOfListings(total)}` : countOfListings(total);
