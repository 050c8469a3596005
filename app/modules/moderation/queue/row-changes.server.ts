import { ADDRESS_COLUMNS } from "~/modules/listings/fields";
import { shorten } from "~/text/shorten";

import { diffEdit, type DiffPart } from "../review/edit-diff.server";

/** What an edit changed in one field, short enough for a row of a table. */
export interface RowChange {
  label: string;
  /**
   * The old value and the new one; empty when there is none. For a long text, only the changed
   * words.
   */
  was: string;
  now: string;
}

/** How many changes a row shows. The others are counted: "+1 more". */
const SHOWN_CHANGES = 2;
/** The longest text of a change. The table cuts off what is still too wide, the old value first. */
const MAX_LENGTH = 48;
/** How many characters of unchanged text before a change help to recognize it. */
const CONTEXT_LENGTH = 12;

/**
 * The changes that a row shows, how many more there are, and whether the row shows all of what changed. An address
 * stands for all its columns.
 * @param changes as the database function `review_rows` returns them, the most important first
 */
export function summarizeChanges(
  changes: Parameters<typeof diffEdit>[0],
  categories: Parameters<typeof diffEdit>[1],
): { changes: RowChange[]; more: number; isWhole: boolean } {
  const columns = changes.map(({ column }) => column);
  const fields = columns.includes("rawaddress")
    ? changes.filter(({ column }) => !ADDRESS_COLUMNS.includes(column))
    : changes;
  const shown = diffEdit(fields.slice(0, SHOWN_CHANGES), categories);
  const more = Math.max(fields.length - SHOWN_CHANGES, 0);
  return {
    changes: shown.map(({ label, parts }) => ({ label, ...summarizeParts(parts) })),
    more,
    isWhole:
      shown.length > 0 && more === 0 && shown.every(({ parts }) => parts.every(isShownWhole)),
  };
}

/** Whether a row shows a part as it is: of a text that was partly rewritten, it shows the first place alone. */
const isShownWhole = ({ kind, text }: DiffPart) =>
  (kind === "removed" || kind === "added") && text.length <= MAX_LENGTH;

/** The first place where two versions differ, with a word or two before it. */
function summarizeParts(parts: readonly DiffPart[]): Pick<RowChange, "was" | "now"> {
  const at = parts.findIndex(({ kind }) => kind === "removed" || kind === "added");
  const [one, two] = [parts[at], parts[at + 1]];
  const removed = one?.kind === "removed" ? one.text : "";
  const added = [one, two].find((part) => part?.kind === "added")?.text ?? "";
  const isPartial = parts.some(({ kind }) => kind === "same");
  const context = parts[at - 1]?.kind === "same" ? shortenContext(parts[at - 1]!.text) : "";
  const format = (text: string) =>
    shorten(oneLine(`${context}${text}`), MAX_LENGTH) || (isPartial ? "…" : "");
  return { was: format(removed), now: format(added) };
}

const oneLine = (text: string) => text.replaceAll(/\s+/g, " ").trim();

/** The last words before a change; an ellipsis stands for what is before them. */
function shortenContext(text: string): string {
  if (text === "") return "";
  const end = text.slice(-CONTEXT_LENGTH);
  if (end.length === text.length) return text;
  const word = end.search(/\s\S/);
  return `… ${word === -1 ? "" : end.slice(word + 1)}`;
}
