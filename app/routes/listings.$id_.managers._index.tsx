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
import { formErrorResponse, getRequiredFields, parseForm, readField } from "~/http/form.server";
import { rowIdParam } from "~/http/params.server";
import { paths } from "~/http/paths";
import { routeAction, routeLoader, type ActionContext } from "~/http/route.server";
import { triggerEmailDelivery } from "~/modules/emails/deliver-queue.server";
import { noSuchListing } from "~/modules/listings/listing.server";
import { InvitationsTable, ManagersTable } from "~/modules/managers/manager-tables";
import {
  getListingPeople,
  inviteManager,
  removeManager,
  withdrawInvitation,
} from "~/modules/managers/managers.server";
import { MAX_MANAGERS } from "~/modules/managers/rules";
import { inviteSchema, type InviteForm } from "~/modules/managers/schema.server";
import { isUuid } from "~/text/uuid";

export const handle = { title: "People who manage a listing" };

const params = { id: rowIdParam(noSuchListing) };

export const loader = routeLoader({ access: "signed in", params }, async (context) => {
  const { id } = context.params;
  return json({
    id,
    people: await getListingPeople(context.db, id),
    submissionId: randomUUID(),
    required: getRequiredFields(inviteSchema),
  });
});

type Context = ActionContext<"signed in", { id: number }>;

/** 404 unless the caller may see the managers of the listing. Returns the listing's id. */
async function requireListing({ db, params: { id } }: Context): Promise<number> {
  await getListingPeople(db, id);
  return id;
}

/** Back to the list with a message; with another one if there was nothing to do. */
const redirectToList = (id: number, done: boolean, text: string, nothingToDo: string) =>
  redirectWithFlash(paths.listingManagers(id), done ? text : { tone: "info", text: nothingToDo });

export const action = routeAction(
  {
    access: "signed in",
    params,
    labels: { byField: { email: "Email address" }, codes: [] },
  },
  {
    invite: async (context) => {
      const id = await requireListing(context);
      const submission = parseForm(context.form, inviteSchema);
      if (submission.status !== "success") return formErrorResponse(submission);
      const errors = await inviteManager(context.db, id, submission.value);
      if (errors) return formErrorResponse(submission, { errors });
      triggerEmailDelivery();
      return redirectWithFlash(
        paths.listingManagers(id),
        `We’re writing to ${submission.value.email}. The link in the e-mail works once, for seven days.`,
      );
    },
    withdraw: async (context) => {
      const id = await requireListing(context);
      const invitation = readField(context.form, "invitation");
      return redirectToList(
        id,
        isUuid(invitation) && (await withdrawInvitation(context.db, invitation)),
        "The invitation is taken back.",
        "That invitation is not open any more.",
      );
    },
    remove: async (context) => {
      const id = await requireListing(context);
      const person = readField(context.form, "person");
      return redirectToList(
        id,
        isUuid(person) && (await removeManager(context.db, id, person)),
        "They can’t open this listing or its messages any more.",
        "They don’t manage this listing.",
      );
    },
  },
);

export default function ListingManagers() {
  const { id, people, submissionId, required } = useLoaderData<typeof loader>();
  const result = useActionData<typeof action>();
  const form = createFormState<keyof InviteForm>({
    id: "invite",
    lastResult: result?.lastResult,
    required,
  });
  // A form with errors keeps its token: submitted again, it makes one invitation.
  const typed = result?.lastResult.initialValue["submission_id"];
  const { name, yours, managers, invitations } = people;
  return (
    <>
      <PageHeader title={name} kicker="People who manage this listing" />
      <ErrorSummary form={form} />
      <div className="prose">
        <p>
          Somebody who manages a listing can change it, hide it, and read and answer what people
          write to it. They can’t take it out of the directory, give it away, or buy anything for
          it. There can be {MAX_MANAGERS} of them.
        </p>
      </div>
      {managers.length > 0 ? (
        <ManagersTable listing={id} managers={managers} />
      ) : (
        <p>Nobody but its owner manages it.</p>
      )}
      {invitations.length > 0 ? <InvitationsTable invitations={invitations} /> : null}
      {yours ? (
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
      ) : (
        <p>Only its owner can invite people, because they read the messages to it.</p>
      )}
      <ButtonLink variant="quiet" to={paths.listing(id)}>
        Back to the listing
      </ButtonLink>
    </>
  );
}
