import { randomUUID } from "node:crypto";

import { json, type SerializeFrom } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";

import { ErrorSummary } from "~/components/forms/error-summary";
import { FormSection } from "~/components/forms/form-section";
import { PostForm } from "~/components/forms/form";
import { createFormState } from "~/components/forms/form-state";
import { SubmitButton } from "~/components/forms/submit-button";
import { TextField } from "~/components/forms/text-field";
import { PageHeader } from "~/components/ui/page-header";
import { redirectWithFlash } from "~/http/flash.server";
import { formErrorResponse, getRequiredFields, parseForm, readField } from "~/http/form.server";
import { rowIdParam } from "~/http/params.server";
import { paths } from "~/http/paths";
import { routeAction, routeLoader, type ActionContext } from "~/http/route.server";
import { getListingParent } from "~/modules/listings/listing-parent";
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
import { isolate } from "~/text/isolate";
import { isUuid } from "~/text/uuid";

export const handle = {
  title: "Managers",
  tabTitle: ({ people }: SerializeFrom<typeof loader>) => `Managers: ${people.name}`,
};

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
      const invited = await inviteManager(context.db, id, submission.value);
      if ("refused" in invited) return formErrorResponse(submission, { errors: invited.refused });
      const { alsoSentTo } = invited;
      triggerEmailDelivery();
      return redirectWithFlash(
        paths.listingManagers(id),
        `Invitation sent to ${isolate(submission.value.email)}. The link works once, for seven days.${alsoSentTo === null ? "" : ` The one to ${isolate(alsoSentTo)} was sent, too. If you don’t want it, cancel it below.`}`,
      );
    },
    withdraw: async (context) => {
      const id = await requireListing(context);
      const invitation = readField(context.form, "invitation");
      return redirectToList(
        id,
        isUuid(invitation) && (await withdrawInvitation(context.db, invitation)),
        "Invitation canceled.",
        "That invitation is no longer pending.",
      );
    },
    remove: async (context) => {
      const id = await requireListing(context);
      const person = readField(context.form, "person");
      return redirectToList(
        id,
        isUuid(person) && (await removeManager(context.db, id, person)),
        "Manager removed. They no longer have access to this listing or its messages.",
        "That person doesn’t manage this listing.",
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
  const submission = typeof typed === "string" ? typed : submissionId;
  const { name, yours, managers, invitations } = people;
  return (
    <>
      <PageHeader title={<bdi>{name}</bdi>} parent={getListingParent()} kicker="Managers" />
      <ErrorSummary form={form} />
      <div className="prose">
        <p>
          Managers can edit, hide or show the listing and reply to its messages. They see its
          mailing address, too. They can’t remove it, transfer it or buy anything for it. We email
          you about their changes unless you turn that off. You can have up to {MAX_MANAGERS}{" "}
          managers.
        </p>
      </div>
      {managers.length > 0 ? (
        <ManagersTable listing={id} managers={managers} />
      ) : (
        <p>No managers yet.</p>
      )}
      {invitations.length > 0 ? <InvitationsTable invitations={invitations} /> : null}
      {yours ? (
        <FormSection title="Invite someone">
          {/* A new form after each invitation, as without script. */}
          <PostForm key={submission} form={form} intent="invite">
            <input type="hidden" name="submission_id" value={submission} />
            <TextField
              field={form.field("email")}
              label="Email address"
              type="email"
              autoComplete="off"
              hint="For privacy, the email won’t mention you or the listing. They’ll see which listing it is after signing in with this address. Tell them it’s from you."
            />
            <SubmitButton>Send invitation</SubmitButton>
          </PostForm>
        </FormSection>
      ) : (
        <p>Only the owner can invite managers, because managers can read the listing’s messages.</p>
      )}
    </>
  );
}
