/** The audit log in words: what was done, and to what. Pure. */

import { getColumnLabel } from "~/modules/listings/fields";
import { formatValue } from "~/text/values";

/** One entry: who did what to which row, before and after. Contact details in it are withheld. */
export interface AuditEntry {
  id: number;
  at: string;
  actor: string | null;
  /** anon, authenticated or service_role; "system" for migrations and maintenance. */
  actor_role: string;
  actor_name: string | null;
  /** Whether the account is still there. */
  known: boolean;
  action: string;
  subject: string;
  subject_id: string;
  /** Null when it is gone, or has none. */
  subject_name: string | null;
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
}

/** What the log is narrowed down to; empty strings for everything. */
export interface AuditFilter {
  who: string;
  action: string;
  subject: string;
  subject_id: string;
  /** Days in UTC, both included. */
  from: string;
  to: string;
}

/** What something can be done to, by its table. */
export const SUBJECTS = {
  places: "Listing",
  profiles: "User",
  jobs: "Job",
  feedback: "Feedback",
  events: "Report",
  orders: "Order",
  sponsorships: "Sponsorship",
  sponsorship_dates: "Newsletter date",
  exports: "Export",
} as const satisfies Record<string, string>;

const ACTIONS: Record<string, string> = {
  insert: "Added",
  update: "Changed",
  delete: "Deleted",
  approve: "Approved",
  "request-changes": "Changes requested",
  reject: "Edit rejected",
  flag: "Flagged",
  archive: "Archived",
  reopen: "Reopened",
  undo: "Undone",
  resolve: "Resolved",
  dismiss: "Dismissed",
  "delete-user": "User deleted",
  "reveal-contact": "Contact details shown",
  export: "Exported as CSV",
  "invite-manager": "Manager invited",
  "withdraw-invitation": "Invitation taken back",
  "accept-invitation": "Invitation accepted",
  "remove-manager": "Manager removed",
  "leave-listing": "Manager left",
  "end-managing": "Managers ended with their owner",
};

const sentence = (name: string) =>
  name.replaceAll(/[_-]/g, " ").replace(/^./, (letter) => letter.toUpperCase());

/** An action in words; one that this page has never heard of is told as it is. */
export const actionInWords = (action: string) => ACTIONS[action] ?? sentence(action);

/** What it was done to: "Listing 12: Café X". */
export function subjectInWords({ subject, subject_id, subject_name }: AuditEntry): string {
  const kind = (SUBJECTS as Record<string, string>)[subject] ?? sentence(subject);
  const name = subject_name === "" ? "No name given" : subject_name;
  if (subject === "profiles") return `${kind}: ${name ?? "deleted"}`;
  // Enough of a long id to see that two are different; the whole of it can be searched for.
  const id = subject_id.length > 12 ? `${subject_id.slice(0, 8)}…` : subject_id;
  return name === null ? `${kind} ${id}` : `${kind} ${id}: ${name}`;
}

/** Who did it: a name, or what it was if no person. */
export function actorInWords({ actor, actor_name, actor_role, known }: AuditEntry): string {
  if (actor !== null) return known ? (actor_name ?? "No name given") : "Deleted account";
  return actor_role === "service_role" || actor_role === "system"
    ? "The dashboard itself"
    : "A visitor";
}

/** What an entry is about, unlike any other: for those who hear of it out of its line. */
export const entryInWords = (entry: AuditEntry) =>
  `${actionInWords(entry.action)}, ${subjectInWords(entry)} (entry ${entry.id})`;

export interface AuditChange {
  label: string;
  before: string | null;
  after: string | null;
}

const WITHHELD = "[withheld]";

function inWords(value: unknown): string {
  if (value === WITHHELD) return "Withheld";
  return value !== null && typeof value === "object" && !Array.isArray(value)
    ? JSON.stringify(value)
    : formatValue(value);
}

/** Field by field, what it was and what it became; null where there was nothing before, or is nothing after. */
export function changesInWords({ before, after }: AuditEntry): AuditChange[] {
  const columns = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  return columns.map((column) => ({
    label: getColumnLabel(column),
    before: before && column in before ? inWords(before[column]) : null,
    after: after && column in after ? inWords(after[column]) : null,
  }));
}
