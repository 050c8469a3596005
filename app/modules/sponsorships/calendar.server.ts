import ical, { ICalCalendarMethod, ICalEventTransparency } from "ical-generator";

import { env } from "~/env.server";
import { paths } from "~/http/paths";

import type { Sponsorship } from "./sponsorship.server";

/** The features of an order as a calendar file (RFC 5545): a whole day each, which is nobody's busy time. */
export function calendarOf({
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
      // The same each time, so that a calendar that takes the file twice has each day once.
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
