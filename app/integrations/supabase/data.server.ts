import { readOutage } from "./supabase-fetch.server";

/**
 * The kinds of failures of a call to the database, as far as the app distinguishes them:
 * - `unavailable`: no answer, or none from the database itself; a write may or may not have
 *   happened
 * - `signed-out`: the access token was not accepted
 * - `denied`: row level security or a grant did not allow it
 * - `missing`: one row was asked for and there is none
 * - `conflict`: a unique value exists already, or a newer version does
 * - `refused`: a rule of the database did not accept the values
 * - `unknown`: a fault of ours
 */
type DataFailure =
  "unavailable" | "signed-out" | "denied" | "missing" | "conflict" | "refused" | "unknown";

/** The SQLSTATE of what our own SQL raises. */
const RAISED = "P0001";

/** A failed call of the database. Its message is for the log, unless our own SQL raised it. */
export class DataError extends Error {
  override name = "DataError";
  /** The code that our SQL raised ("dates_gone"); null for any other error. */
  readonly reason: string | null;
  /** The column that the reason is about, when our SQL named one. */
  readonly column: string | null;
  /** How many seconds to wait, when our SQL refused because of a limit. */
  readonly waitSeconds: number | null;
  /** The name of the constraint that was violated; null for any other error. */
  readonly constraint: string | null;

  constructor(
    readonly failure: DataFailure,
    message: string,
    /** The SQLSTATE or PostgREST code, for the log. */
    readonly code: string,
    /** The error's detail in Postgres. */
    readonly details: string | null = null,
  ) {
    super(message);
    this.reason = code === RAISED && /^[a-z_]+$/.test(message) ? message : null;
    this.column = this.reason !== null && /^[a-z_]+$/.test(details ?? "") ? details : null;
    this.waitSeconds =
      this.reason !== null && /^[0-9]{1,9}$/.test(details ?? "") ? Number(details) : null;
    this.constraint = parseConstraint(code, message);
  }
}

/**
 * The constraint in a message of Postgres. PostgREST passes no other field that holds it. Postgres
 * writes these messages in one fixed form, for a foreign key (23503), a unique (23505), and a check
 * constraint (23514).
 */
function parseConstraint(code: string, message: string): string | null {
  if (!/^235(03|05|14)$/.test(code)) return null;
  return /violates (?:foreign key|unique|check) constraint "([^"]+)"/.exec(message)?.[1] ?? null;
}

interface Answer<T> {
  data: T;
  error: { message: string; code?: string; details?: string | null } | null;
  status: number;
}

function failureOf(code: string, status: number): DataFailure {
  // A lock that was not free in time, or two deadlocks in a row (supabaseFetch). Trying again
  // helps. So it does once the disk has room: Supabase lets no one write to a project without.
  if (/^(55P03|40001|40P01|25006)$/.test(code)) return "unavailable";
  // Before the statuses: a limit of ours comes as 429.
  if (code === RAISED) return "refused";
  if (readOutage(code) || /^(08|53|57P|PGRST00)/.test(code) || code === "57014" || status === 429)
    return "unavailable";
  if (/^PGRST30[1-3]$/.test(code) || (status === 401 && code === "42501")) return "signed-out";
  // The gateway did not accept our key; the database never saw the user's token.
  if (status === 401) return "unavailable";
  if (code === "42501" || status === 403) return "denied";
  if (code === "PGRST116" || status === 406 || code === "22003" || code === "22P02")
    return "missing";
  if (/^(22|23503$|23514$|23502$)/.test(code)) return "refused";
  if (code === "23505" || code === "PT409" || status === 409) return "conflict";
  return "unknown";
}

/**
 * The data of a supabase-js answer.
 * @throws DataError when there was an error
 */
export function unwrap<T>(answer: Answer<T>): NonNullable<T> {
  if (answer.error) {
    const { code = "", message, details = null } = answer.error;
    const failure = failureOf(code, answer.status);
    throw new DataError(failure, message, readOutage(code)?.code ?? code, details);
  }
  return answer.data as NonNullable<T>;
}
