import { json } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";
import { useState } from "react";

import { firstValue } from "~/components/forms/form-state";
import { CompareVersions } from "~/components/forms/compare-versions";
import { Callout } from "~/components/ui/callout";
import { PageHeader } from "~/components/ui/page-header";
import { env } from "~/env.server";
import { requireFormId } from "~/http/form-id.server";
import { readField, getRequiredFields } from "~/http/form.server";
import { paths } from "~/http/paths";
import { routeAction, routeLoader } from "~/http/route.server";
import { newerVersionMessage } from "~/http/version-conflict";
import { parseRowId } from "~/text/row-id";
import { getJobList } from "~/modules/jobs/job-list";
import { getPaymentTerms } from "~/modules/billing/payment-terms.server";
import { CORRECTS, toDraftUrl } from "~/modules/drafts/draft-links";
import {
  deleteSubmittedDraft,
  handleDraftButton,
  isChanged,
  listNewJobs,
  makeDraftTab,
} from "~/modules/drafts/form-drafts.server";
import { DraftOffers } from "~/modules/drafts/offered-draft";
import { emptyJobForm, JOB_FORM_LABELS, toJobFormValues } from "~/modules/jobs/fields";
import { JobEditor } from "~/modules/jobs/job-editor";
import {
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
  findJobToCopy,
  hasMadeJob,
  listJobCategories,
  listOwnListings,
} from "~/modules/jobs/job.server";
import { redirectAfterSave } from "~/modules/jobs/pay-for-job.server";
import { NOT_LISTED } from "~/modules/jobs/rules";
import { addJob } from "~/modules/jobs/save-job.server";
import { JOB_LOCATION_GROUPS, jobSchema } from "~/modules/jobs/schema.server";

export const handle = { title: "Add a job" };

export const loader = routeLoader({ access: "signed in" }, async ({ db, session, url }) => {
  const submissionId = requireFormId(url);
  const [categories, listings, like, drafts, corrects] = await Promise.all([
    listJobCategories(db),
    listOwnListings(db, session.user.id),
    findJobToCopy(db, parseRowId(url.searchParams.get("like"))),
    listNewJobs(db),
    hasMadeJob(db, submissionId),
  ]);
  const own = drafts.find(({ id }) => id === submissionId);
  const empty = emptyJobForm(listings.length === 0);
  return json({
    categories,
    listings,
    locations: JOB_LOCATION_GROUPS,
    required: getRequiredFields(jobSchema()),
    hidden: { submission_id: submissionId, ...(corrects && { [CORRECTS]: "yes" }) },
    tab: makeDraftTab(own?.savedAt),
    like: like && toJobFormValues(like),
    continued: own ? toJobResult(own.fields) : null,
    unfinished: drafts
      .filter((draft) => draft !== own && isChanged(draft, empty))
      .map(({ id, savedAt, fields }) => ({
        id,
        savedAt,
        name: firstValue(fields["title"])?.trim() || "Untitled job",
      })),
    terms: getPaymentTerms("job", session.user),
    priceShown: session.user.id !== env().jobPriceHiddenUser,
    owner: session.user.admin
      ? {
          person: { id: session.user.id, name: session.user.fullName || null },
          email: null,
          mayChange: false,
        }
      : null,
  });
});

export const action = routeAction(
  { access: "signed in", refill: refillJobForm, labels: JOB_FORM_LABELS },
  async (context) => {
    const { form, db, session } = context;
    const drafted = await handleDraftButton(context, paths.newJob(), paths.jobs(), (errors) =>
      typedJobResponse(form, errors),
    );
    if (drafted) return drafted;
    const submission = parseJobForm(form);
    if (submission.status !== "success") return jobErrorResponse(context, submission);
    let job;
    try {
      job = await addJob(db, session.user, submission.value);
    } catch (error) {
      const errors = toJobFormErrors(error);
      if (!errors) throw error;
      return jobErrorResponse(context, submission, { errors });
    }
    if ("newer" in job) {
      return jobErrorResponse(context, submission, {
        status: 409,
        editPage: paths.job(job.newer),
        errors: { "": [newerVersionMessage("job")] },
      });
    }
    await deleteSubmittedDraft(context, paths.newJob());
    return redirectAfterSave(
      context,
      { id: job.id, payable: !job.paid, besides: job.besides },
      paths.jobs(),
      readField(form, "intent") === "later",
    );
  },
);

export default function NewJob() {
  const {
    categories,
    listings,
    locations,
    required,
    hidden,
    tab: sent,
    like,
    continued,
    unfinished,
    owner,
    priceShown,
    terms,
  } = useLoaderData<typeof loader>();
  const submitted: JobFormData | undefined = useActionData<typeof action>();
  const answer = submitted ?? continued ?? undefined;
  // It stays the same form when its page is loaded again.
  const [tab] = useState(sent);
  return (
    <>
      <PageHeader
        title="Add a job"
        parent={getJobList(true)}
        subtitle="Find someone who’ll feel at home on your team."
      />
      {submitted || unfinished.length === 0 ? null : <DraftOffers of="job" drafts={unfinished} />}
      {terms.isRefused ? <Callout>{terms.text}</Callout> : null}
      <JobEditor
        categories={categories}
        listings={listings}
        locations={locations}
        required={required}
        answer={answer}
        saved={like ?? (listings.length === 0 ? { place_id: NOT_LISTED } : {})}
        hidden={{ ...hidden, ...tab }}
        versions={<CompareVersions page={answer?.editPage} form="job" />}
        terms={terms}
        price={<JobPrice shown={priceShown} />}
        draftUrl={toDraftUrl(paths.newJob())}
        {...(owner ? { owner } : {})}
      />
    </>
  );
}
