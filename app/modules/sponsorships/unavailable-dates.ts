import { formatFullDate, formatShortDate } from "~/text/dates";

import type { UnavailableDate, UnavailableReason } from "./rules";

/** The labels beside dates that are not available. */
export const UNAVAILABLE_LABELS: Record<UnavailableReason, string> = {
  full: "Full",
  blocked: "Not available",
  past: "Closed",
  "no newsletter": "No newsletter",
  duplicate: "In another order",
};

const SENTENCES: Record<UnavailableReason, { one: (date: string) => string; more: string }> = {
  full: {
    one: (date) => `${formatFullDate(date)} is full. Please choose another date.`,
    more: "These dates are full. Please choose others",
  },
  blocked: {
    one: (date) => `${formatFullDate(date)} is not available. Please choose another date.`,
    more: "These dates are not available. Please choose others",
  },
  past: {
    one: (date) =>
      `The newsletter on ${formatFullDate(date)} is closed. Please choose dates in the future.`,
    more: "These newsletters are closed. Please choose dates in the future",
  },
  // This may be any text, and not a date at all.
  "no newsletter": { one: () => "Newsletters go out on Tuesdays and Thursdays.", more: "" },
  duplicate: {
    one: (date) => `Your listing already has a spot on ${formatFullDate(date)} in another order.`,
    more: "Your listing already has a spot on these dates in another order",
  },
};

/** "Dec 24, Dec 29" */
const listDates = (dates: readonly string[]) => dates.map(formatShortDate).join(", ");

/** A sentence for each reason why dates are not available, with its dates. */
export function explainUnavailableDates(dates: readonly UnavailableDate[]): string[] {
  const reasons = [...new Set(dates.map(({ reason }) => reason))];
  return reasons.map((reason) => {
    const days = [...new Set(dates.filter((one) => one.reason === reason).map(({ date }) => date))];
    const { one, more } = SENTENCES[reason];
    return days.length === 1 || more === "" ? one(days[0]!) : `${more}: ${listDates(days)}.`;
  });
}

/** Says that the buyer's own earlier order has these dates already, and can be paid for. */
export function explainUnpaidDuplicates(dates: readonly string[]): string {
  const these = dates.length === 1 ? "this date" : "these dates";
  return `You already have ${these} in an order that isn’t paid yet: ${listDates(dates)}. Pay for that order, or choose other dates here. You weren’t charged.`;
}
