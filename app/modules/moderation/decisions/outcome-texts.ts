/** Why a decision does nothing with a listing, or what to know about one that it changes. */
import { isolate } from "~/text/isolate";

const TEXTS = {
  listing_missing: "This listing does not exist.",
  listing_changed: "This listing has changed since you opened it.",
  already_published: "This listing is already published.",
  already_flagged: "This listing is already flagged.",
  already_archived: "This listing is already archived.",
  no_owner_email: "This listing does not have an owner_email.",
  no_proper_address: "This listing does not have a proper address.",
  no_edit: "This listing has no edit to reject.",
  nothing_under_review: (status: string) =>
    `This listing is ${status}, so there’s nothing to review.`,
  changes_already_requested: "These changes have already been requested.",
  not_flagged_or_archived: "Only flagged and archived listings can be reopened.",
  changed_since_decision: "This listing has changed since, so it was left unchanged.",
  removal_requested: "The owner has requested its removal.",
  subscription_continues: "Its Featured subscription continues.",
  under_review: (name: string) => `${isolate(name) || "Another admin"} is reviewing it.`,
} as const;

/**
 * The sentence for a code of `private.validate_decision`.
 * @param code the code, with a value after a colon where it has one ("under_review:Kai")
 */
export function explainDecisionCode(code: string): string {
  const [name = "", ...value] = code.split(":");
  if (!Object.hasOwn(TEXTS, name)) throw new Error(`There is no sentence for the code ${name}.`);
  const text = TEXTS[name as keyof typeof TEXTS];
  return typeof text === "string" ? text : text(value.join(":"));
}
