/** Why the database refuses what a caller asked for, by the code that it raises. */
export const MODERATION_REFUSALS = {
  too_many_saved_views:
    "You have 20 saved views, which is as many as we keep. Please delete one of them first.",
  no_listings_selected: "Choose the listings first.",
  decision_unknown: "Choose what to do with these listings.",
  change_request_empty: "Write what needs to change.",
  change_request_too_long: "Please keep it under 2,000 characters.",
  batch_expired: "This choice has lapsed. Please choose the listings again.",
  batch_already_decided: "These listings have been decided on already.",
  nothing_to_undo: "There is nothing here to undo.",
  undo_expired: "Undo was open for 10 minutes, and these are over.",
} as const satisfies Readonly<Record<string, string>>;
