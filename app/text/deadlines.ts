import { formatLongDate, formatTimestamp } from "./dates";

/** Until when people can act, true for readers in every time zone. */

/** "November 3, 2026 at 15:05 UTC" */
export const formatDeadline = (moment: string): string =>
  `${formatLongDate(moment)} at ${formatTimestamp(moment).split(", ").at(-1)}`;

/** From the first minute of a day in UTC until noon of the next day, when it is over everywhere on Earth. */
const HOURS_OF_A_DAY_ON_EARTH = 36;

/** The last day that is over everywhere on Earth before a moment: "November 3, 2026". */
export const formatLastDay = (moment: string): string =>
  formatLongDate(new Date(Date.parse(moment) - HOURS_OF_A_DAY_ON_EARTH * 3_600_000));
