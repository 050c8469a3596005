/**
 * The emails that a user can turn off, each with the event that triggers it. The other emails are
 * about payments or the account itself, and are always sent.
 */
export const OPTIONAL_EMAILS = {
  "listing-approved": "One of your listings was approved",
  "changes-requested": "The team asks you to change something in a listing",
  "edit-rejected": "The team does not take over an edit of a listing",
  "listing-edited": "The team changed something in a listing of yours",
  "job-expiring": "A job listing ends soon",
  "payment-failed": "A payment for a Featured listing failed",
  "new-lead": "Somebody wrote to one of your listings",
} as const;

export type OptionalEmailKind = keyof typeof OPTIONAL_EMAILS;

export const OPTIONAL_EMAIL_KINDS = Object.keys(OPTIONAL_EMAILS) as OptionalEmailKind[];

export const isOptionalEmail = (kind: string): kind is OptionalEmailKind =>
  Object.hasOwn(OPTIONAL_EMAILS, kind);

/** Whether a user without a preference gets the email: all but the one about each new lead. */
export const isOnByDefault = (kind: OptionalEmailKind) => kind !== "new-lead";
