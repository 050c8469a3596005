const asText = (value: unknown): string =>
  typeof value === "string" || typeof value === "number" ? String(value) : "";

/** A value for reading: "Yes" and "No" for a checkbox, "Empty" for nothing, lists with commas. */
export function formatValue(value: unknown): string {
  if (Array.isArray(value)) return value.map(asText).join(", ") || "Empty";
  if (typeof value === "boolean") return value ? "Yes" : "No";
  return value === "on" ? "Yes" : asText(value) || "Empty";
}

/** A word of the code for reading: "Past due" for `past_due`. */
export const formatCode = (code: string): string =>
  code.replaceAll(/[_-]/g, " ").replace(/^./, (letter) => letter.toUpperCase());
