import { json } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";
import type { ReactNode } from "react";

import { PostForm } from "~/components/forms/form";
import { SubmitButton } from "~/components/forms/submit-button";
import { Badge } from "~/components/ui/badge";
import { Callout } from "~/components/ui/callout";
import { PageHeader } from "~/components/ui/page-header";
import { TextLink } from "~/components/ui/text-link";
import { env } from "~/env.server";
import { redirectWithFlash } from "~/http/flash.server";
import { paths } from "~/http/paths";
import { routeAction, routeLoader, type ActionContext } from "~/http/route.server";
import { parseRowId } from "~/text/row-id";
import { formatDollars, JOB } from "~/modules/billing/prices";
import { changeJob, jobFacts } from "~/modules/jobs/change-job.server";
import { JobPrice } from "~/modules/jobs/job-price";
import { payForJob, whyNotPaid } from "~/modules/jobs/pay-for-job.server";
import {
  JOB_INTENT_LABELS,
  JOB_INTENT_MEANINGS,
  jobBadges,
  jobChoices,
  jobDone,
  momentInWords,
  paidUntil,
  standingOf,
  type JobIntent,
  type JobSwitch,
} from "~/modules/jobs/rules";

export const handle = { title: "What you can do with a job" };
export { revalidateAfterConflict as shouldRevalidate } from "~/http/revalidate-after-conflict";

export const loader = routeLoader({ access: "signed in" }, async ({ db, params, session }) => {
  const job = await jobFacts(db, parseRowId(params.id));
  const now = new Date();
  return json({
    job: { id: job.id, title: job.title },
    badges: jobBadges(job, now),
    choices: jobChoices(job, now),
    standing: standingOf(job, now),
    renewedUntil: momentInWords(paidUntil(job, now, JOB.liveDays)),
    priceShown: session.user.id !== env().jobPriceHiddenUser,
    list: job.owner === session.user.id ? paths.jobs() : paths.adminJobs(),
  });
});

/** Answers with the page and the reason why nothing was done. */
const refused = ({ reason, status }: { reason: string; status: 409 | 503 }) =>
  json({ refused: reason }, { status });

const change =
  (intent: JobSwitch) =>
  async ({ db, params, session }: ActionContext<"signed in">) => {
    const { job, refusal } = await changeJob(db, parseRowId(params.id), intent, new Date());
    if (refusal !== null) return refused({ reason: refusal, status: 409 });
    return redirectWithFlash(
      job.owner === session.user.id ? paths.jobs() : paths.adminJobs(),
      jobDone(intent, job.title),
    );
  };

const pay = (renew: boolean) => async (context: ActionContext<"signed in">) => {
  const { id } = await jobFacts(context.db, parseRowId(context.params.id));
  try {
    return await payForJob(context, id, renew);
  } catch (error) {
    return refused(whyNotPaid(error));
  }
};

export const action = routeAction(
  { access: "signed in" },
  {
    pay: pay(false),
    renew: pay(true),
    unpublish: change("unpublish"),
    republish: change("republish"),
    fill: change("fill"),
    reopen: change("reopen"),
  },
);

export default function JobStatus() {
  const { job, badges, choices, standing, renewedUntil, priceShown, list } =
    useLoaderData<typeof loader>();
  const answer = useActionData<typeof action>();
  const meaning: Partial<Record<JobIntent, ReactNode>> = {
    ...JOB_INTENT_MEANINGS,
    pay: <JobPrice shown={priceShown} />,
    renew: (
      <>
        {priceShown ? `Costs ${formatDollars(JOB.cents)} and adds` : "Adds"} {JOB.liveDays} days:
        people see it until {renewedUntil}.
      </>
    ),
  };
  return (
    <>
      <PageHeader
        title={job.title}
        kicker="Job"
        subtitle={badges.map(({ label, tone }) => (
          <Badge key={label} tone={tone}>
            {label}
          </Badge>
        ))}
      />
      {answer && "refused" in answer ? (
        <div role="alert">
          <Callout tone="problem" title="Nothing was changed">
            {answer.refused}
          </Callout>
        </div>
      ) : null}
      <p>{standing}</p>
      <PostForm>
        <dl className="details-list">
          {choices.map((choice, index) => (
            <div key={choice} className="items-center">
              <dt>
                <SubmitButton
                  name="intent"
                  value={choice}
                  variant={index === 0 && choice !== "unpublish" ? "primary" : "quiet"}
                >
                  {JOB_INTENT_LABELS[choice]}
                </SubmitButton>
              </dt>
              <dd>{meaning[choice]}</dd>
            </div>
          ))}
        </dl>
      </PostForm>
      <div className="links">
        <TextLink to={paths.job(job.id)}>Edit</TextLink>
        <TextLink to={paths.previewJob(job.id)}>Preview</TextLink>
        <TextLink to={paths.newJob(job.id)}>Duplicate</TextLink>
        <TextLink to={list}>Back to the list</TextLink>
      </div>
    </>
  );
}
