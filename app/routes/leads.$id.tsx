import { json, type SerializeFrom } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";

import { useEditedVersion } from "~/components/forms/edited-version";
import { ErrorSummary } from "~/components/forms/error-summary";
import { PostForm } from "~/components/forms/form";
import { createFormState } from "~/components/forms/form-state";
import { RadioGroup } from "~/components/forms/radio-group";
import { SubmitButton } from "~/components/forms/submit-button";
import { TextArea } from "~/components/forms/text-area";
import { Badge } from "~/components/ui/badge";
import { ButtonLink } from "~/components/ui/button";
import { Card } from "~/components/ui/card";
import { TimestampText } from "~/components/ui/date-text";
import { PageHeader } from "~/components/ui/page-header";
import { redirectWithFlash } from "~/http/flash.server";
import { parseForm, formErrorResponse } from "~/http/form.server";
import { rowIdParam } from "~/http/params.server";
import { paths } from "~/http/paths";
import { routeAction, routeLoader } from "~/http/route.server";
import { getLead, noSuchLead, saveLead } from "~/modules/leads/leads.server";
import { getLeadBadge, getReplyLink, LEAD_STATES } from "~/modules/leads/rules";
import { leadSchema, MAX_NOTES_LENGTH, type LeadForm } from "~/modules/leads/schema.server";

export const handle = {
  title: "Lead",
  tabTitle: ({ lead }: SerializeFrom<typeof loader>) => `Lead: ${lead.place_name}`,
};
export { revalidateAfterConflict as shouldRevalidate } from "~/http/revalidate-after-conflict";

const STALE =
  "This lead was updated in another tab or by someone else while you had it open. The latest version is above, and yours is in the form below. Saving again replaces the newer status and notes.";

const params = { id: rowIdParam(noSuchLead) };

export const loader = routeLoader({ access: "signed in", params }, async (context) => {
  const lead = await getLead(context.db, context.params.id);
  return json({ lead, maxNotesLength: MAX_NOTES_LENGTH });
});

export const action = routeAction({ access: "signed in", params }, async (context) => {
  const { db, form } = context;
  const lead = await getLead(db, context.params.id);
  const submission = parseForm(form, leadSchema);
  if (submission.status !== "success") return formErrorResponse(submission);
  if ((await saveLead(db, lead.id, submission.value)) === "stale") {
    return formErrorResponse(submission, { status: 409, errors: { "": [STALE] } });
  }
  return redirectWithFlash(paths.leads(), "Saved.");
});

export default function OneLead() {
  const { lead, maxNotesLength } = useLoaderData<typeof loader>();
  const result = useActionData<typeof action>();
  const form = createFormState<keyof LeadForm>({
    id: "lead",
    lastResult: result?.lastResult,
    saved: { state: lead.state, notes: lead.notes ?? "" },
  });
  const stale = result?.lastResult.error[""]?.includes(STALE);
  const version = useEditedVersion(lead.version, result && { ...result, stale });
  const state = getLeadBadge(lead.state);
  const email = lead.requester_email;
  return (
    <>
      <PageHeader
        title={<bdi>{lead.requester_name}</bdi>}
        parent={{ to: paths.leads(), label: "Leads" }}
        subtitle={
          <>
            <Badge tone={state.tone}>{state.label}</Badge> To <bdi>{lead.place_name}</bdi>,{" "}
            <TimestampText at={lead.created_at} />
          </>
        }
      />
      <Card>
        <p className="letter" dir="auto">
          {lead.message}
        </p>
        <ButtonLink href={getReplyLink(email)}>Reply by email</ButtonLink>
      </Card>
      <dl className="details-list">
        <div>
          <dt>Email address</dt>
          <dd dir="auto">{email}</dd>
        </div>
        {/* Otherwise the form has them. */}
        {lead.notes === null || !stale ? null : (
          <div>
            <dt>Saved notes</dt>
            <dd className="letter" dir="auto">
              {lead.notes}
            </dd>
          </div>
        )}
      </dl>
      <ErrorSummary form={form} />
      <PostForm form={form} version={[version]}>
        <input type="hidden" name="version" value={version} />
        <RadioGroup
          field={form.field("state")}
          legend="Status"
          options={LEAD_STATES.map((value) => ({ value, label: getLeadBadge(value).label }))}
        />
        <TextArea
          field={form.field("notes")}
          label="Notes"
          hint="Only visible to this listing’s owner and managers, never to the sender."
          limit={maxNotesLength}
          optional
        />
        <SubmitButton variant="quiet" busyText="Saving…">
          Save
        </SubmitButton>
      </PostForm>
    </>
  );
}
