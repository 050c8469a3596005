import { notFound } from "~/http/errors.server";
import { rowIdParam } from "~/http/params.server";
import { routeLoader } from "~/http/route.server";
import { buildCalendar } from "~/modules/sponsorships/calendar.server";
import { findOwnSponsorship, noSuchSponsorship } from "~/modules/sponsorships/sponsorship.server";

/** The dates of a paid order as a calendar file, for its owner. */
export const loader = routeLoader(
  { access: "signed in", page: false, params: { id: rowIdParam(noSuchSponsorship) } },
  async ({ db, params, session }) => {
    const sponsorship = await findOwnSponsorship(db, session.user.id, params.id);
    if (!sponsorship.paid) throw notFound();
    return new Response(buildCalendar(sponsorship, session.user), {
      headers: {
        "Content-Type": "text/calendar; charset=utf-8",
        "Content-Disposition": 'attachment; filename="newsletter-features.ics"',
      },
    });
  },
);
