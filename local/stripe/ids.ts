import { randomBytes } from "node:crypto";

const SIGNS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** A new id, such as `cus_…`. */
export function newId(prefix: string, length = 24): string {
  return `${prefix}_${randomSigns(length)}`;
}

/** So many letters and digits. */
export function randomSigns(length: number): string {
  // 248 is the largest multiple of 62 in a byte: what is above would favour some signs.
  let signs = "";
  while (signs.length < length) {
    for (const byte of randomBytes(length)) {
      if (byte < 248 && signs.length < length) signs += SIGNS[byte % 62];
    }
  }
  return signs;
}

/** The id of something that may stand there whole. */
export function idOf(value: string | { id: string }): string;
export function idOf(value: string | { id: string } | null | undefined): string | null;
export function idOf(value: string | { id: string } | null | undefined): string | null {
  if (value === null || value === undefined) return null;
  return typeof value === "string" ? value : value.id;
}
