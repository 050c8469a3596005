import { routeLoader } from "~/http/route.server";
import { jobsCsv } from "~/modules/jobs/job-export.server";
import { jobsQuery } from "~/modules/jobs/jobs-page.server";

/** Everybody's jobs of a filter, as a table for a spreadsheet. */
export const loader = routeLoader({ access: "admin" }, async ({ request, db, url }) =>
  jobsCsv(request, db, jobsQuery(url.searchParams), new Date()),
);
