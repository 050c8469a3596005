/** A text whose spaces don’t break: it is on one line, such as a day or a phone number. */
export const keepTogether = (text: string): string => text.replaceAll(" ", "\u00a0");
