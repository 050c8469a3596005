/**
 * Text without the characters that no one sees, as the database stores it (private.visible). Some turn the text around
 * them: a name looks like another one, or moves what follows it. They also come along when a number is copied from a
 * phone's contacts. Joiners stay: Persian words and emoji need them.
 */
const removeInvisible = (text: string): string =>
  text.replace(
    /[\u00AD\u061C\u180E\u200B\u200E\u200F\u202A-\u202E\u2060-\u206F\uFEFF\uFFF9-\uFFFB]/g,
    "",
  );

/** Text of one line, as the database stores it (private.one_line): line breaks and other control characters are spaces. */
export const toOneLine = (text: string): string =>
  removeInvisible(text).replace(/[\p{Cc}\u2028\u2029]+/gu, " ");

/** Text of any number of lines, as the database stores it (private.many_lines): without control characters. */
export const toLines = (text: string): string =>
  // eslint-disable-next-line no-control-regex -- all but tab and the line breaks
  removeInvisible(text).replace(/[\0-\b\v\f\x0E-\x1F\x7F-\x9F]/g, "");
