/**
 * Text without characters that no one types: control characters other than tabs and line breaks, and those
 * that embed, override, or isolate a direction of writing, which come along when a number is copied from a
 * phone's contacts. The database removes the same (private.one_line), so what a form sends is what is stored.
 */
export const toPlainText = (text: string): string =>
  text.replace(/(?![\t\n])\p{Cc}|[\u202A-\u202E\u2066-\u2069]/gu, "");
