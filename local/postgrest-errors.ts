import type { Engine } from "./engine";

interface DatabaseProblem {
  code?: unknown;
  message?: string;
  detail?: string;
  details?: string;
  hint?: string;
}

/**
 * The HTTP status that PostgREST gives to a Postgres error
 * (https://docs.postgrest.org/en/stable/references/errors.html), for the errors that the stand-in
 * would answer with a bare 500. Undefined where the answer of the stand-in is right, such as for
 * 42501, whose status depends on the role.
 */
function statusOf(code: string): number | undefined {
  if (code.startsWith("PT") || code.startsWith("PGRST")) return undefined;
  if (["42501", "42P01", "42883", "42P17", "25006", "23505", "23503"].includes(code)) {
    return undefined;
  }
  switch (code.slice(0, 2)) {
    case "42":
    case "22":
    case "21":
    case "53":
    case "55":
      return undefined;
    case "08":
      return 503;
    case "0L":
    case "0P":
    case "28":
      return 403;
    case "09":
    case "25":
    case "2D":
    case "38":
    case "39":
    case "3B":
    case "40":
    case "54":
    case "57":
    case "58":
    case "F0":
    case "HV":
    case "XX":
      return 500;
    case "P0":
      return code === "P0001" ? 400 : 500;
    default:
      return 400;
  }
}

/**
 * Answers check violations, raised exceptions and our own codes in PostgREST's form
 * ({ code, message, details, hint } with its status) in place of an empty 500.
 *
 * In the stand-in, a function can answer with any status by raising SQLSTATE `PGRST` with a JSON
 * message. The other errors are converted to that form.
 */
export function formatErrorsLikePostgrest(connection: Engine["connection"]): void {
  const original = connection.normalizeDbError.bind(connection);
  connection.normalizeDbError = (problem: unknown): unknown => {
    const cause = original(problem) as DatabaseProblem | null | undefined;
    const code = cause?.code;
    if (typeof code !== "string" || !/^[0-9A-Z]{5}$/.test(code)) return cause;
    const status = statusOf(code);
    if (status === undefined) return cause;
    return {
      code: "PGRST",
      message: JSON.stringify({
        code,
        message: cause?.message ?? "",
        details: cause?.detail ?? cause?.details ?? null,
        hint: cause?.hint ?? null,
      }),
      detail: JSON.stringify({ status, headers: {} }),
    };
  };
}
