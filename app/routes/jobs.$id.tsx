import { json, type SerializeFrom } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";
import { useState } from "react";

import { useEditedVersion } from "~/components/forms/edited-version";
import { VersionConflict } from "~/components/forms/version-conflict-part";
import { Badge } from "~/components/ui/badge";
import { Callout } from "~/components/ui/callout";
import { PageHeader } from "~/components/ui/page-header";
import { TextLink } from "~/components/ui/text-link";
import { env } from "~/env.server";
import { getRequiredFields } from "~/http/form.server";
import { rowIdParam } from "~/http/params.server";
import { paths } from "~/http/paths";
import { routeAction, routeLoader } from "~/http/route.server";
import {
  applySelectedVersions,
  compareVersions,
  versionConflictMessage,
} from "~/http/version-conflict";
import { getJobList } from "~/modules/jobs/job-list";
import { readPickedUser } from "~/modules/accounts/user-picker.server";
import { getPaymentTerms } from "~/modules/billing/payment-terms.server";
import {
  JOB_FIELD_NAMES,
  JOB_FIELDS,
  JOB_FORM_LABELS,
  formatJobValue,
  toJobFormValues,
} from "~/modules/jobs/fields";
import { JobEditor } from "~/modules/jobs/job-editor";
import {
  isPersonSearch,
  jobErrorResponse,
  parseJobForm,
  refillJobForm,
  toJobFormErrors,
  toJobResult,
  typedJobResponse,
  type JobFormData,
} from "~/modules/jobs/job-form.server";
import { JobPrice } from "~/modules/jobs/job-price";
import {
  findEditableJob,
  findJobPreview,
  listJobCategories,
  noSuchJob,
} from "~/modules/jobs/job.server";
import { redirectAfterEdit } from "~/modules/jobs/pay-for-job.server";
import { getJobBadges, isPayable, NO_COMPANY } from "~/modules/jobs/rules";
import { saveJob } from "~/modules/jobs/save-job.server";
import {
  deleteSubmittedDraft,
  findFormDraft,
  handleDraftButton,
  offerDraft,
} from "~/modules/drafts/form-drafts.server";
import { OfferedDraft } from "~/modules/drafts/offered-draft";
import { JOB_LOCATION_GROUPS, jobSchema } from "~/modules/jobs/schema.server";

export const handle = {
  title: "Edit job",
  tabTitle: ({ job }: SerializeFrom<typeof loader>) => `Job: ${job.title}`,
  parent: ({ job }: SerializeFrom<typeof loader>) => job.list.to,
};
export { revalidateAfterConflict as shouldRevalidate } from "~/http/revalidate-after-conflict";

const params = { id: rowIdParam(noSuchJob) };

export const loader = routeLoader(
  { access: "signed in", params },
  async ({ db, params, session, url }) => {
    const [job, categories, { company_name, owner_email }, draft] = await Promise.all([
      findEditableJob(db, params.id),
      listJobCategories(db),
      findJobPreview(db, params.id),
      findFormDraft(db, paths.job(params.id)),
    ]);
    const saved = toJobFormValues(job);
    const { id, title, version, person } = job;
    const names_company = company_name !== null;
    const badges = getJobBadges({ ...job, names_company }, new Date());
    return json({
      job: { id, title, version, badges, list: getJobList(job.owner === session.user.id) },
      notShown: names_company ? null : NO_COMPANY,
      saved,
      draft: offerDraft(draft, { page: paths.job(params.id), saved, url, toResult: toJobResult }),
      options: { categories, listings: job.listings },
      locations: JOB_LOCATION_GROUPS,
      required: getRequiredFields(jobSchema()),
      owner: session.user.admin ? { person, email: owner_email, mayChange: true } : null,
      // Saving leads to its payment, and the price is shown, only for its owner, while it can be paid for.
      terms:
        isPayable(job) && job.owner === session.user.id
          ? getPaymentTerms("job", session.user)
          : null,
      priceShown: session.user.id !== env().jobPriceHiddenUser,
    });
  },
);

export const action = routeAction(
  { access: "signed in", params, refill: refillJobForm, labels: JOB_FORM_LABELS },
  async (context) => {
    const { form, db, params } = context;
    const page = paths.job(params.id);
    const current = await findEditableJob(db, params.id);
    const drafted = await handleDraftButton(context, page, paths.jobs(), (errors) =>
      typedJobResponse(form, errors),
    );
    if (drafted) return drafted;
    applySelectedVersions(form, toJobFormValues(current));
    if (isPersonSearch(form)) return refillJobForm(context);
    const submission = parseJobForm(form, current.location);
    if (submission.status !== "success") return jobErrorResponse(context, submission);
    try {
      if ((await saveJob(context, current, submission.value, readPickedUser(form))) === "stale") {
        return await jobErrorResponse(context, submission, {
          status: 409,
          stale: true,
          errors: { "": [versionConflictMessage("job")] },
        });
      }
    } catch (error) {
      const errors = toJobFormErrors(error);
      if (!errors) throw error;
      return jobErrorResponse(context, submission, { errors });
    }
    await deleteSubmittedDraft(context, page);
    return redirectAfterEdit(context, current);
  },
);

export default function EditJob() {
  const { job, notShown, saved, options, locations, required, owner, priceShown, terms, draft } =
    useLoaderData<typeof loader>();
  const submitted: JobFormData | undefined = useActionData<typeof action>();
  const answer = submitted ?? draft.continued ?? undefined;
  const version = useEditedVersion(job.version, answer);
  // It stays the same form when its page is loaded again.
  const [ids] = useState(draft.ids);
  return (
    <>
      <PageHeader
        title={<bdi>{job.title}</bdi>}
        parent={job.list}
        kicker="Edit job"
        subtitle={job.badges.map(({ label, tone }) => (
          <Badge key={label} tone={tone}>
            {label}
          </Badge>
        ))}
      />
      {notShown ? (
        <Callout tone="info" title="People can’t see who is hiring">
          {notShown}
        </Callout>
      ) : null}
      <p className="links">
        <TextLink to={paths.previewJob(job.id)}>Preview</TextLink>{" "}
        <TextLink to={paths.jobStatus(job.id)}>Job options</TextLink>
      </p>
      {submitted ? null : <OfferedDraft {...draft} />}
      <JobEditor
        {...options}
        locations={locations}
        required={required}
        answer={answer}
        saved={saved}
        hidden={{ version, ...ids }}
        versions={
          answer?.stale ? (
            <VersionConflict
              rows={compareVersions(
                JOB_FIELD_NAMES.map((name) => ({ name, label: JOB_FIELDS[name] })),
                saved,
                answer.lastResult.initialValue,
                (field, value) => formatJobValue(field, value, options),
              )}
              form="job"
            />
          ) : null
        }
        terms={terms}
        price={<JobPrice shown={priceShown} />}
        draftUrl={draft.saveUrl}
        {...(owner ? { owner } : {})}
      />
    </>
  );
}
