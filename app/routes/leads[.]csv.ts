import { csvDownload } from "~/http/csv.server";
import { routeLoader } from "~/http/route.server";
import { parseLeadsQuery, readAllLeads } from "~/modules/leads/leads.server";
import { getLeadBadge } from "~/modules/leads/rules";

/** All leads that a filter finds, as CSV. */
export const loader = routeLoader(
  { access: "signed in", page: false },
  async ({ request, db, url }) =>
    csvDownload(
      request,
      "leads",
      [
        { header: "Date (UTC)", cell: ({ created_at }) => created_at },
        { header: "Name", cell: ({ requester_name }) => requester_name },
        { header: "Email address", cell: ({ requester_email }) => requester_email },
        { header: "Message", cell: ({ message }) => message },
        { header: "Listing", cell: ({ place_name }) => place_name },
        { header: "Status", cell: ({ state }) => getLeadBadge(state).label },
        { header: "Notes", cell: ({ notes }) => notes },
      ],
      readAllLeads(db, parseLeadsQuery(url.searchParams).filter),
    ),
);
