/** Long values of an entry, as a page shows them. The CSV file has them whole. Pure. */
import { formatCount } from "~/text/counts";
import { shorten } from "~/text/shorten";

import type { AuditChange } from "./changes";

/** How many characters of a value a page shows: someone who saves long texts all day would make it megabytes. */
const MAX_LENGTH = 300;
/** How many of them come before the first difference. */
const CONTEXT_LENGTH = 60;

/** What was changed, with values from where they first differ, and how long each is that isn't shown whole. */
export function shortenChange(change: AuditChange): AuditChange {
  const before = Array.from(change.before ?? "");
  const after = Array.from(change.after ?? "");
  if (Math.max(before.length, after.length) <= MAX_LENGTH) return change;
  const differs = before.findIndex((character, index) => character !== after[index]);
  const start = Math.max((differs === -1 ? before.length : differs) - CONTEXT_LENGTH, 0);
  return {
    label: change.label,
    before: change.before === null ? null : shortenValue(before, start),
    after: change.after === null ? null : shortenValue(after, start),
  };
}

function shortenValue(characters: readonly string[], start: number): string {
  if (characters.length <= MAX_LENGTH) return characters.join("");
  const rest = characters.slice(start).join("");
  // Whole words, where there are several before the difference.
  const shown = start === 0 ? rest : `…${rest.replace(/^\S{0,50}\s/, "")}`;
  return `${shorten(shown, MAX_LENGTH)} (${formatCount(characters.length, "character")})`;
}
