/** Why the database refuses what a caller asked for, by the code that it raises. */
export const ACCOUNT_REFUSALS = {
  consent_answer_invalid: "Choose email or SMS, and yes or no.",
  too_many_sign_ups: "Too many accounts were created with this mailbox today.",
  too_many_consents: "You’ve reached the daily limit for changes to your privacy choices.",
  position_invalid: "That location isn’t valid.",
} as const satisfies Readonly<Record<string, string>>;
