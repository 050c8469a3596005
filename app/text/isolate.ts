import { removeInvisible } from "./one-line";

/** Hebrew, Arabic, Syriac, Thaana, NKo and the other scripts that are written from right to left, or a sign that turns text around. */
const TURNS =
  /[\u0590-\u08FF\u200E\u200F\u202A-\u202E\u2066-\u2069\uFB1D-\uFDFF\uFE70-\uFEFC\u{10800}-\u{10FFF}\u{1E800}-\u{1EFFF}]/u;

/**
 * A name or another text that someone wrote, for use within a sentence that is one string: in a script that is written
 * from right to left, it does not move the words around it. As part of a page it is a `<bdi>` instead.
 */
export const isolate = (text: string): string =>
  TURNS.test(text) ? `\u2068${removeInvisible(text)}\u2069` : text;
