/**
 * The emails that a user can turn off, each with the event that triggers it. All others are always sent: they are about
 * money or the account, or about who owns, manages, sees, or removes a listing or a job.
 */
export const OPTIONAL_EMAILS = {
  "listing-approved": "One of your listings is approved",
  "changes-requested": "We need changes to one of your listings",
  "edit-rejected": "One of your edits isn’t approved",
  "listing-edited": "Our team changes one of your listings",
  "listing-changed": "Someone who manages one of your listings changes it",
  "job-expiring": "One of your job listings ends soon",
  "payment-failed": "One of your payments fails",
  "new-lead": "You get a new message",
} as const;

export type OptionalEmailKind = keyof typeof OPTIONAL_EMAILS;

export const OPTIONAL_EMAIL_KINDS = Object.keys(OPTIONAL_EMAILS) as OptionalEmailKind[];

export const isOptionalEmail = (kind: string): kind is OptionalEmailKind =>
  Object.hasOwn(OPTIONAL_EMAILS, kind);

/** Whether a user without a preference gets the email: all but the one about each new lead. */
export const isOnByDefault = (kind: OptionalEmailKind) => kind !== "new-lead";
