/** Why the database refuses what a caller asked for, by the code that it raises. */
export const FEEDBACK_REFUSALS = {
  too_much_feedback: "Thank you! You’ve reached the hourly limit for feedback.",
} as const satisfies Readonly<Record<string, string>>;
