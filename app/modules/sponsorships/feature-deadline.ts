import { formatWeekday } from "~/text/dates";
import { listWords } from "~/text/list-words";

import { hasUpcomingDate, listDatesInPreparation } from "./rules";

/** "Tue, Dec 1 and Thu, Dec 3", within a sentence. */
const listDays = (dates: readonly string[]) => listWords(dates.map(formatWeekday));

/** Why the feature of an order can't be edited, from the day of its last newsletter (UTC). */
export const SENT =
  "The newsletter goes out today or has already gone out, so you can’t edit your feature here. If something in it shouldn’t go out, please get in touch right away.";

const EDITABLE = "You can edit this until the newsletter goes out.";

/**
 * Until when the owner of a paid order can edit its feature; null once its newsletters have gone out, days ago.
 * @param dates those of the order
 */
export function describeEditing(dates: readonly string[], now: Date): string | null {
  const close = listDatesInPreparation(dates, now);
  if (!hasUpcomingDate(dates, now)) return close.length === 0 ? null : SENT;
  return close.length === 0
    ? EDITABLE
    : `${EDITABLE} For ${listDays(close)}, our team may already have copied your feature into the newsletter. If a change is important, please get in touch, too.`;
}

/**
 * What someone who hides a listing, or cancels a newsletter, should know about the newsletters that may be written
 * already; null when none may be.
 */
export function describeCopied(dates: readonly string[], now: Date): string | null {
  const close = listDatesInPreparation(dates, now);
  return close.length === 0
    ? null
    : `For ${listDays(close)}, our team may already have copied the feature into the newsletter. If it shouldn’t go out, please get in touch right away.`;
}

/** What is true once a feature was saved: the team may have copied what it said before. */
export function describeSaved(dates: readonly string[], now: Date): string {
  const close = listDatesInPreparation(dates, now);
  return close.length === 0
    ? "Feature saved."
    : `Feature saved. For ${listDays(close)}, our team may already have copied the earlier text into the newsletter. If that text shouldn’t go out, please get in touch right away.`;
}
