import type { Meaning } from "./divisions.server";
import { fold } from "./fold";

/** A word as typed, what it folds to (nothing for an emoji), and the number of commas before it. */
export interface Word {
  text: string;
  key: string;
  segment: number;
}

/** A postal code by its form: of the United States, of Canada, or of anywhere else. */
export interface PostalCode {
  kind: "US" | "CA" | "other";
  code: string;
  /** Where codes of this form are used, when the form alone tells. */
  country: string | null;
}

/** One way of understanding the end of what was typed; the words left over hold the street and the city. */
export interface Reading {
  words: Word[];
  postal: PostalCode | null;
  /** The country or division named; every place in the world when null. */
  within: Meaning[] | null;
  /** A name that is not finished yet was taken for the division. */
  unfinished: boolean;
}

const LONGEST_NAME = 5;
const MOST_WORDS = 60;

/** The words of a line, in order. Control characters and halves of characters are not part of them. */
export function wordsOf(typed: string): Word[] {
  return typed
    .replace(/[\p{Cc}\p{Cs}]/gu, " ")
    .split(/[,;]/)
    .flatMap((segment, i) =>
      segment
        .split(/\s+/)
        .filter(Boolean)
        .map((text) => ({ text, key: fold(text), segment: i })),
    )
    .slice(0, MOST_WORDS);
}

/** The words put together again, with their commas. */
export function textOf(words: Word[]): string {
  return words
    .map(
      (word, i) => (i === 0 ? "" : word.segment === words[i - 1]!.segment ? " " : ", ") + word.text,
    )
    .join("");
}

/** What the words fold to together. */
export function keyOf(words: Word[]): string {
  return words
    .map((word) => word.key)
    .filter(Boolean)
    .join(" ");
}

/** A Canadian code written as the post does: "m5v2t6" → "M5V 2T6". */
function canadian(code: string): PostalCode {
  const tidy = code.replace(/\s/g, "").toUpperCase();
  return {
    kind: "CA",
    code: tidy.length > 3 ? `${tidy.slice(0, 3)} ${tidy.slice(3)}` : tidy,
    country: "CA",
  };
}

/** What the last word, or the last two, can be as a postal code, with the words before it. */
function* postalCodesAtTheEnd(words: Word[]): Generator<{ postal: PostalCode; rest: Word[] }> {
  const last = words.at(-1)?.text ?? "";
  const two = words.length > 1 ? `${words.at(-2)!.text} ${last}` : "";
  const [rest, restOfTwo] = [words.slice(0, -1), words.slice(0, -2)];
  if (/^\d{5}(-\d{4})?$/.test(last))
    yield { postal: { kind: "US", code: last, country: null }, rest };
  if (/^[a-z]\d[a-z] \d[a-z]\d$/i.test(two)) yield { postal: canadian(two), rest: restOfTwo };
  else if (/^[a-z]\d[a-z](-?\d[a-z]\d)?$/i.test(last))
    yield { postal: canadian(last.replace("-", "")), rest };
  if (/^[a-z]{1,2}\d[a-z\d]? \d[a-z]{2}$/i.test(two)) {
    yield { postal: { kind: "other", code: two.toUpperCase(), country: "GB" }, rest: restOfTwo };
  } else if (/^(?=.*\d)[a-z\d-]{4,8}$/i.test(last)) {
    yield { postal: { kind: "other", code: last.toUpperCase(), country: null }, rest };
  }
}

/** A postal code before the city, as in "10119 Berlin" and "1012 AB Amsterdam". */
export function postalCodeBefore(words: Word[]): string | null {
  const text = words.map((word) => word.text).join(" ");
  return /^(?:[a-z]{1,2}-)?\d{4,6}$|^\d{3}[ -]\d{2,4}$|^\d{4}-\d{3}$|^\d{4} ?[a-z]{2}$/i.test(text)
    ? text.toUpperCase()
    : null;
}

/**
 * Every way of reading the end of a line, which may hold a division, a country and a postal code in any
 * order. Few lines have more than a handful.
 * @param meaningsOf what a folded name can mean
 * @param meaningsOfBeginning the same for the beginning of a name
 */
export function readingsOf(
  words: Word[],
  meaningsOf: (key: string) => Meaning[],
  meaningsOfBeginning: (key: string) => Meaning[],
): Reading[] {
  const readings: Reading[] = [];

  const read = (given: Reading, named: number) => {
    const end = given.words.findLastIndex((word) => word.key !== "") + 1;
    const reading = { ...given, words: given.words.slice(0, end) };
    readings.push(reading);
    if (!reading.postal) {
      for (const { postal, rest } of postalCodesAtTheEnd(reading.words))
        read({ ...reading, postal, words: rest }, named);
    }
    if (named === 2) return;
    for (let length = 1; length <= Math.min(LONGEST_NAME, reading.words.length); length++) {
      const meanings = meaningsOf(keyOf(reading.words.slice(-length))).filter((meaning) =>
        fits(meaning, reading.within),
      );
      if (meanings.length === 0) continue;
      read({ ...reading, within: meanings, words: reading.words.slice(0, -length) }, named + 1);
    }
  };
  read({ words, postal: null, within: null, unfinished: false }, 0);

  const last = words.at(-1)?.segment ?? 0;
  const unfinished =
    last > 0 && readings.length === 1
      ? meaningsOfBeginning(keyOf(words.filter((word) => word.segment === last)))
      : [];
  if (unfinished.length > 0) {
    readings.push({
      words: words.filter((word) => word.segment !== last),
      postal: null,
      within: unfinished,
      unfinished: true,
    });
  }
  return readings;
}

/** Read from the end: in "Portland, Oregon, USA", Oregon comes second and has to lie in what came first. */
function fits(meaning: Meaning, within: Meaning[] | null): boolean {
  if (!within) return true;
  return within.some(
    (known) =>
      known.country === meaning.country && known.division === null && meaning.division !== null,
  );
}
