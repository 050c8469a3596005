import { routeAction, routeLoader } from "~/http/route.server";
import { startExport } from "~/modules/exports/start-export.server";
import { listingsCsv } from "~/modules/moderation/listing-export.server";
import { listingsFilter } from "~/modules/moderation/listings-filter";

/** The listings of a filter; the addresses of their owners are masked. */
export const loader = routeLoader({ access: "admin" }, async ({ request, db, url }) =>
  listingsCsv(request, db, listingsFilter(url.searchParams), null),
);

/** The same with them, which is logged before the first of them is read. */
export const action = routeAction(
  { access: "admin" },
  {
    export: async ({ request, db, url }) => {
      const filter = listingsFilter(url.searchParams);
      return listingsCsv(
        request,
        db,
        filter,
        await startExport(db, "listings", new URLSearchParams(filter)),
      );
    },
  },
);
