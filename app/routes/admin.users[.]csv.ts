import { routeAction, routeLoader } from "~/http/route.server";
import { startExport } from "~/modules/exports/export.server";
import { usersCsv } from "~/modules/users/users-csv.server";
import { parseUserFilter } from "~/modules/users/users.server";

/** The users that a search finds. Contact details are masked. */
export const loader = routeLoader({ access: "admin", page: false }, async ({ request, db, url }) =>
  usersCsv(request, db, parseUserFilter(url.searchParams), null),
);

/** The same with contact details. This is logged before the first of them is read. */
export const action = routeAction(
  { access: "admin", page: false },
  {
    export: async ({ request, db, url }) => {
      const filter = parseUserFilter(url.searchParams);
      return usersCsv(
        request,
        db,
        filter,
        await startExport(db, "users", new URLSearchParams({ ...filter })),
      );
    },
  },
);
