/**
 * The id of a row as text, for use inside a larger pattern. Every such number is exact in
 * JavaScript.
 */
export const ROW_ID_PATTERN = String.raw`[1-9]\d{0,14}`;

const ROW_ID = new RegExp(`^${ROW_ID_PATTERN}$`);

/** The id of a row from a URL or a form: a positive whole number, or null for anything else. */
export function parseRowId(text: unknown): number | null {
  return typeof text === "string" && ROW_ID.test(text) ? Number(text) : null;
}
