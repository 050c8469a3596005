import { notFound } from "~/http/errors.server";
import { routeLoader } from "~/http/route.server";
import { calendarOf } from "~/modules/sponsorships/calendar.server";
import { ownSponsorship } from "~/modules/sponsorships/sponsorship.server";

/** The dates of an order that is paid for, as a file for a calendar; for its owner alone. */
export const loader = routeLoader({ access: "signed in" }, async ({ db, params, session }) => {
  const sponsorship = await ownSponsorship(db, session.user.id, params.id);
  if (!sponsorship.paid) throw notFound();
  return new Response(calendarOf(sponsorship), {
    headers: {
      "Content-Type": "text/calendar; charset=utf-8",
      "Content-Disposition": 'attachment; filename="newsletter-features.ics"',
    },
  });
});
