/** Why the database refuses what a caller asked for, by the code that it raises. */
export const REPORT_REFUSALS = {
  too_many_reports: "That is as many reports as one person can send in an hour.",
  too_many_reports_of_listing:
    "You have reported this listing three times today, and the team will look into it.",
  listing_gets_too_many_reports:
    "This listing gets more reports than we can take just now. The team knows of it.",
  nothing_selected: "Choose what you mean first.",
  too_many_selected: "Choose 1,000 at most at a time.",
  report_decision_unknown: "Choose what to do with these reports.",
  report_note_too_long: "Please keep the note under 2,000 characters.",
} as const satisfies Readonly<Record<string, string>>;
