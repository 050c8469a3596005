import { formatDate, formatTimestamp } from "./dates";
import { keepTogether } from "./keep-together";

/** Until when people can act, true for readers in every time zone. */

/** As a sentence says it: "Nov 3, 2026 at 3:05 PM UTC". A line ends within neither the day nor the time. */
export const formatDeadline = (moment: string): string =>
  `${keepTogether(formatDate(moment))} at ${keepTogether(formatTimestamp(moment).split(", ").at(-1)!)}`;

/** From the first minute of a day in UTC until noon of the next day, when it is over everywhere on Earth. */
const HOURS_OF_A_DAY_ON_EARTH = 36;

/** The last day that is over everywhere on Earth before a moment, as a moment in it. */
export const getLastDay = (moment: Date): Date =>
  new Date(moment.getTime() - HOURS_OF_A_DAY_ON_EARTH * 3_600_000);

/** The same as text: "Nov 3, 2026". */
export const formatLastDay = (moment: string): string => formatDate(getLastDay(new Date(moment)));
