/** One field of a posted form. */
export type PostedField = [name: string, value: string];

const CARRIED = /^(intent|submission_id|version|redirectTo|token_hash|type|refill_intent|refill_stash|\w+_pick)$/;

/** Whether a field holds a password, which is never kept or given back. */
export function isSecret(name: string): boolean {
  return /password/i.test(name);
}

/** Whether a person typed or chose a field; the others go along with every form unseen. */
export function isTyped([name, value]: PostedField): boolean {
  return value !== "" && !CARRIED.test(name);
}
