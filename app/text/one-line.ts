/**
 * Text of one line, as the database stores it (private.one_line): each run of line breaks and other control
 * characters as a space, and without the characters that embed, override, or isolate a direction of writing,
 * which come along when a number is copied from a phone's contacts.
 */
export const toOneLine = (text: string): string =>
  text.replace(/[\u202A-\u202E\u2066-\u2069]/g, "").replace(/[\p{Cc}\u2028\u2029]+/gu, " ");
