/** Why the database refuses what a caller asked for, by the code that it raises. */
export const REPORT_REFUSALS = {
  nothing_selected: "Choose what you mean first.",
  too_many_selected: "Choose 1,000 at most at a time.",
  report_decision_unknown: "Choose what to do with these reports.",
  report_note_too_long: "Please keep the note under 2,000 characters.",
} as const satisfies Readonly<Record<string, string>>;
