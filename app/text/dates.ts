import { LOCALE } from "./locale";

/**
 * Dates and times as people read them. A moment is an ISO string or a Date and is shown in UTC. A
 * calendar day is "YYYY-MM-DD": it is the same day everywhere and has no zone.
 */

export const DAY_MS = 86_400_000;

type Moment = string | Date;

/**
 * Builds its Intl formatter on first use, so that a page pays only for those it shows. What is no date is
 * shown as it is: one odd value must not take the page down.
 */
function formatter(options: Intl.DateTimeFormatOptions): (moment: Moment) => string {
  let format: Intl.DateTimeFormat | undefined;
  return (moment) => {
    format ??= new Intl.DateTimeFormat(LOCALE, { timeZone: "UTC", ...options });
    const date = new Date(moment);
    return Number.isNaN(date.getTime()) ? String(moment) : format.format(date);
  };
}

/** A moment for the `datetime` of a `<time>`, which takes no microseconds: in whole seconds. */
export const toDateTime = (moment: string): string => moment.replace(/\.\d+/, "");

/** "Nov 3, 2026" */
export const formatDate = formatter({ dateStyle: "medium" });

/** "Tuesday, November 3, 2026" */
export const formatFullDate = formatter({ dateStyle: "full" });

/** "Tue, Nov 3" */
export const formatWeekday = formatter({ weekday: "short", month: "short", day: "numeric" });

/** "Nov 3" */
export const formatShortDate = formatter({ month: "short", day: "numeric" });

/** "November 2026" */
export const formatMonth = formatter({ month: "long", year: "numeric" });

const timestamp = formatter({ dateStyle: "medium", timeStyle: "short" });

/** "Nov 3, 2026, 3:05 PM UTC" */
export const formatTimestamp = (moment: Moment): string => `${timestamp(moment)} UTC`;

/** The same in the reader's zone, for scripts in a browser: "Nov 3, 2026, 10:05 AM EST" */
export const formatLocalTimestamp = formatter({
  year: "numeric",
  month: "short",
  day: "numeric",
  hour: "numeric",
  minute: "2-digit",
  timeZoneName: "short",
  timeZone: undefined,
});

/** The calendar day of a moment, in UTC: "2026-11-03". */
export function calendarDay(moment: Date): string {
  return moment.toISOString().slice(0, 10);
}

/** Whether a text is a day from the year 1000 on: "2026-02-28", but not "2026-02-30". (Postgres has no year 0.) */
export function isCalendarDay(text: string): boolean {
  if (!/^[1-9]\d{3}-\d\d-\d\d$/.test(text)) return false;
  const day = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && calendarDay(day) === text;
}
