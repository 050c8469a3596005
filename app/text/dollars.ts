/**
 * Parses an amount of dollars as people type it ("45", "$45.50", "1,000") into whole cents. Null for
 * anything else: a sign, a third decimal, an exponent. It reads the text, because 45.1 has no exact
 * number.
 */
export function parseDollars(typed: string): number | null {
  const [, whole = "", decimals = ""] =
    /^\$? ?(\d{1,9}|\d{1,3}(?:,\d{3}){1,2})(?:\.(\d{1,2}))?$/.exec(typed.trim()) ?? [];
  if (whole === "") return null;
  return Number(whole.replaceAll(",", "")) * 100 + Number(decimals.padEnd(2, "0"));
}
