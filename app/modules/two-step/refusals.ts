/** Why the database refuses what a caller asked for, by the code that it raises. */
export const TWO_STEP_REFUSALS = {
  second_step_code_needed:
    "It’s been a while since you entered a code. Please enter the code from your authenticator app again.",
  too_many_recovery_codes: "You’ve reached the hourly limit for new recovery codes.",
  own_second_step_first:
    "Turn on two-step sign-in for your own account first. That way at least one admin can always sign in.",
} as const satisfies Readonly<Record<string, string>>;
