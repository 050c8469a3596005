import { routeAction, routeLoader } from "~/http/route.server";
import { startExport } from "~/modules/exports/start-export.server";
import { usersCsv } from "~/modules/users/user-export.server";
import { userFilter } from "~/modules/users/user-list.server";

/** The users of a filter, with addresses and numbers masked. */
export const loader = routeLoader({ access: "admin" }, async ({ request, db, url }) =>
  usersCsv(request, db, userFilter(url.searchParams), null),
);

/** The same with their contact details, which is logged before the first of them is read. */
export const action = routeAction(
  { access: "admin" },
  {
    export: async ({ request, db, url }) => {
      const filter = userFilter(url.searchParams);
      return usersCsv(
        request,
        db,
        filter,
        await startExport(db, "users", new URLSearchParams({ ...filter })),
      );
    },
  },
);
