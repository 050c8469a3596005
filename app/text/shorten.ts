/**
 * A text of at most so many characters (code points, so that no emoji is cut in half); an ellipsis stands for the rest.
 * @param most how many it has at most, with the ellipsis
 */
export function shorten(text: string, most: number): string {
  const characters = Array.from(text);
  if (characters.length <= most) return text;
  const beginning = characters.slice(0, most - 1).join("");
  return `${beginning.trimEnd()}…`;
}
