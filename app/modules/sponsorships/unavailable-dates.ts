import { formatFullDate } from "~/text/dates";

import type { UnavailableDate, UnavailableReason } from "./rules";

/** The labels beside dates that are not available. */
export const UNAVAILABLE_LABELS: Record<UnavailableReason, string> = {
  full: "Full",
  blocked: "Not available",
  past: "Closed",
  "no newsletter": "No newsletter",
  duplicate: "In another order",
};

const SENTENCES: Record<UnavailableReason, (date: string) => string> = {
  full: (date) => `${formatFullDate(date)} is full. Please choose another date.`,
  blocked: (date) => `${formatFullDate(date)} is not available. Please choose another date.`,
  past: (date) =>
    `The newsletter on ${formatFullDate(date)} is closed. Please choose dates in the future.`,
  // This may be any text, and not a date at all.
  "no newsletter": () => "Newsletters go out on Tuesdays and Thursdays.",
  duplicate: (date) =>
    `Your listing already has a spot on ${formatFullDate(date)} in another of your orders.`,
};

/** A sentence for each date that is not available, without repetitions. */
export function explainUnavailableDates(dates: readonly UnavailableDate[]): string[] {
  return [...new Set(dates.map(({ date, reason }) => SENTENCES[reason](date)))];
}
