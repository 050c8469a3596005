import type { DataError } from "~/integrations/supabase/data.server";

/** The sentences for the codes that our SQL raises (`DataError.reason`). */
export type Refusals = Readonly<Record<string, string>>;

/** Postgres's own messages name tables and columns, which users don't know. */
const INVALID_VALUE = "One of the values can’t be saved as it is. Please check it.";

/**
 * The sentence for what the database refused.
 * @param refusals the sentences for the codes that our SQL raises. A code without one gets a
 *   general sentence; so does an error of Postgres itself
 */
export function explainRefusal(error: DataError, refusals: Refusals = {}): string {
  return error.reason !== null && Object.hasOwn(refusals, error.reason)
    ? refusals[error.reason]!
    : INVALID_VALUE;
}

/** The same as a form error, beside the field of the column that our SQL named, if it named one. */
export function toFormErrors(error: DataError, refusals: Refusals): Record<string, string[]> {
  return { [error.column ?? ""]: [explainRefusal(error, refusals)] };
}
