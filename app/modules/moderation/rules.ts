/** How long listings, reports, and feedback wait for the team. Pure. */

import { formatCount } from "~/text/counts";
import { DAY_MS } from "~/text/dates";

/** From this many days on, the waiting time is marked. */
export const LONG_WAIT_DAYS = 14;

/** The whole days since an ISO time. @param now in milliseconds */
export const countDaysSince = (since: string, now: number): number =>
  Math.max(Math.floor((now - Date.parse(since)) / DAY_MS), 0);

/** Days in words: "less than a day", "12 days". */
export const formatDays = (days: number): string =>
  days === 0 ? "less than a day" : formatCount(days, "day");
