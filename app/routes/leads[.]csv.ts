import { csvDownload } from "~/http/csv.server";
import { routeLoader } from "~/http/route.server";
import { allLeads, leadsQuery } from "~/modules/leads/leads.server";
import { leadBadge } from "~/modules/leads/rules";

/** The leads of a filter, all pages of it, as a table for a spreadsheet. */
export const loader = routeLoader({ access: "signed in" }, async ({ request, db, url }) =>
  csvDownload(
    request,
    "leads",
    [
      { header: "Date (UTC)", cell: ({ created_at }) => created_at },
      { header: "Name", cell: ({ requester_name }) => requester_name },
      { header: "Email address", cell: ({ requester_email }) => requester_email },
      { header: "Message", cell: ({ message }) => message },
      { header: "Listing", cell: ({ place_name }) => place_name },
      { header: "State", cell: ({ state }) => leadBadge(state).label },
      { header: "Notes", cell: ({ notes }) => notes },
    ],
    allLeads(db, leadsQuery(url.searchParams)),
  ),
);
