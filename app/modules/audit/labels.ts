/** The labels of the audit log: of actions, subjects, and actors. */
import { isolate } from "~/text/isolate";
import { formatCode } from "~/text/values";

import type { AuditEntry } from "./entry.server";

/** What an entry can be about, by the name of its table. */
export const SUBJECTS = {
  places: "Listing",
  profiles: "User",
  jobs: "Job",
  feedback: "Feedback",
  events: "Report",
  orders: "Order",
  refunds: "Refund",
  subscriptions: "Featured plan",
  sponsorships: "Newsletter feature",
  sponsorship_dates: "Newsletter date",
  exports: "Export",
  settings: "Setting",
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
  "delete-own-account": "Own account deleted",
  "reveal-contact": "Contact details shown",
  export: "Exported as CSV",
  "invite-manager": "Manager invited",
  "withdraw-invitation": "Invitation canceled",
  "accept-invitation": "Invitation accepted",
  "remove-manager": "Manager removed",
  "leave-listing": "Manager left",
  "end-managing": "All managers removed",
  "two-step-on": "Two-step sign-in turned on",
  "two-step-off": "Two-step sign-in turned off",
  "two-step-app-added": "Another authenticator app added",
  "two-step-app-removed": "One of several authenticator apps removed",
  "two-step-new-codes": "New recovery codes",
  "change-email": "Email address changed",
  "two-step-recovery-code": "Recovery code used",
  "require-two-step": "Two-step sign-in for admins changed",
  "end-plan": "Asked Stripe to end the plan",
  refund: "Refund requested",
  "retry-refund": "Refund retried",
  "cancel-dates": "Newsletters canceled",
  "set-cancellation-days": "Cancellation deadline changed",
  block: "Blocked",
  unblock: "Date reopened",
};

/** The label of an action. An unknown action is shown by its own name. */
export const formatAction = (action: string) => ACTIONS[action] ?? formatCode(action);

type Subject = Pick<AuditEntry, "subject" | "subject_id" | "subject_name">;

/** What an entry is about: "Listing 12: Café X". */
export function formatSubject({ subject, subject_id, subject_name }: Subject): string {
  const kind = (SUBJECTS as Record<string, string>)[subject] ?? formatCode(subject);
  const name = subject_name === "" ? "No name given" : subject_name;
  if (subject === "profiles") return `${kind}: ${isolate(name ?? "deleted")}`;
  // What the payment provider calls a plan means nothing to readers.
  if (subject === "subscriptions") return kind;
  // The beginning of a long id is enough to tell two apart.
  const id = subject_id.length > 12 ? `${subject_id.slice(0, 8)}…` : subject_id;
  return name === null ? `${kind} ${id}` : `${kind} ${id}: ${isolate(name)}`;
}

type Actor = Pick<AuditEntry, "actor" | "actor_name" | "actor_role" | "known" | "by_admin">;

/**
 * Who did it: an admin’s name, “User: ” and the name of anyone else, or what did it when it was not
 * a user. People choose their names, so without “User: ” an owner could pass as a colleague, or as
 * “System”.
 */
export function formatActor({ actor, actor_name, actor_role, known, by_admin }: Actor): string {
  if (actor === null)
    return actor_role === "service_role" || actor_role === "system" ? "System" : "Visitor";
  if (!known) return "Deleted account";
  const name = actor_name ?? "No name given";
  return by_admin ? name : `${SUBJECTS.profiles}: ${isolate(name)}`;
}

/** A text that is unique to an entry, for screen readers. */
export const formatEntry = (entry: Subject & Pick<AuditEntry, "action" | "id">) =>
  `${formatAction(entry.action)}, ${formatSubject(entry)} (entry ${entry.id})`;
