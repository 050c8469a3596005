import { LOCALE } from "./locale";

/**
 * A longer text is over every limit of ours, since 300 characters of ten codes have 6,000 units. Its codes are
 * counted instead: the time to segment a text grows with the square of its length in some engines.
 */
const MAX_SEGMENTED = 6_000;

let segmenter: Intl.Segmenter | undefined;

/**
 * How many characters a text has for the person who reads it: an emoji is one, whatever it is put together
 * from, and so are a letter with its accents and a line break. `private.count_characters` in SQL counts
 * the same way. An older browser without a segmenter counts the parts of an emoji.
 */
export function countCharacters(text: string): number {
  if (typeof Intl.Segmenter === "undefined" || text.length > MAX_SEGMENTED) return [...text].length;
  segmenter ??= new Intl.Segmenter(LOCALE);
  return [...segmenter.segment(text)].length;
}
