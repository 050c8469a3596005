/** Letters that are written from right to left (Hebrew, Arabic, and others), and signs that turn text around. */
const TURNS =
  /[\u0590-\u08FF\u200E\u200F\u202A-\u202E\u2066-\u2069\uFB1D-\uFDFF\uFE70-\uFEFC\u{10800}-\u{1EFFF}]/u;

/**
 * A name or another text that someone wrote, for use in a sentence that is one string: from right to left, it does not
 * move the words around it. In markup it is a `<bdi>` instead.
 */
export const isolate = (text: string): string =>
  TURNS.test(text) ? `\u2068${text.replace(/[\u2066-\u2069]/g, "")}\u2069` : text;
