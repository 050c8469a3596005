import { UNREACHABLE } from "./supabase-fetch.server";

/**
 * What can come of asking the database, in the words the app decides by:
 * - `unavailable`: no answer, or none from the database itself; a write may or may not have happened
 * - `signed-out`: the access token was not accepted
 * - `denied`: row level security or a grant said no
 * - `missing`: one row was asked for and there is none
 * - `conflict`: a unique value exists already, or a newer version does
 * - `refused`: a rule of the database refused the values; the message is a sentence for people
 * - `unknown`: a fault of ours
 */
export type DataFailure =
  "unavailable" | "signed-out" | "denied" | "missing" | "conflict" | "refused" | "unknown";

export class DataError extends Error {
  override name = "DataError";
  constructor(
    readonly failure: DataFailure,
    message: string,
    /** The SQLSTATE or PostgREST code, for the log. */
    readonly code: string,
    /** The constraint or detail the database named, when it did. */
    readonly details: string | null = null,
  ) {
    super(message);
  }
}

interface Answer<T> {
  data: T;
  error: { message: string; code?: string; details?: string | null } | null;
  status: number;
}

function failureOf(code: string, status: number): DataFailure {
  // A lock that was not to be had in time, or a transaction that stood in another's way: asking again helps.
  if (/^(55P03|40001|40P01)$/.test(code)) return "unavailable";
  if (
    code === UNREACHABLE ||
    /^(08|53|57P|PGRST00)/.test(code) ||
    code === "57014" ||
    status === 429
  )
    return "unavailable";
  if (/^PGRST30[1-3]$/.test(code) || (status === 401 && code === "42501")) return "signed-out";
  // Refused by the gateway, before the database saw the token: our key is wrong, not the person's session.
  if (status === 401) return "unavailable";
  if (code === "42501" || status === 403) return "denied";
  if (code === "PGRST116" || status === 406 || code === "22003" || code === "22P02")
    return "missing";
  if (code === "P0001" || /^(22|23503$|23514$|23502$)/.test(code)) return "refused";
  if (code === "23505" || code === "PT409" || status === 409) return "conflict";
  return "unknown";
}

/**
 * The data of a supabase-js answer.
 * @throws DataError when there was an error, with its kind
 */
export function unwrap<T>(answer: Answer<T>): NonNullable<T> {
  if (answer.error) {
    const code = answer.error.code ?? "";
    throw new DataError(
      failureOf(code, answer.status),
      answer.error.message,
      code,
      answer.error.details ?? null,
    );
  }
  return answer.data as NonNullable<T>;
}
