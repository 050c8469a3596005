import ical, { ICalCalendarMethod, ICalEventTransparency } from "ical-generator";

import { env } from "~/env.server";
import { paths } from "~/http/paths";

import type { Sponsorship } from "./sponsorship.server";

/** The features of an order as a calendar file (RFC 5545): all-day events that block no time. */
export function buildCalendar({
  id,
  business,
  dates,
}: Pick<Sponsorship, "id" | "business" | "dates">): string {
  const { appUrl, appName } = env();
  const { hostname } = new URL(appUrl);
  const calendar = ical({
    name: "Newsletter features",
    prodId: { company: hostname, product: appName },
    method: ICalCalendarMethod.PUBLISH,
  });
  for (const date of dates) {
    calendar.createEvent({
      // Stable, so that a calendar that imports the file twice has each event once.
      id: `sponsorship-${id}-${date}@${hostname}`,
      start: new Date(`${date}T00:00:00Z`),
      allDay: true,
      timezone: "UTC",
      transparency: ICalEventTransparency.TRANSPARENT,
      summary: `Newsletter feature: ${business}`,
      url: `${appUrl}${paths.sponsorship(id)}`,
    });
  }
  return calendar.toString();
}
