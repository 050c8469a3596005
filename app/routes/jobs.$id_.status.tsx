import { json, type SerializeFrom } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";
import type { ReactNode } from "react";

import { PostForm } from "~/components/forms/form";
import { SubmitButton } from "~/components/forms/submit-button";
import { Badge } from "~/components/ui/badge";
import { ProblemAlert } from "~/components/ui/callout";
import { PageHeader } from "~/components/ui/page-header";
import { TextLink } from "~/components/ui/text-link";
import { env } from "~/env.server";
import { redirectWithFlash } from "~/http/flash.server";
import { readField } from "~/http/form.server";
import { rowIdParam } from "~/http/params.server";
import { paths } from "~/http/paths";
import { routeAction, routeLoader, type ActionContext } from "~/http/route.server";
import { getJobList } from "~/modules/jobs/job-list";
import { PaymentTerms } from "~/modules/billing/payment-terms";
import { getPaymentTerms } from "~/modules/billing/payment-terms.server";
import { JOB } from "~/modules/billing/prices";
import { JOB_ACTION_HINTS } from "~/modules/jobs/action-hints";
import { BILLING_REFUSALS } from "~/modules/billing/refusals";
import { deleteJob } from "~/modules/jobs/delete-job.server";
import { noSuchJob } from "~/modules/jobs/job.server";
import { JobPrice, RenewalPrice } from "~/modules/jobs/job-price";
import {
  changeJobStatus,
  findJobStatus,
  findShownJobStatus,
} from "~/modules/jobs/job-status.server";
import { payForJob, paymentBlockedReason } from "~/modules/jobs/pay-for-job.server";
import {
  JOB_ACTION_LABELS,
  confirmJobAction,
  describeJobState,
  getJobBadges,
  getRenewal,
  getRenewedExpiration,
  isDeletable,
  listJobActions,
  refuseOutdatedRenewal,
  type FreeJobAction,
  type JobAction,
} from "~/modules/jobs/rules";
import { formatDeadline } from "~/text/deadlines";

export const handle = {
  title: "Job options",
  tabTitle: ({ job }: SerializeFrom<typeof loader>) => `Job options: ${job.title}`,
  parent: ({ list }: SerializeFrom<typeof loader>) => list.to,
};
export { revalidateAfterConflict as shouldRevalidate } from "~/http/revalidate-after-conflict";

const params = { id: rowIdParam(noSuchJob) };
type Context = ActionContext<"signed in", { readonly id: number }>;

export const loader = routeLoader(
  { access: "signed in", params },
  async ({ db, params, session }) => {
    const job = await findShownJobStatus(db, params.id);
    const now = new Date();
    return json({
      job: { id: job.id, title: job.title },
      badges: getJobBadges(job, now),
      actions: listJobActions(job, now),
      description: describeJobState(job, now, session.user.id, session.user.deletion !== null),
      renewal: getRenewal(job, now),
      until: formatDeadline(getRenewedExpiration(job, now, JOB.liveDays).toISOString()),
      shown: session.user.id !== env().jobPriceHiddenUser,
      terms: getPaymentTerms("job", session.user),
      deletable: isDeletable(job, now),
      list: getJobList(job.owner === session.user.id),
    });
  },
);

/** Shows the page with the reason why nothing was changed. */
const blockedResponse = ({ reason, status }: { reason: string; status: 409 | 503 }) =>
  json({ blocked: reason }, { status });

const change =
  (action: FreeJobAction) =>
  async ({ db, params, session }: Context) => {
    const { job, blocked } = await changeJobStatus(db, params.id, action, new Date());
    if (blocked !== null) return blockedResponse({ reason: blocked, status: 409 });
    const shown = await findShownJobStatus(db, params.id);
    return redirectWithFlash(
      job.owner === session.user.id ? paths.jobs() : paths.adminJobs(),
      confirmJobAction(action, shown, new Date(), session.user.id),
    );
  };

const pay = (renew: boolean) => async (context: Context) => {
  const job = await findJobStatus(context.db, context.params.id);
  const promised = readField(context.form, "renewal");
  const reason = renew && refuseOutdatedRenewal(promised, job, new Date());
  if (reason) return blockedResponse({ reason, status: 409 });
  try {
    return await payForJob(context, job.id, renew);
  } catch (error) {
    return blockedResponse(paymentBlockedReason(error));
  }
};

const remove = async (context: Context) => {
  const answer = await deleteJob(context, context.params.id);
  return "status" in answer
    ? blockedResponse(answer)
    : redirectWithFlash(answer.list, answer.flash);
};

export const action = routeAction(
  { access: "signed in", params, refusals: BILLING_REFUSALS },
  {
    delete: remove,
    pay: pay(false),
    renew: pay(true),
    unpublish: change("unpublish"),
    republish: change("republish"),
    fill: change("fill"),
    reopen: change("reopen"),
  },
);

export default function JobStatus() {
  const { job, badges, actions, description, deletable, terms, list, ...renew } =
    useLoaderData<typeof loader>();
  const answer = useActionData<typeof action>();
  const hints: Partial<Record<JobAction, ReactNode>> = {
    ...JOB_ACTION_HINTS,
    pay: <JobPrice shown={renew.shown} />,
    renew: <RenewalPrice {...renew} />,
  };
  return (
    <>
      <PageHeader
        title={<bdi>{job.title}</bdi>}
        parent={list}
        kicker="Job options"
        subtitle={badges.map(({ label, tone }) => (
          <Badge key={label} tone={tone}>
            {label}
          </Badge>
        ))}
      />
      <ProblemAlert
        title="Nothing was changed"
        problem={answer && "blocked" in answer ? answer.blocked : null}
      />
      <p>{description}</p>
      <PostForm>
        <input type="hidden" name="renewal" value={renew.renewal} />
        <dl className="details-list">
          {actions.map((action, index) => (
            <div key={action}>
              <dt>
                <SubmitButton
                  name="intent"
                  value={action}
                  variant={index === 0 && action !== "unpublish" ? "primary" : "quiet"}
                >
                  {JOB_ACTION_LABELS[action]}
                </SubmitButton>
              </dt>
              <dd>{hints[action]}</dd>
            </div>
          ))}
        </dl>
        {actions.includes("pay") || actions.includes("renew") ? (
          <PaymentTerms terms={terms} />
        ) : null}
      </PostForm>
      <div className="links">
        <TextLink to={paths.job(job.id)}>Edit</TextLink>{" "}
        <TextLink to={paths.previewJob(job.id)}>Preview</TextLink>{" "}
        <TextLink to={paths.newJob(job.id)}>Duplicate</TextLink>
      </div>
      {deletable ? (
        <PostForm intent="delete">
          <p className="hint mb-2">
            Deleting this job can’t be undone. Any payments stay under My Account, in Purchases.
          </p>
          <SubmitButton variant="danger">Delete job</SubmitButton>
        </PostForm>
      ) : null}
    </>
  );
}
