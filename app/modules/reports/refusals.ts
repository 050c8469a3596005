/** Why the database refuses what a caller asked for, by the code that it raises. */
export const REPORT_REFUSALS = {
  too_many_reports: "You’ve reached the hourly limit for reports.",
  too_many_reports_of_listing:
    "You’ve reported this listing three times today. Our team will review it.",
  listing_gets_too_many_reports:
    "This listing is getting a lot of reports, and our team knows about it.",
  nothing_selected: "Select some reports first.",
  too_many_selected: "Select up to 1,000 at a time.",
  report_decision_unknown: "Choose an action for these reports.",
  report_note_too_long: "Use at most 2,000 characters for your note.",
} as const satisfies Readonly<Record<string, string>>;
