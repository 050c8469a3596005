import { createHash } from "node:crypto";

import ical, { ICalCalendarMethod, ICalEventTransparency } from "ical-generator";

import { env } from "~/env.server";
import { paths } from "~/http/paths";
import { isCalendarDay } from "~/text/dates";
import { toFirstLetter } from "~/text/first-letter";

import type { Sponsorship } from "./sponsorship.server";

/**
 * The features of an order as a calendar file (RFC 5545): all-day events that block no time. Calendars
 * are shared, so nothing in it names the directory; in discreet mode there is no link to it, either, and of the
 * business, whose name may say what it is, the first letter alone.
 */
export function buildCalendar(
  { id, business, dates }: Pick<Sponsorship, "id" | "business" | "dates">,
  { discreet }: { discreet: boolean },
): string {
  const { appUrl } = env();
  const calendar = ical({
    name: "Newsletter features",
    prodId: { company: "Dashboard", product: "Calendar" },
    method: ICalCalendarMethod.PUBLISH,
  });
  for (const date of dates.filter(isCalendarDay)) {
    calendar.createEvent({
      // Stable, so that a calendar that imports the file twice has each event once.
      id: createHash("sha256").update(`${appUrl} ${id} ${date}`).digest("hex").slice(0, 32),
      start: new Date(`${date}T00:00:00Z`),
      allDay: true,
      timezone: "UTC",
      transparency: ICalEventTransparency.TRANSPARENT,
      summary: `Newsletter feature: ${discreet ? toFirstLetter(business) : business}`,
      ...(discreet ? {} : { url: `${appUrl}${paths.sponsorship(id)}` }),
    });
  }
  return calendar.toString();
}
