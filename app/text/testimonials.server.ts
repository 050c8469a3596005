/** What a supporter says about the directory, in their own words. */
export interface Testimonial {
  words: string;
  /** Who says it, as they agreed to be named. */
  by: string;
}

const MAX_COUNT = 3;
const MAX_LENGTH = { words: 300, by: 80 };

const isText = (value: unknown, max: number) =>
  typeof value === "string" && value.trim() !== "" && value.length <= max;

const isTestimonial = (value: unknown): value is Testimonial =>
  typeof value === "object" &&
  value !== null &&
  "words" in value &&
  "by" in value &&
  isText(value.words, MAX_LENGTH.words) &&
  isText(value.by, MAX_LENGTH.by);

/**
 * Reads testimonials from a setting: a JSON list of `{"words": "…", "by": "…"}`.
 * @returns null when it is not such a list, or too long
 */
export function parseTestimonials(setting: string): Testimonial[] | null {
  try {
    const list: unknown = JSON.parse(setting);
    return Array.isArray(list) && list.length <= MAX_COUNT && list.every(isTestimonial)
      ? list.map(({ words, by }) => ({ words, by }))
      : null;
  } catch {
    return null;
  }
}
