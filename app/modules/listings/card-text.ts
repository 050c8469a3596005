/** The beginning of a description, as a card shows it: about 100 characters, up to the end of a word. Pure. */
export const toCardText = (description: string): string =>
  description.trim().replace(/^([^]{90}[^\s.,;:]{0,20})[^]{20,}$/u, "$1…");
