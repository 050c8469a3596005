import { LOCALE } from "./locale";

let segmenter: Intl.Segmenter | undefined;

/**
 * How many characters a text has for the person who reads it: an emoji is one, whatever it is put together
 * from, and so are a letter with its accents and a line break. `private.count_characters` in SQL counts
 * the same way. An older browser without a segmenter counts the parts of an emoji.
 */
export function countCharacters(text: string): number {
  if (typeof Intl.Segmenter === "undefined") return [...text].length;
  segmenter ??= new Intl.Segmenter(LOCALE);
  return [...segmenter.segment(text)].length;
}
