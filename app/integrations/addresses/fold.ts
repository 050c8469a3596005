const LETTERS: Record<string, string> = {
  ß: "ss",
  æ: "ae",
  œ: "oe",
  ø: "o",
  ł: "l",
  đ: "d",
  ð: "d",
  þ: "th",
  ı: "i",
  ħ: "h",
  ŋ: "n",
};
const SHORT: Record<string, string> = { saint: "st", sainte: "ste", mount: "mt", fort: "ft" };

/** Most names need nothing but lower case, and there are 150,000 of them. */
const PLAIN = /^[a-z]+(?: [a-z]+)*$/i;

/**
 * What two spellings of a name have in common: lower case, without accents and punctuation, "Saint" as
 * "st". "Coeur d’Alene" → "coeur dalene", "São Paulo" → "sao paulo". Text that is not in the Latin
 * script folds to nothing.
 */
export function fold(text: string): string {
  return spelledShort(PLAIN.test(text) ? text.toLowerCase() : plain(text));
}

function plain(text: string): string {
  return text
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[\u0300-\u036f'’‘ʻʼ`]/g, "")
    .replace(/[ßæœøłđðþıħŋ]/g, (letter) => LETTERS[letter]!)
    .replace(/[^a-z0-9]+/g, " ")
    .trim();
}

function spelledShort(key: string): string {
  return key.replace(/\b(?:sainte?|mount|fort)\b/g, (word) => SHORT[word]!);
}
