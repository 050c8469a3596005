const MAX_CHARACTERS = 200;

/**
 * What someone typed into a search box, for the database: trimmed, at most 200 characters, and
 * without NUL, which no text in Postgres can hold. Cuts between characters, never inside of one.
 */
export function parseSearchText(typed: string | null): string {
  return Array.from((typed ?? "").replaceAll("\u0000", "").trim())
    .slice(0, MAX_CHARACTERS)
    .join("");
}
