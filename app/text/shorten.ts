/**
 * A text of at most so many characters (code points, so that no emoji is cut in half); an ellipsis stands for the rest.
 * It ends with a whole word, unless that would leave out more than a third.
 * @param most how many it has at most, with the ellipsis
 */
export function shorten(text: string, most: number): string {
  const characters = Array.from(text);
  if (characters.length <= most) return text;
  const beginning = characters.slice(0, most - 1).join("");
  const words = /\s/.test(characters[most - 1]!) ? beginning : beginning.replace(/\s+\S*$/, "");
  return `${(words.length > beginning.length * (2 / 3) ? words : beginning).trimEnd()}…`;
}
