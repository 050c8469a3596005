import { json, type SerializeFrom } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";

import { ButtonLink } from "~/components/ui/button";
import { Callout } from "~/components/ui/callout";
import { PageHeader } from "~/components/ui/page-header";
import { rowIdParam } from "~/http/params.server";
import { paths } from "~/http/paths";
import { routeLoader } from "~/http/route.server";
import { JobPosting } from "~/modules/jobs/job-posting";
import { getJobList } from "~/modules/jobs/job-list";
import { findJobStatus } from "~/modules/jobs/job-status.server";
import { findJobPreview, noSuchJob, type JobPreview } from "~/modules/jobs/job.server";
import { NO_COMPANY } from "~/modules/jobs/rules";

export const handle = {
  title: "Preview",
  tabTitle: ({ job }: SerializeFrom<typeof loader>) => `Preview: ${job.title}`,
  parent: ({ list }: SerializeFrom<typeof loader>) => list.to,
};

export const loader = routeLoader(
  { access: "signed in", params: { id: rowIdParam(noSuchJob) } },
  async ({ db, params, session }) => {
    const { id: userId, admin } = session.user;
    const [job, isOwn] = await Promise.all([
      findJobPreview(db, params.id),
      // Only admins see a job of someone else.
      !admin || findJobStatus(db, params.id).then(({ owner }) => owner === userId),
    ]);
    return json({ job, seen: describeAudience(job), list: getJobList(isOwn) });
  },
);

function describeAudience({ live, company_name }: JobPreview): string {
  if (live) return "Your job is live. This is what people see.";
  return company_name === null
    ? `No one can see this job right now. ${NO_COMPANY}`
    : "No one can see this job right now. This is how it would look.";
}

export default function PreviewJob() {
  const { job, seen, list } = useLoaderData<typeof loader>();
  return (
    <>
      <PageHeader title="Preview" parent={list} kicker={<bdi>{job.title}</bdi>} />
      <Callout tone={job.live ? "success" : "info"}>{seen}</Callout>
      <JobPosting job={job} />
      <div className="buttons">
        <ButtonLink to={paths.job(job.id)}>Edit job</ButtonLink>
        <ButtonLink variant="quiet" to={paths.jobStatus(job.id)}>
          Job options
        </ButtonLink>
      </div>
    </>
  );
}
