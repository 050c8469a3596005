import { LOCALE } from "./locale";

/** A whole number with separators: "1,204". */
export function formatNumber(value: number): string {
  return value.toLocaleString(LOCALE);
}

/**
 * A count with its noun: "1 listing", "1,204 listings".
 * @param plural the noun's plural, unless it only takes an "s"
 */
export function formatCount(count: number, noun: string, plural = `${noun}s`): string {
  return `${formatNumber(count)} ${count === 1 ? noun : plural}`;
}
