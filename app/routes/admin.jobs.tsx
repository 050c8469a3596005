import { json } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";

import { ButtonLink } from "~/components/ui/button";
import { EmptyState } from "~/components/ui/empty-state";
import { PageHeader } from "~/components/ui/page-header";
import { Pagination } from "~/components/ui/pagination";
import { TextLink } from "~/components/ui/text-link";
import { paths } from "~/http/paths";
import { routeLoader } from "~/http/route.server";
import { ExportLinks } from "~/modules/exports/export-links";
import { JobsFilter } from "~/modules/jobs/jobs-filter";
import { jobsPage, jobsQuery } from "~/modules/jobs/jobs-page.server";
import { JobsTable } from "~/modules/jobs/jobs-table";

export const handle = { title: "All Jobs" };

export const loader = routeLoader({ access: "admin" }, async ({ db, url }) => {
  const query = jobsQuery(url.searchParams);
  return json({ query, ...(await jobsPage(db, "everybody", query, new Date())) });
});

export default function AdminJobs() {
  const { query, jobs, total, previous, next } = useLoaderData<typeof loader>();
  const filter = { search: query.search, state: query.state ?? undefined };
  return (
    <>
      <PageHeader
        title="All Jobs"
        subtitle="Everybody’s jobs, the newest first."
        action={<ButtonLink to={paths.newJob()}>Add New Job</ButtonLink>}
      />
      <JobsFilter query={query} />
      {jobs.length > 0 ? (
        <JobsTable
          caption={total === 1 ? "1 job" : `${total.toLocaleString("en-US")} jobs`}
          jobs={jobs}
          withOwner
        />
      ) : (
        <EmptyState title="No such jobs" illustration="notice-board">
          No job is like that. <TextLink to={paths.adminJobs()}>Show all</TextLink>
        </EmptyState>
      )}
      <Pagination
        label="All jobs, pages"
        previous={previous === null ? undefined : paths.adminJobs({ ...filter, before: previous })}
        next={next === null ? undefined : paths.adminJobs({ ...filter, after: next })}
      />
      <ExportLinks what="jobs" csv={paths.adminJobsCsv(filter)} />
    </>
  );
}
