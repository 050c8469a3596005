/** The e-mails that somebody may want or not, each with what it tells. The rest concerns their money or their account. */
export const CHOOSABLE_NOTICES = {
  "listing-approved": "One of your listings was approved",
  "changes-requested": "The team asks you to change something in a listing",
  "edit-rejected": "The team does not take over an edit of a listing",
  "listing-edited": "The team changed something in a listing of yours",
  "job-expiring": "A job listing ends soon",
  "payment-failed": "A payment for a Featured listing failed",
  "new-lead": "Somebody wrote to one of your listings",
} as const;

export type ChoosableNotice = keyof typeof CHOOSABLE_NOTICES;

export const CHOOSABLE_KINDS = Object.keys(CHOOSABLE_NOTICES) as ChoosableNotice[];

export const isChoosable = (kind: string): kind is ChoosableNotice =>
  Object.hasOwn(CHOOSABLE_NOTICES, kind);

/** What somebody gets who has said nothing: all but a notice of each message. */
export const wantedByDefault = (kind: ChoosableNotice) => kind !== "new-lead";
