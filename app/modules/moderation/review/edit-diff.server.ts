import { diffWordsWithSpace } from "diff";

import { getColumnLabel } from "~/modules/listings/fields";
import { formatColumn } from "~/modules/listings/format-column";
import type { CategoryOptions } from "~/modules/listings/listing.server";

/** A column that an edit changed: the approved value, and the new one. */
interface ColumnChange {
  column: string;
  before: unknown;
  after: unknown;
}

/** A part of a value: in both versions, in one of them, or unchanged text that is left out. */
export interface DiffPart {
  kind: "same" | "removed" | "added" | "skipped";
  text: string;
}

/** One field of an edit, with its parts in reading order. */
export interface FieldDiff {
  column: string;
  label: string;
  parts: DiffPart[];
}

/** Texts up to this length, such as a name or a phone number, are shown whole. */
const MAX_WHOLE_LENGTH = 30;
/** How many characters of unchanged text are shown beside a change. */
const CONTEXT_LENGTH = 60;
/** Texts with more differences than this are shown whole, before and after: a mixture is unreadable. */
const MAX_EDITS = 300;
/** How much of the longer text must be the same for the words to be compared. */
const MIN_SHARED = 1 / 3;

type Categories = Pick<CategoryOptions, "categories" | "onlineCategories">;

/**
 * Compares the two versions of each field that an edit changed. A text that was partly rewritten is
 * compared word by word.
 * @param categories to show categories by their names
 */
export function diffEdit(changes: readonly ColumnChange[], categories: Categories): FieldDiff[] {
  return changes.map((change) => ({
    column: change.column,
    label: getColumnLabel(change.column),
    parts: diffColumn(change, categories),
  }));
}

function diffColumn({ column, before, after }: ColumnChange, categories: Categories): DiffPart[] {
  const toText = (value: unknown) =>
    isEmpty(value) ? "" : formatColumn(column, value, categories);
  if (Array.isArray(before) && Array.isArray(after)) {
    const missingFrom = (other: unknown[], list: unknown[]) =>
      toText(list.filter((item) => !other.includes(item)));
    const [removed, added] = [missingFrom(after, before), missingFrom(before, after)];
    if (removed !== "" || added !== "") return replaceWhole(removed, added);
  }
  if (typeof before === "string" && typeof after === "string")
    return diffWords(before, after) ?? replaceWhole(before, after);
  return replaceWhole(toText(before), toText(after));
}

const isEmpty = (value: unknown) =>
  value === null ||
  value === undefined ||
  value === "" ||
  (Array.isArray(value) && value.length === 0);

/** The old value, then the new one. An empty value has no part. */
function replaceWhole(before: string, after: string): DiffPart[] {
  const parts: DiffPart[] = [
    { kind: "removed", text: nameWhitespace(before) },
    { kind: "added", text: nameWhitespace(after) },
  ];
  return parts.filter(({ text }) => text !== "");
}

/** Compares two texts word by word; null when they are short, or have too little in common. */
function diffWords(before: string, after: string): DiffPart[] | null {
  if (Math.max(before.length, after.length) <= MAX_WHOLE_LENGTH && before.trim() !== after.trim())
    return null;
  const found = diffWordsWithSpace(before, after, { maxEditLength: MAX_EDITS });
  if (!found) return null;
  const parts = joinChanges(
    found.map(({ value, added, removed }) => ({
      kind: added ? "added" : removed ? "removed" : "same",
      text: value,
    })),
  );
  const shared = parts.reduce(
    (sum, { kind, text }) => sum + (kind === "same" ? text.trim().length : 0),
    0,
  );
  if (shared < MIN_SHARED * Math.max(before.length, after.length)) return null;
  const shown = parts.flatMap((part, index) =>
    part.kind === "same"
      ? shortenUnchanged(part.text, index === 0, index === parts.length - 1)
      : separateSpaces(
          { ...part, text: nameWhitespace(part.text) },
          [parts[index - 1], parts[index + 1]].every(
            (beside) => (beside?.kind ?? "same") === "same",
          ),
        ),
  );
  return joinUnchanged(shown);
}

/**
 * Words that were added or removed, without the space before and after them: at the end of a line, it would be marked
 * alone. (Beside another change, it may be in one version only.)
 */
function separateSpaces(change: DiffPart, isAlone: boolean): DiffPart[] {
  const words = change.text.trim();
  if (!isAlone || words === "") return [change];
  const start = change.text.indexOf(words);
  const parts: DiffPart[] = [
    { kind: "same", text: change.text.slice(0, start) },
    { kind: change.kind, text: words },
    { kind: "same", text: change.text.slice(start + words.length) },
  ];
  return parts.filter(({ text }) => text !== "");
}

/** Makes one part of unchanged text and the space that was separated from the words after or before it. */
function joinUnchanged(parts: readonly DiffPart[]): DiffPart[] {
  const joined: DiffPart[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if (last?.kind === "same" && part.kind === "same")
      joined[joined.length - 1] = { kind: "same", text: last.text + part.text };
    else joined.push(part);
  }
  return joined;
}

/** Joins changes with only whitespace between them, so that several words in a row are one change. */
function joinChanges(parts: DiffPart[]): DiffPart[] {
  const joined: DiffPart[] = [];
  let removed = "";
  let added = "";
  const close = () => {
    if (removed !== "") joined.push({ kind: "removed", text: removed });
    if (added !== "") joined.push({ kind: "added", text: added });
    removed = added = "";
  };
  for (const [index, { kind, text }] of parts.entries()) {
    const isBetween = removed !== "" && added !== "" && index < parts.length - 1;
    const isGap = kind === "same" && isBetween && text.trim() === "";
    if (kind === "removed" || isGap) removed += text;
    if (kind === "added" || isGap) added += text;
    if (kind === "same" && !isGap) {
      close();
      joined.push({ kind, text });
    }
  }
  close();
  return joined;
}

/** Unchanged text without its middle, which is far from the changes around it. */
function shortenUnchanged(text: string, isFirst: boolean, isLast: boolean): DiffPart[] {
  const characters = Array.from(text);
  const head = isFirst ? 0 : CONTEXT_LENGTH;
  const tail = isLast ? 0 : CONTEXT_LENGTH;
  if (characters.length <= head + tail + CONTEXT_LENGTH) return [{ kind: "same", text }];
  const before = characters.slice(0, head).join("");
  const after = tail === 0 ? "" : characters.slice(-tail).join("");
  const parts: DiffPart[] = [
    // Whole words, where there are several.
    { kind: "same", text: before.replace(/(?<=\s)\S+$/, "") },
    { kind: "skipped", text: "…" },
    { kind: "same", text: after.replace(/^\S+(?=\s)/, "") },
  ];
  return parts.filter((part) => part.text !== "");
}

/** Names a change that can't be seen: a space or a line break. */
function nameWhitespace(text: string): string {
  if (text === "" || text.trim() !== "") return text;
  return text.includes("\n") ? "(line break)" : "(space)";
}
