import { json, redirect } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";

import { ErrorSummary } from "~/components/forms/error-summary";
import { createFormState } from "~/components/forms/form-state";
import { ConfirmationPage } from "~/components/layout/confirmation-page";
import { TextLink } from "~/components/ui/text-link";
import { redirectWithFlash } from "~/http/flash.server";
import { paths } from "~/http/paths";
import { explainRefusal } from "~/http/refusals.server";
import { routeAction, routeLoader } from "~/http/route.server";
import { DataError } from "~/integrations/supabase/data.server";
import { triggerEmailDelivery } from "~/modules/emails/deliver-queue.server";
import { requestDeletion } from "~/modules/privacy/my-data.server";
import { PRIVACY_REFUSALS } from "~/modules/privacy/refusals";
import { confirmIdentity, refuseIdentity } from "~/modules/two-step/confirm-identity.server";
import { IdentityField } from "~/modules/two-step/identity-field";

export const handle = { title: "Delete my account" };

// Once requested, that page says when it happens, and whether it can be stopped.
export const loader = routeLoader({ access: "signed in" }, async ({ session: { user } }) =>
  user.deletion ? redirect(paths.privacy()) : json({ secondStep: user.secondStep }),
);

/** After a button that was pressed twice. */
const MAY_BE_REQUESTED =
  "we may be deleting your account already. Go to Privacy to check, or to keep your account.";

export const action = routeAction(
  { access: "signed in" },
  {
    delete: async (context) => {
      const confirmed = await confirmIdentity(context, MAY_BE_REQUESTED);
      if ("refused" in confirmed) return refuseIdentity(context.form, confirmed.refused);
      try {
        await requestDeletion(confirmed.db);
        triggerEmailDelivery();
        return await redirectWithFlash(paths.privacy(), {
          tone: "info",
          // The page says when that is, and how to stop it.
          text: "We’ve emailed you to confirm it was you.",
        });
      } catch (error) {
        if (!(error instanceof DataError) || error.failure !== "refused") throw error;
        return redirectWithFlash(paths.privacy(), {
          tone: "problem",
          text: explainRefusal(error, PRIVACY_REFUSALS),
        });
      }
    },
  },
);

export default function DeleteAccount() {
  const { secondStep } = useLoaderData<typeof loader>();
  const answer = useActionData<typeof action>();
  const form = createFormState<"app_code" | "current_password">({
    id: "delete-account",
    lastResult: answer?.lastResult,
    required: ["app_code", "current_password"],
  });
  return (
    <ConfirmationPage
      title="Do you want to delete your account?"
      confirmLabel="Delete my account"
      cancelHref={paths.privacy()}
      cancelLabel="Keep my account"
      tone="danger"
      intent="delete"
      form={form}
      fields={
        <IdentityField
          form={form}
          secondStep={secondStep}
          hint="We ask again so no one else can delete your account."
        />
      }
    >
      <ErrorSummary form={form} />
      <p>You have seven days to change your mind. After that, this can’t be undone:</p>
      <ul className="list-disc ps-5">
        <li className="mt-2">
          We’ll delete your profile, drafts, favorites, messages and consents, and sign you out
          everywhere.
        </li>
        <li className="mt-2">
          Your Featured plans end. They aren’t refunded, and neither is credit from a change of
          plan.
        </li>
        <li className="mt-2">
          Your listings and jobs stay in the directory, without an owner. Your managers lose access.
          To remove a listing, request its removal first.
        </li>
        <li className="mt-2">
          We’ll remove your account’s email address from the contact fields of your listings and
          jobs. Everything else that people can see stays as it is: phone numbers, addresses, other
          email addresses, and what you wrote in their names, descriptions and links. If there’s
          something people shouldn’t see, remove it first.
        </li>
        <li className="mt-2">
          A change that we haven’t approved by then is dropped, and its listing is hidden. The
          listing’s jobs aren’t shown either, and our newsletter leaves it out.
        </li>
        <li className="mt-2">
          Your feedback, reports and booked newsletter features stay as you wrote them, without your
          name.
        </li>
      </ul>
      <p>We’ll email you now to confirm it was you.</p>
      {secondStep ? null : (
        <p>
          Don’t know your password? <TextLink to={paths.recovery()}>Choose a new one</TextLink> with
          a link we’ll email you.
        </p>
      )}
    </ConfirmationPage>
  );
}
