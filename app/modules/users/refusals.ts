/** Why the database refuses what a caller asked for, by the code that it raises. */
export const USER_REFUSALS = {
  own_account: "You can’t delete your own account here.",
} as const satisfies Readonly<Record<string, string>>;
