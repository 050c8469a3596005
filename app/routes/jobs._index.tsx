import { json } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";

import { ButtonLink } from "~/components/ui/button";
import { Callout } from "~/components/ui/callout";
import { Illustration } from "~/components/ui/illustration";
import { PageHeader } from "~/components/ui/page-header";
import { Pagination } from "~/components/ui/pagination";
import { env } from "~/env.server";
import { pageLinks } from "~/http/pagination";
import { paths } from "~/http/paths";
import { routeAction, routeLoader } from "~/http/route.server";
import { CheckoutReturnCallout } from "~/modules/billing/checkout-return";
import {
  checkoutReturnHandlers,
  findCheckoutReturn,
} from "~/modules/billing/checkout-return.server";
import { Benefits, Pitch } from "~/modules/billing/pitch";
import { getPaymentTerms } from "~/modules/billing/payment-terms.server";
import { JobPrice } from "~/modules/jobs/job-price";
import { listJobs } from "~/modules/jobs/jobs-page.server";
import { JobsTable } from "~/modules/jobs/jobs-table";
import { formatCount } from "~/text/counts";

export const handle = { title: "Job Listings" };

const BENEFITS = [
  "Shown with your listing and its bio",
  "Easy to edit any time",
  "Easy to take down once it’s filled",
];

export const loader = routeLoader({ access: "signed in" }, async ({ db, session, url }) => {
  const [{ jobs, total, ...cursors }, returned] = await Promise.all([
    listJobs(db, "own", url.searchParams, new Date()),
    findCheckoutReturn(db, url, session.user.id),
  ]);
  return json({
    jobs,
    total,
    pages: pageLinks(paths.jobsPage, cursors),
    returned,
    terms: getPaymentTerms("job", session.user),
    priceShown: session.user.id !== env().jobPriceHiddenUser,
  });
});

export const action = routeAction({ access: "signed in" }, checkoutReturnHandlers);

export default function Jobs() {
  const { jobs, total, pages, returned, terms, priceShown } = useLoaderData<typeof loader>();
  const add = <ButtonLink to={paths.newJob()}>Add New Job</ButtonLink>;
  return (
    <>
      <PageHeader
        title="Job Listings"
        subtitle="Find someone who’ll feel at home on your team."
        action={total > 0 ? add : undefined}
      />
      <CheckoutReturnCallout returned={returned} />
      {terms.isRefused ? <Callout>{terms.text}</Callout> : null}
      {total === 0 ? (
        <Pitch
          kicker="Post a job"
          icon="briefcase"
          title="Hire someone who’ll feel at home."
          price={<JobPrice shown={priceShown} />}
          to={paths.newJob()}
          button="Add New Job"
          proof={
            <>
              <Illustration name="notice-board" />
              <Benefits benefits={BENEFITS} />
            </>
          }
        >
          Your job will be in the app, where people look for places that welcome them.
        </Pitch>
      ) : (
        <JobsTable caption={formatCount(total, "job")} jobs={jobs} terms={terms} />
      )}
      <Pagination label="Your jobs, pages" {...pages} />
    </>
  );
}
