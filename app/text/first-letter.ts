/**
 * The first letter or digit of a name, to tell one from another where the whole name would say what it is (in discreet
 * mode): "F…" for "Fern & Flour Bakery".
 */
export const toFirstLetter = (name: string): string => `${/[\p{L}\p{N}]/u.exec(name)?.[0] ?? ""}…`;
