/**
 * Type numbers of Postgres whose text form differs from what the hosted data API sends or takes.
 */
export const TYPE = {
  timestamp: 1114,
  timestamptz: 1184,
  numeric: 1700,
  json: 114,
  jsonb: 3802,
} as const;

/**
 * Postgres prints `2026-11-20 16:13:55.123+00`; the hosted data API sends
 * `2026-11-20T16:13:55.123+00:00`. Microseconds are kept: they matter to "has it changed since".
 */
export function timestampAsJson(text: string): string {
  return text.replace(" ", "T").replace(/([+-]\d\d)$/, "$1:00");
}

/** Numbers come as numbers, as over the hosted data API, and not as text. */
export function numericAsJson(text: string): number | string {
  const number = Number(text);
  return Number.isFinite(number) ? number : text;
}
