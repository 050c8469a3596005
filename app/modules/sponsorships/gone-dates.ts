import { dayInWords } from "./newsletter-days";
import type { GoneBecause } from "./rules";

/** Beside a date that can't be had. */
export const GONE_WORDS: Record<GoneBecause, string> = {
  full: "Full",
  blocked: "Not available",
  past: "Already closed",
  "no newsletter": "No newsletter",
};

const SENTENCES: Record<GoneBecause, (day: string) => string> = {
  full: (day) => `${day} is full. Please choose another date.`,
  blocked: (day) => `${day} is not available. Please choose another date.`,
  past: (day) => `The newsletter of ${day} is closed. Please choose dates that are still to come.`,
  "no newsletter": () => "Newsletters go out on Tuesdays and Thursdays.",
};

/** A sentence for each date that can't be had, each sentence once. */
export function goneSentences(gone: readonly { date: string; because: GoneBecause }[]): string[] {
  // What is no newsletter day may be no day at all, and has no words.
  return [
    ...new Set(
      gone.map(({ date, because }) =>
        SENTENCES[because](because === "no newsletter" ? "" : dayInWords(date)),
      ),
    ),
  ];
}
