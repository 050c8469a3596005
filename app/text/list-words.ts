import { LOCALE } from "./locale";

const LIST = new Intl.ListFormat(LOCALE);

/** Lists words within a sentence: "Dec 22 and Dec 24", "a, b, and c". */
export const listWords = (words: readonly string[]): string => LIST.format(words);
