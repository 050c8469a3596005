import { json } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";

import { VersionConflict } from "~/components/forms/version-conflict";
import { Badge } from "~/components/ui/badge";
import { PageHeader } from "~/components/ui/page-header";
import { TextLink } from "~/components/ui/text-link";
import { env } from "~/env.server";
import { readField, getRequiredFields } from "~/http/form.server";
import { paths } from "~/http/paths";
import { routeAction, routeLoader } from "~/http/route.server";
import { parseRowId } from "~/text/row-id";
import { versionConflictMessage, applySelectedVersions } from "~/http/version-conflict";
import { readPickedUser } from "~/modules/accounts/user-picker.server";
import {
  JOB_FIELD_NAMES,
  JOB_FIELDS,
  JOB_WORDS,
  jobFormValues,
  jobValueInWords,
} from "~/modules/jobs/fields";
import { JobEditor } from "~/modules/jobs/job-editor";
import {
  giveBack,
  looksForPerson,
  parseJob,
  refillJob,
  type JobAnswer,
} from "~/modules/jobs/job-form.server";
import { JobPrice } from "~/modules/jobs/job-price";
import { jobCategories, jobToEdit } from "~/modules/jobs/job.server";
import { JOB_LOCATION_GROUPS } from "~/modules/jobs/locations.server";
import { afterSaving } from "~/modules/jobs/pay-for-job.server";
import { jobBadges } from "~/modules/jobs/rules";
import { jobRefusal, saveJob } from "~/modules/jobs/save-job.server";
import { jobSchema } from "~/modules/jobs/schema.server";

export const handle = { title: "Edit job" };
export { revalidateAfterConflict as shouldRevalidate } from "~/http/revalidate-after-conflict";

export const loader = routeLoader({ access: "signed in" }, async ({ db, params, session }) => {
  const [job, categories] = await Promise.all([
    jobToEdit(db, parseRowId(params.id)),
    jobCategories(db),
  ]);
  const { id, title, version, paid, owner_email, person } = job;
  return json({
    job: { id, title, version, paid, badges: jobBadges(job, new Date()) },
    saved: jobFormValues(job),
    choices: { categories, listings: job.listings },
    locations: JOB_LOCATION_GROUPS,
    required: getRequiredFields(jobSchema()),
    owner: session.user.admin ? { person, email: owner_email, mayChange: true } : null,
    priceShown: session.user.id !== env().jobPriceHiddenUser,
  });
});

export const action = routeAction(
  { access: "signed in", refill: refillJob, labels: JOB_WORDS },
  async (context) => {
    const { form, db, params, session } = context;
    const current = await jobToEdit(db, parseRowId(params.id));
    applySelectedVersions(form, jobFormValues(current));
    if (looksForPerson(form)) return refillJob(context);
    const submission = parseJob(form, current.location);
    if (submission.status !== "success") return giveBack(context, submission);
    try {
      if ((await saveJob(db, current, submission.value, readPickedUser(form))) === "stale") {
        return await giveBack(context, submission, {
          status: 409,
          stale: true,
          errors: { "": [versionConflictMessage("job")] },
        });
      }
    } catch (error) {
      const errors = jobRefusal(error);
      if (!errors) throw error;
      return giveBack(context, submission, { errors });
    }
    const list = current.owner === session.user.id ? paths.jobs() : paths.adminJobs();
    return afterSaving(context, current, list, readField(form, "intent") === "later");
  },
);

export default function EditJob() {
  const { job, saved, choices, locations, required, owner, priceShown } =
    useLoaderData<typeof loader>();
  const answer: JobAnswer | undefined = useActionData<typeof action>();
  // A form that came back is still an edit of the version it began from; being shown the newer one ends that.
  const typed = answer?.stale ? undefined : answer?.lastResult.initialValue["version"];
  const version = typeof typed === "string" ? typed : String(job.version);
  return (
    <>
      <PageHeader
        title={job.title}
        kicker="Edit job"
        subtitle={job.badges.map(({ label, tone }) => (
          <Badge key={label} tone={tone}>
            {label}
          </Badge>
        ))}
      />
      {job.paid ? null : (
        <p>
          <JobPrice shown={priceShown} />
        </p>
      )}
      <p className="links">
        <TextLink to={paths.previewJob(job.id)}>Preview</TextLink>
        <TextLink to={paths.jobStatus(job.id)}>What you can do with it</TextLink>
      </p>
      {answer?.stale ? (
        <VersionConflict
          fields={JOB_FIELD_NAMES.map((name) => ({ name, label: JOB_FIELDS[name] }))}
          saved={saved}
          typed={answer.lastResult.initialValue}
          words={(field, value) => jobValueInWords(field, value, choices)}
          form="job"
        />
      ) : null}
      <JobEditor
        {...choices}
        locations={locations}
        required={required}
        answer={answer}
        saved={saved}
        hidden={{ version }}
        unpaid={!job.paid}
        {...(owner ? { owner } : {})}
      />
    </>
  );
}
