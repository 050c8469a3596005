import { json } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";

import { ButtonLink } from "~/components/ui/button";
import { EmptyState } from "~/components/ui/empty-state";
import { PageHeader } from "~/components/ui/page-header";
import { Pagination } from "~/components/ui/pagination";
import { pageLinks } from "~/http/pagination";
import { paths } from "~/http/paths";
import { routeLoader } from "~/http/route.server";
import { ExportLinks } from "~/modules/exports/export-links";
import { JobsFilter } from "~/modules/jobs/jobs-filter";
import { listJobs, readJobsFilter } from "~/modules/jobs/jobs-page.server";
import { JobsTable } from "~/modules/jobs/jobs-table";
import { formatCount } from "~/text/counts";

export const handle = { title: "All Jobs" };

export const loader = routeLoader({ access: "admin" }, async ({ db, url }) => {
  const filter = readJobsFilter(url.searchParams);
  const { jobs, total, ...cursors } = await listJobs(db, filter, url.searchParams, new Date());
  const query = { search: filter.search, state: filter.state ?? undefined };
  return json({
    filter,
    jobs,
    total,
    pages: pageLinks((position) => paths.adminJobs({ ...query, ...position }), cursors),
    csv: paths.adminJobsCsv(query),
  });
});

export default function AdminJobs() {
  const { filter, jobs, total, pages, csv } = useLoaderData<typeof loader>();
  return (
    <>
      <PageHeader
        title="All Jobs"
        subtitle="All jobs, newest first."
        action={<ButtonLink to={paths.newJob()}>Add New Job</ButtonLink>}
      />
      <JobsFilter filter={filter} total={total} />
      {jobs.length > 0 ? (
        <JobsTable caption={formatCount(total, "job")} jobs={jobs} withOwner />
      ) : filter.search || filter.state ? (
        <EmptyState title="No matching jobs" illustration="notice-board">
          Try fewer words or another status.
        </EmptyState>
      ) : (
        <EmptyState title="No jobs yet" illustration="notice-board">
          Jobs that owners post will appear here.
        </EmptyState>
      )}
      <Pagination
        label="All jobs, pages"
        position={`${formatCount(jobs.length, "job")} on this page`}
        {...pages}
      />
      {jobs.length > 0 ? <ExportLinks what="jobs" csv={csv} /> : null}
    </>
  );
}
