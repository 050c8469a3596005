import { json } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";

import { ErrorSummary } from "~/components/forms/error-summary";
import { PostForm } from "~/components/forms/form";
import { createFormState } from "~/components/forms/form-state";
import { RadioGroup } from "~/components/forms/radio-group";
import { SubmitButton } from "~/components/forms/submit-button";
import { TextArea } from "~/components/forms/text-area";
import { Badge } from "~/components/ui/badge";
import { ButtonLink } from "~/components/ui/button";
import { Card } from "~/components/ui/card";
import { PageHeader } from "~/components/ui/page-header";
import { TextLink } from "~/components/ui/text-link";
import { redirectWithFlash } from "~/http/flash.server";
import { parseForm, formErrorResponse } from "~/http/form.server";
import { paths } from "~/http/paths";
import { routeAction, routeLoader } from "~/http/route.server";
import { leadOf, saveLead } from "~/modules/leads/leads.server";
import { LEAD_STATES, leadBadge, replyLink } from "~/modules/leads/rules";
import { leadSchema, LONGEST_NOTES, type LeadForm } from "~/modules/leads/schema.server";

export const handle = { title: "Lead" };
export { revalidateAfterConflict as shouldRevalidate } from "~/http/revalidate-after-conflict";

const STALE =
  "This lead was changed while you had it open. It is shown above as it is now; your form is below, and saving it again writes over the newer state and notes.";

export const loader = routeLoader({ access: "signed in" }, async ({ db, params }) =>
  json({ lead: await leadOf(db, params.id), longestNotes: LONGEST_NOTES }),
);

export const action = routeAction({ access: "signed in" }, async ({ db, form, params }) => {
  const lead = await leadOf(db, params.id);
  const submission = parseForm(form, leadSchema);
  if (submission.status !== "success") return formErrorResponse(submission);
  if ((await saveLead(db, lead.id, submission.value)) === "stale") {
    return formErrorResponse(submission, { status: 409, errors: { "": [STALE] } });
  }
  return redirectWithFlash(paths.leads(), `The lead from ${lead.requester_name} is saved.`);
});

const moment = new Intl.DateTimeFormat("en", {
  dateStyle: "long",
  timeStyle: "short",
  timeZone: "UTC",
});

export default function OneLead() {
  const { lead, longestNotes } = useLoaderData<typeof loader>();
  const refused = useActionData<typeof action>();
  const form = createFormState<keyof LeadForm>({
    id: "lead",
    lastResult: refused?.lastResult,
    saved: { state: lead.state, notes: lead.notes ?? "" },
  });
  // Shown what has changed, the person may write over it; anything else that came back is still of the version it began from.
  const typed = refused?.lastResult.initialValue["version"];
  const stale = refused?.lastResult.error[""]?.includes(STALE);
  const state = leadBadge(lead.state);
  const email = lead.requester_email;
  return (
    <>
      <PageHeader
        title={lead.requester_name}
        kicker="Lead"
        subtitle={
          <>
            <Badge tone={state.tone}>{state.label}</Badge> To {lead.place_name},{" "}
            <time
              dateTime={lead.created_at}
            >{`${moment.format(new Date(lead.created_at))} UTC`}</time>
          </>
        }
        action={
          <ButtonLink href={replyLink({ email, listing: lead.place_name })}>
            Reply by e-mail
          </ButtonLink>
        }
      />
      <Card>
        <p className="letter">{lead.message}</p>
      </Card>
      <dl className="details-list">
        <div>
          <dt>Email address</dt>
          <dd>{email}</dd>
        </div>
        {lead.notes === null ? null : (
          <div>
            <dt>Your notes</dt>
            <dd className="letter">{lead.notes}</dd>
          </div>
        )}
      </dl>
      <ErrorSummary form={form} />
      <PostForm form={form}>
        <input
          type="hidden"
          name="version"
          value={!stale && typeof typed === "string" ? typed : lead.version}
        />
        <RadioGroup
          field={form.field("state")}
          legend="Where does it stand?"
          options={LEAD_STATES.map((value) => ({ value, label: leadBadge(value).label }))}
        />
        <TextArea
          field={form.field("notes")}
          label="Notes"
          hint="For whoever looks after this listing. The person who wrote never sees them."
          limit={longestNotes}
          optional
        />
        <SubmitButton>Save</SubmitButton>
      </PostForm>
      <p>
        <TextLink to={paths.leads()}>Back to all leads</TextLink>
      </p>
    </>
  );
}
