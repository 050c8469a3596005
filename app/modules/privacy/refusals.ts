/** Why the database refuses what a caller asked for, by the code that it raises. */
export const PRIVACY_REFUSALS = {
  tracking_answer_missing: "Choose yes or no.",
  too_many_deletion_requests: "You’ve reached the daily limit for requests to delete your account.",
  deletion_begun: "We’ve begun to delete your account, so you can’t keep it anymore.",
  only_admin: "You’re the only admin. Make someone else an admin first.",
  last_admin: "The last admin can’t be deleted.",
} as const satisfies Readonly<Record<string, string>>;
