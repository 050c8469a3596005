import { routeAction, routeLoader } from "~/http/route.server";
import { startExport } from "~/modules/exports/export.server";
import { parseFilter } from "~/modules/moderation/queue/filter";
import { listingsCsv } from "~/modules/moderation/queue/listings-csv.server";

/** The listings of a filter. The email addresses of their owners are masked. */
export const loader = routeLoader({ access: "admin", page: false }, async ({ request, db, url }) =>
  listingsCsv(request, db, parseFilter(url.searchParams), null),
);

/** The same with the addresses. This is logged before the first of them is read. */
export const action = routeAction(
  { access: "admin", page: false },
  {
    export: async ({ request, db, url }) => {
      const filter = parseFilter(url.searchParams);
      return listingsCsv(
        request,
        db,
        filter,
        await startExport(db, "listings", new URLSearchParams(filter)),
      );
    },
  },
);
