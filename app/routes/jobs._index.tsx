import { json } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";

import { ButtonLink } from "~/components/ui/button";
import { EmptyState } from "~/components/ui/empty-state";
import { PageHeader } from "~/components/ui/page-header";
import { Pagination } from "~/components/ui/pagination";
import { pageLinks } from "~/http/pagination";
import { paths } from "~/http/paths";
import { routeAction, routeLoader } from "~/http/route.server";
import { CheckoutReturnCallout } from "~/modules/billing/checkout-return";
import {
  checkoutReturnHandlers,
  findCheckoutReturn,
} from "~/modules/billing/checkout-return.server";
import { JOB } from "~/modules/billing/prices";
import { getPaymentTerms } from "~/modules/billing/payment-terms.server";
import { listJobs } from "~/modules/jobs/jobs-page.server";
import { JobsTable } from "~/modules/jobs/jobs-table";
import { formatCount } from "~/text/counts";

export const handle = { title: "Job Listings" };

export const loader = routeLoader({ access: "signed in" }, async ({ db, url }) => {
  const [{ jobs, total, ...cursors }, returned] = await Promise.all([
    listJobs(db, "own", url.searchParams, new Date()),
    findCheckoutReturn(db, url),
  ]);
  return json({
    jobs,
    total,
    pages: pageLinks(paths.jobsPage, cursors),
    returned,
    terms: getPaymentTerms("job"),
  });
});

export const action = routeAction({ access: "signed in" }, checkoutReturnHandlers);

export default function Jobs() {
  const { jobs, total, pages, returned, terms } = useLoaderData<typeof loader>();
  const add = <ButtonLink to={paths.newJob()}>Add New Job</ButtonLink>;
  return (
    <>
      <PageHeader
        title="Job Listings"
        subtitle="Find someone who’ll feel at home on your team."
        action={total > 0 ? add : undefined}
      />
      <CheckoutReturnCallout returned={returned} />
      {total === 0 ? (
        <EmptyState title="No jobs yet" illustration="notice-board" action={add}>
          You haven’t posted a job yet. Post one and it’ll be live in the app for {JOB.liveDays}{" "}
          days.
        </EmptyState>
      ) : (
        <JobsTable caption={formatCount(total, "job")} jobs={jobs} terms={terms} />
      )}
      <Pagination label="Your jobs, pages" {...pages} />
    </>
  );
}
