/** Why the database refuses what a caller asked for, by the code that it raises. */
export const FEEDBACK_REFUSALS = {
  too_much_feedback: "Thank you: that is as much feedback as one person can send in an hour.",
} as const satisfies Readonly<Record<string, string>>;
