import { COUNTRIES } from "~/modules/accounts/countries.server";
import { ADDRESS_COLUMNS } from "~/modules/listings/fields";
import { isCoordinate, PIN_COLUMNS, withMove } from "~/modules/listings/pin-move.server";
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

type EditChange = Parameters<typeof diffEdit>[0][number];

/** How many changes a row shows. The others are counted, also those in the same text: "+1 more". */
const SHOWN_CHANGES = 2;
/** The longest text of a change. The table cuts off what is still too wide, the old value first. */
const MAX_LENGTH = 48;
/** How many characters of unchanged text before a change help to recognize it. */
const CONTEXT_LENGTH = 12;

/**
 * The changes without those that an address says as well: the columns that are pieces of it. Only for these, because an
 * owner who doesn't use our form can send any text as the address that people see, or as a city, and any position.
 */
function withoutImplied(changes: readonly EditChange[]): EditChange[] {
  const textsOf = (name: string) => {
    const change = changes.find(({ column }) => column === name);
    return [change?.before, change?.after].map((text) => (typeof text === "string" ? text : null));
  };
  const [wasTyped, typed] = textsOf("rawaddress");
  const [wasAddress, address] = textsOf("address");
  const all = withMove(changes);
  if (!typed && !address) return all.filter(({ column }) => !isCoordinate(column));
  // Where people saw less than what was typed, such as a city or nothing, more of it may be shown now.
  const wasPart = wasTyped && !(wasAddress && isSaidBy(wasTyped, wasAddress));
  const isMoved = (far: boolean) => all.filter(({ isFar }) => isFar === far);
  // The country that a look-up adds to what was typed. Any other is said.
  const [wasCountry, country] = textsOf("country");
  const isUsual = !country || (!wasCountry && country === USUAL_COUNTRY);
  // A postal code that was neither typed nor approved is said as well.
  const [wasCode] = textsOf("postalcode");
  const wasThere = (code: string) =>
    code === wasCode || (!!wasAddress && isPieceOf("postalcode", code, wasAddress));
  const showsAddress =
    address && (!typed || wasPart || !isSaidBy(address, typed, isUsual, wasThere)) ? address : null;
  const others = all.filter(({ column, after }) => {
    if (column === "position") return false;
    if (!ADDRESS_COLUMNS.includes(column)) return true;
    if (PIN_COLUMNS.includes(column)) return false;
    if (column === "address") return showsAddress !== null;
    // Of these, what goes away is said.
    if (typeof after !== "string")
      return ["city", "state", "country", "postalcode"].includes(column);
    if (column === "country" && isUsual) return false;
    if (column === "postalcode" && wasThere(after)) return false;
    const said = [typed, showsAddress];
    return !said.some((text) => text && isPieceOf(column, after, text));
  });
  // A far move is first, so that it is shown, whatever else an owner changes with it.
  return [...isMoved(true), ...others, ...isMoved(false)];
}

const USUAL_COUNTRY = "United States";

const COUNTRY_NAMES = new Set([...COUNTRIES.map(({ name }) => name), "USA", "UK"]);

/**
 * Whether an address has a column's value in its place: "Boise" and "ID" in "9 Elm St, Boise, ID 83702", but neither
 * "Elm" nor "Boise" as a state.
 */
function isPieceOf(column: string, value: string, address: string): boolean {
  const pieces = address.split(",").map((piece) => piece.trim());
  if (column === "country") return pieces.at(-1) === value;
  if (COUNTRY_NAMES.has(pieces.at(-1) ?? "")) pieces.pop();
  const last = pieces.at(-1) ?? "";
  if (column === "postalcode") return ` ${last} `.includes(` ${value} `);
  const withoutCode = (piece: string) => piece.replace(POSTAL_CODE, "").replace(/^\d{4,5} /, "");
  if (column === "state") return withoutCode(last) === value;
  // Before the state, where that is a code. Else it may be the last piece, and what is before it may be a street.
  const places = isStateCode(withoutCode(last))
    ? pieces.slice(-2, -1)
    : pieces.slice(pieces.length > 2 ? -2 : -1);
  return places.some((piece) => withoutCode(piece) === value);
}

const isStateCode = (text: string) => /^[A-Z]{2,4}$/.test(text);

/** Of the countries from which most listings come. Nothing longer, because anything could be in its place. */
const POSTAL_CODE =
  / (?:\d{4,5}|\d{5}-\d{4}|[A-Z]\d[A-Z] \d[A-Z]\d|[A-Z]{1,2}\d[\dA-Z]? \d[A-Z]{2})$/;

/**
 * Whether an address says no more than what was typed, but for a postal code, and a country at its end.
 * @param isUsual whether that country is the usual one, or no other than before
 * @param wasThere whether that postal code is no other than before
 */
