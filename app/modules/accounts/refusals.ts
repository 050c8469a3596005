/** Why the database refuses what a caller asked for, by the code that it raises. */
export const ACCOUNT_REFUSALS = {
  consent_answer_invalid: "Choose e-mail or SMS, and yes or no.",
  too_many_sign_ups: "That is as many accounts as one mailbox can have in a day.",
  position_invalid: "This position is not on the earth.",
} as const satisfies Readonly<Record<string, string>>;
