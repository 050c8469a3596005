import { randomUUID } from "node:crypto";

import { json } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";

import { ErrorSummary } from "~/components/forms/error-summary";
import { FormSection } from "~/components/forms/form-section";
import { PostForm } from "~/components/forms/form";
import { createFormState } from "~/components/forms/form-state";
import { SubmitButton } from "~/components/forms/submit-button";
import { TextField } from "~/components/forms/text-field";
import { ButtonLink } from "~/components/ui/button";
import { PageHeader } from "~/components/ui/page-header";
import { redirectWithFlash } from "~/http/flash.server";
import { readField, parseForm, formErrorResponse, getRequiredFields } from "~/http/form.server";
import { paths } from "~/http/paths";
import { routeAction, routeLoader, type ActionContext } from "~/http/route.server";
import { parseRowId } from "~/text/row-id";
import { noSuchListing } from "~/modules/listings/listing.server";
import { invite, peopleOf, removeManager, withdraw } from "~/modules/managers/managers.server";
import { InvitationsTable, ManagersTable } from "~/modules/managers/people-tables";
import { MOST_MANAGERS } from "~/modules/managers/rules";
import { inviteSchema, type InviteForm } from "~/modules/managers/schema.server";
import { triggerEmailDelivery } from "~/modules/emails/deliver-queue.server";

export const handle = { title: "People who manage a listing" };

export const loader = routeLoader({ access: "signed in" }, async ({ db, params }) => {
  const id = parseRowId(params.id);
  return json({
    id: id ?? 0,
    people: await peopleOf(db, id),
    submissionId: randomUUID(),
    required: getRequiredFields(inviteSchema),
  });
});

/** The listing of the address, when the caller may name its managers; 404 like one that does not exist, otherwise. */
async function listingOf({ db, params }: ActionContext<"signed in">): Promise<number> {
  const id = parseRowId(params.id);
  await peopleOf(db, id);
  if (id === null) throw noSuchListing();
  return id;
}

/** Back to the list, with a sentence; another one when there was nothing (left) to be done. */
const told = (id: number, done: boolean, text: string, otherwise: string) =>
  redirectWithFlash(paths.listingManagers(id), done ? text : { tone: "info", text: otherwise });

const isId = (text: string) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);

export const action = routeAction(
  { access: "signed in", labels: { byField: { email: "Email address" }, codes: [] } },
  {
    invite: async (context) => {
      const id = await listingOf(context);
      const submission = parseForm(context.form, inviteSchema);
      if (submission.status !== "success") return formErrorResponse(submission);
      const errors = await invite(context.db, id, submission.value);
      if (errors) return formErrorResponse(submission, { errors });
      triggerEmailDelivery();
      return redirectWithFlash(
        paths.listingManagers(id),
        `We’re writing to ${submission.value.email}. The link in the e-mail works once, for seven days.`,
      );
    },
    withdraw: async (context) => {
      const [id, invitation] = [await listingOf(context), readField(context.form, "invitation")];
      return told(
        id,
        isId(invitation) && (await withdraw(context.db, invitation)),
        "The invitation is taken back.",
        "That invitation is not open any more.",
      );
    },
    remove: async (context) => {
      const [id, person] = [await listingOf(context), readField(context.form, "person")];
      return told(
        id,
        isId(person) && (await removeManager(context.db, id, person)),
        "They can’t open this listing or its messages any more.",
        "They don’t manage this listing.",
      );
    },
  },
);

export default function ListingManagers() {
  const { id, people, submissionId, required } = useLoaderData<typeof loader>();
  const refused = useActionData<typeof action>();
  const form = createFormState<keyof InviteForm>({
    id: "invite",
    lastResult: refused?.lastResult,
    required,
  });
  // A form that came back is still the same one: sent again it is one invitation.
  const typed = refused?.lastResult.initialValue["submission_id"];
  const { name, managers, invitations } = people;
  return (
    <>
      <PageHeader title={name} kicker="People who manage this listing" />
      <ErrorSummary form={form} />
      <div className="prose">
        <p>
          Somebody who manages a listing can change it, hide it, and read and answer what people
          write to it. They can’t take it out of the directory, give it away, or buy anything for
          it. There can be {MOST_MANAGERS} of them.
        </p>
      </div>
      {managers.length > 0 ? (
        <ManagersTable listing={id} managers={managers} />
      ) : (
        <p>Nobody but its owner manages it.</p>
      )}
      {invitations.length > 0 ? <InvitationsTable invitations={invitations} /> : null}
      <FormSection title="Invite somebody">
        <PostForm form={form} intent="invite">
          <input
            type="hidden"
            name="submission_id"
            value={typeof typed === "string" ? typed : submissionId}
          />
          <TextField
            field={form.field("email")}
            label="Email address"
            type="email"
            autoComplete="off"
            hint="They get an e-mail that names neither you nor the listing. They see it once they are signed in with this address."
          />
          <SubmitButton>Send the invitation</SubmitButton>
        </PostForm>
      </FormSection>
      <ButtonLink variant="quiet" to={paths.listing(id)}>
        Back to the listing
      </ButtonLink>
    </>
  );
}
