import { routeLoader } from "~/http/route.server";
import { jobsCsv } from "~/modules/jobs/job-export.server";
import { readJobsFilter } from "~/modules/jobs/jobs-page.server";

/** Everyone's jobs under a filter, as a CSV file. */
export const loader = routeLoader({ access: "admin", page: false }, async ({ request, db, url }) =>
  jobsCsv(request, db, readJobsFilter(url.searchParams), new Date()),
);
