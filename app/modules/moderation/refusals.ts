/** Why the database refuses what a caller asked for, by the code that it raises. */
export const MODERATION_REFUSALS = {
  too_many_saved_views: "You have 20 saved views, which is the limit. Please delete one first.",
  no_listings_selected: "Select some listings first.",
  decision_unknown: "Choose what to do with these listings.",
  change_request_empty: "Say what needs to change.",
  change_request_too_long: "Use at most 2,000 characters.",
  batch_expired: "This selection has expired. Please select the listings again.",
  batch_already_decided: "A decision on these listings has already been made.",
  nothing_to_undo: "There’s nothing to undo.",
  undo_expired: "The 10 minutes to undo have passed.",
} as const satisfies Readonly<Record<string, string>>;
