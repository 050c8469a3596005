/**
 * Text without the characters that no one sees, as the database stores it (private.visible). Some turn the text around
 * them: a name looks like another one, or moves what follows it. They also come along when a number is copied from a
 * phone's contacts. Blank letters make a name that looks empty. Joiners, variation selectors, and tags stay after a letter
 * or an emoji, as Persian words and flags need them; where a word begins they join nothing.
 */
const removeInvisible = (text: string): string =>
  text
    .replace(
      /\u034F|\u17B4|\u17B5|[\u00AD\u115F\u1160\u061C\u180E\u200B\u200E\u200F\u202A-\u202E\u2060-\u206F\u2800\u3164\uFEFF\uFFA0\uFFF0-\uFFFB]/g,
      "",
    )
    .replace(
      /[\u{13441}\u{13442}\u{1BCA0}-\u{1BCA3}\u{1D159}\u{1D173}-\u{1D17A}\u{E0000}-\u{E001F}\u{E0080}-\u{E00FF}\u{E01F0}-\u{E0FFF}]/gu,
      "",
    )
    .replace(
      /(^|\s)(?:\u200C|\u200D|[\u180B-\u180D]|\u180F|[\uFE00-\uFE0F]|[\u{E0020}-\u{E007F}]|[\u{E0100}-\u{E01EF}])+/gu,
      "$1",
    );

/**
 * Text of one line, as the database stores it (private.one_line): line breaks, other control characters, and other spaces
 * are spaces.
 */
export const toOneLine = (text: string): string =>
  removeInvisible(
    text.replace(/[\p{Cc}\xA0\u1680\u2000-\u200A\u2028\u2029\u202F\u205F\u3000]+/gu, " "),
  );

/** A name as it is seen: joiners, variation selectors, and tags may be anywhere in it. */
export const withoutJoiners = (name: string): string =>
  name.replace(
    /\u200C|\u200D|[\u180B-\u180D]|\u180F|[\uFE00-\uFE0F]|[\u{E0020}-\u{E007F}]|[\u{E0100}-\u{E01EF}]/gu,
    "",
  );

/** Text of any number of lines, as the database stores it (private.many_lines): without control characters. */
export const toLines = (text: string): string =>
  // eslint-disable-next-line no-control-regex -- all but tab and the line breaks
  removeInvisible(text.replace(/[\0-\b\v\f\x0E-\x1F\x7F-\x9F]/g, ""));