function isSaidBy(
  address: string,
  typed: string,
  isUsual = true,
  wasThere: (code: string) => boolean = () => true,
): boolean {
  const pieces = address.split(",").map((piece) => piece.trim());
  if (isUsual && COUNTRIES.some(({ name }) => name === pieces.at(-1))) pieces.pop();
  return pieces.every((piece, index) => {
    if (hasWords(typed, piece)) return true;
    const code = index === pieces.length - 1 ? POSTAL_CODE.exec(piece)?.[0] : undefined;
    const place = code && wasThere(code.trim()) ? piece.slice(0, -code.length) : piece;
    return !/\d/.test(place) && hasWords(typed, place);
  });
}

/** Whether a text has these words, one after the other: "115 Main St" has "Main St", but not "15 Main St". */
const hasWords = (text: string, words: string) => asWords(text).includes(asWords(words));
const asWords = (text: string) => ` ${text.replaceAll(/[\s,]+/g, " ").trim()} `;

/**
 * The changes that a row shows, how many more there are (fields, and places of a shown text), and whether the row shows
 * all of what changed. An address stands for what follows from it.
 * @param changes as the database function `review_rows` returns them, the most important first
 */
export function summarizeChanges(
  changes: readonly EditChange[],
  categories: Parameters<typeof diffEdit>[1],
): { changes: RowChange[]; more: number; isWhole: boolean } {
  const fields = withoutImplied(changes);
  const shown = diffEdit(fields.slice(0, SHOWN_CHANGES), categories);
  const more =
    Math.max(fields.length - SHOWN_CHANGES, 0) +
    shown.reduce((sum, { parts }) => sum + Math.max(countPlaces(parts) - 1, 0), 0);
  const rows = shown.map(({ label, parts }) => ({ label, ...summarizeParts(parts) }));
  return {
    changes: rows,
    more,
    isWhole:
      rows.length > 0 &&
      more === 0 &&
      shown.every(({ parts }) => parts.every(isShownWhole)) &&
      rows.every(({ was, now }) => was !== now),
  };
}

const isChanged = ({ kind }: DiffPart) => kind === "removed" || kind === "added";

/** In how many places two versions differ. A row shows the first one. */
const countPlaces = (parts: readonly DiffPart[]) =>
  parts.filter((part, index) => isChanged(part) && !(index > 0 && isChanged(parts[index - 1]!)))
    .length;

/** Whether a row shows a part as it is: of a text that was partly rewritten, it shows the first place alone. */
const isShownWhole = ({ kind, text }: DiffPart) =>
  isChanged({ kind, text }) && text.length <= MAX_LENGTH;

/** The first place where two versions differ, with a word or two before it. */
function summarizeParts(whole: readonly DiffPart[]): Pick<RowChange, "was" | "now"> {
  const parts = splitAtDifference(whole);
  const at = parts.findIndex(isChanged);
  const [one, two] = [parts[at], parts[at + 1]];
  const removed = one?.kind === "removed" ? one.text : "";
  const added = [one, two].find((part) => part?.kind === "added")?.text ?? "";
  const isPartial = parts.some(({ kind }) => kind === "same");
  const context = parts[at - 1]?.kind === "same" ? shortenContext(parts[at - 1]!.text) : "";
  const format = (text: string) =>
    shorten(oneLine(`${context}${text}`), MAX_LENGTH) || (isPartial ? "…" : "");
  return { was: format(removed), now: format(added) };
}

/**
 * Two long texts that have too little in common to be compared word by word, with their common beginning apart. A row
 * would otherwise say the same of both, whatever is written after that.
 */
function splitAtDifference(parts: readonly DiffPart[]): readonly DiffPart[] {
  const [removed, added] = parts;
  if (parts.length !== 2 || !removed || !added || !parts.every(isChanged)) return parts;
  if (parts.every(isShownWhole)) return parts;
  const [before, after] = [Array.from(removed.text), Array.from(added.text)];
  const differs = before.findIndex((character, index) => character !== after[index]);
  const common = before.slice(0, differs === -1 ? before.length : differs).join("");
  // Whole words, where there are several.
  const same = common.replace(/(?<=\s)\S+$/, "");
  if (same === "") return parts;
  return [
    { kind: "same", text: same },
    { ...removed, text: removed.text.slice(same.length) },
    { ...added, text: added.text.slice(same.length) },
  ];
}

const oneLine = (text: string) => text.replaceAll(/\s+/g, " ").trim();

/** The last words before a change; an ellipsis stands for what is before them. */
function shortenContext(text: string): string {
  const words = text.trimEnd();
  const end = words.slice(-CONTEXT_LENGTH);
  if (end.length === words.length) return text;
  const word = end.search(/\s\S/);
  return `… ${word === -1 ? "" : end.slice(word + 1)}${text.slice(words.length)}`;
}
