import type { DataError } from "~/integrations/supabase/data.server";
import { formatWait } from "~/text/wait";

/** The sentences for the codes that our SQL raises (`DataError.reason`). */
export type Refusals = Readonly<Record<string, string>>;

/** Postgres's own messages name tables and columns, which users don't know. */
const INVALID_VALUE = "Something in the form can’t be saved. Please check it.";

/**
 * The sentence for what the database refused, with the time to wait if it was because of a limit.
 * @param refusals the sentences for the codes that our SQL raises. A code without one gets a
 *   general sentence; so does an error of Postgres itself
 */
export function explainRefusal(error: DataError, refusals: Refusals = {}): string {
  const sentence =
    error.reason !== null && Object.hasOwn(refusals, error.reason)
      ? refusals[error.reason]!
      : INVALID_VALUE;
  return error.waitSeconds === null
    ? sentence
    : `${sentence} Please wait ${formatWait(error.waitSeconds)} and try again.`;
}

/** The same as a form error, beside the field of the column that our SQL named, if it named one. */
export function toFormErrors(error: DataError, refusals: Refusals): Record<string, string[]> {
  return { [error.column ?? ""]: [explainRefusal(error, refusals)] };
}
