import { diffWordsWithSpace } from "diff";

import { getColumnLabel } from "~/modules/listings/fields";
import { formatColumn } from "~/modules/listings/format-column";
import type { CategoryOptions } from "~/modules/listings/listing.server";

/** A column that a waiting edit changed: what was approved, and what waits. */
export interface ColumnChange {
  column: string;
  before: unknown;
  after: unknown;
}

/** A piece of a value: in both versions, in one of them, or unchanged text that is left out. */
export interface DiffPart {
  kind: "same" | "removed" | "added" | "skipped";
  text: string;
}

/** One field of an edit, in the order in which its pieces are read. */
export interface FieldDiff {
  column: string;
  label: string;
  parts: DiffPart[];
}

/** A shorter text, such as a name or a phone number, is shown whole: it is read at a glance. */
const SHORT = 30;
/** Of unchanged text, so much stays beside each change. */
const CONTEXT = 60;
/** Texts that differ in more pieces than this are shown whole, before and after: nobody reads such a mixture. */
const MOST_EDITS = 300;
/** So much of the longer text has to have stayed for its words to be compared one by one. */
const LEAST_SHARED = 1 / 3;

/**
 * What an edit changed, field by field; within text that was only partly rewritten, word by word.
 * @param choices the categories, which are shown by their names
 */
export function editDiff(
  changes: readonly ColumnChange[],
  choices: Pick<CategoryOptions, "categories" | "onlineCategories">,
): FieldDiff[] {
  return changes.map((change) => ({
    column: change.column,
    label: getColumnLabel(change.column),
    parts: partsOf(change, choices),
  }));
}

function partsOf(
  { column, before, after }: ColumnChange,
  choices: Pick<CategoryOptions, "categories" | "onlineCategories">,
): DiffPart[] {
  const words = (value: unknown) => (isEmpty(value) ? "" : formatColumn(column, value, choices));
  if (Array.isArray(before) && Array.isArray(after)) {
    const only = (these: unknown[], those: unknown[]) =>
      words(these.filter((one) => !those.includes(one)));
    const [removed, added] = [only(before, after), only(after, before)];
    if (removed !== "" || added !== "") return replaced(removed, added);
  }
  if (typeof before === "string" && typeof after === "string")
    return wordByWord(before, after) ?? replaced(before, after);
  return replaced(words(before), words(after));
}

const isEmpty = (value: unknown) =>
  value === null ||
  value === undefined ||
  value === "" ||
  (Array.isArray(value) && value.length === 0);

/** One value after another; nothing where there was or is nothing. */
function replaced(before: string, after: string): DiffPart[] {
  const parts: DiffPart[] = [
    { kind: "removed", text: named(before) },
    { kind: "added", text: named(after) },
  ];
  return parts.filter(({ text }) => text !== "");
}

/** The words of two texts compared; null when they are short, or too little of them is the same. */
function wordByWord(before: string, after: string): DiffPart[] | null {
  if (Math.max(before.length, after.length) <= SHORT && before.trim() !== after.trim()) return null;
  const found = diffWordsWithSpace(before, after, { maxEditLength: MOST_EDITS });
  if (!found) return null;
  const pieces = joined(
    found.map(({ value, added, removed }) => ({
      kind: added ? "added" : removed ? "removed" : "same",
      text: value,
    })),
  );
  const shared = pieces.reduce(
    (sum, { kind, text }) => sum + (kind === "same" ? text.trim().length : 0),
    0,
  );
  if (shared < LEAST_SHARED * Math.max(before.length, after.length)) return null;
  return pieces.flatMap((piece, index) =>
    piece.kind === "same"
      ? shortened(piece.text, index === 0, index === pieces.length - 1)
      : [{ ...piece, text: named(piece.text) }],
  );
}

/** Changes with nothing but a space between them are read as one: "two old words" became "three new ones". */
function joined(pieces: DiffPart[]): DiffPart[] {
  const done: DiffPart[] = [];
  let removed = "";
  let added = "";
  const close = () => {
    if (removed !== "") done.push({ kind: "removed", text: removed });
    if (added !== "") done.push({ kind: "added", text: added });
    removed = added = "";
  };
  for (const [index, { kind, text }] of pieces.entries()) {
    const between = removed !== "" && added !== "" && index < pieces.length - 1;
    if (kind === "removed" || (kind === "same" && between && text.trim() === "")) removed += text;
    if (kind === "added" || (kind === "same" && between && text.trim() === "")) added += text;
    if (kind === "same" && !(between && text.trim() === "")) {
      close();
      done.push({ kind, text });
    }
  }
  close();
  return done;
}

/** Unchanged text around changes: its beginning and end, without what lies far from both. */
function shortened(text: string, first: boolean, last: boolean): DiffPart[] {
  const characters = Array.from(text);
  const head = first ? 0 : CONTEXT;
  const tail = last ? 0 : CONTEXT;
  if (characters.length <= head + tail + CONTEXT) return [{ kind: "same", text }];
  const parts: DiffPart[] = [
    { kind: "same", text: characters.slice(0, head).join("") },
    { kind: "skipped", text: "…" },
    { kind: "same", text: tail === 0 ? "" : characters.slice(-tail).join("") },
  ];
  return parts.filter(({ text: shown }) => shown !== "");
}

/** What cannot be seen is named: a space or a line that came or went. */
function named(text: string): string {
  if (text === "" || text.trim() !== "") return text;
  return text.includes("\n") ? "(line break)" : "(space)";
}
