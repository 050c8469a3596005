/**
 * Why a decision does not change a listing, or what an admin should know about each one that it
 * changes. The sentences also fit after "2 listings."
 */
import { formatCount } from "~/text/counts";
import { isolate } from "~/text/isolate";

import { ARCHIVE_INSTEAD, NO_OWNER_EMAIL, NO_PROPER_ADDRESS, REMOVAL_REQUESTED } from "./rules";

/** Of a form that is sent again from an older page, such as in another tab. */
export const UNDONE_SINCE =
  "You’ve undone this decision since. Please check the listing and decide again.";

const TEXTS = {
  listing_missing: "This listing does not exist.",
  listing_changed: "This listing has changed since you opened it.",
  already_published: "This listing is already published.",
  already_flagged: "This listing is already flagged.",
  already_archived: "This listing is already archived.",
  already_removed: "This listing was already removed from the directory.",
  reopen_first: "This listing was removed from the directory. Reopen it first.",
  archive_instead: ARCHIVE_INSTEAD,
  no_owner_email: NO_OWNER_EMAIL,
  no_proper_address: NO_PROPER_ADDRESS,
  no_edit: "This listing has no edit to reject.",
  nothing_under_review: (status: string) =>
    `This listing is ${status}, so there’s nothing to review.`,
  changes_already_requested: "These changes have already been requested.",
  not_flagged_or_archived: "Only flagged and archived listings can be reopened.",
  changed_since_decision: "This listing has changed since, so it was left unchanged.",
  removal_requested: REMOVAL_REQUESTED,
  subscription_continues: "The Featured plan continues.",
  subscription_stops:
    "The Featured plan stops once the 10 minutes to undo have passed, and no one is charged for it again.",
  first_payment_continues:
    "The first payment for a Featured plan is on its way. The plan continues when it arrives.",
  first_payment_refunded:
    "The first payment for a Featured plan is on its way. It’s refunded when it arrives, and the plan ends.",
  newsletters_booked: (count: string) =>
    `Still booked for ${formatCount(Number(count), "newsletter")}. No one can find the listing, so don’t feature it. To cancel, open the order from the listing’s page.`,
  jobs_hidden: (count: string) =>
    `Hides ${formatCount(Number(count), "paid job")}, but ${count === "1" ? "its" : "their"} paid days keep counting down.`,
  under_review: (name: string) => `${isolate(name) || "Another admin"} is reviewing it.`,
} as const;
const UNKNOWN = "Open the listing for more about this.";

/**
 * The sentence for a code of `private.validate_decision`. A code of a newer database, which is updated before this code,
 * must not keep an admin from seeing what was decided.
 * @param code the code, with a value after a colon where it has one ("under_review:Kai")
 */
export function explainDecisionCode(code: string): string {
  const [name = "", ...value] = code.split(":");
  if (!Object.hasOwn(TEXTS, name)) return UNKNOWN;
  const text = TEXTS[name as keyof typeof TEXTS];
  return typeof text === "string" ? text : text(value.join(":"));
}
