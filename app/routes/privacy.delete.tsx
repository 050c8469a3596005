import { json } from "@remix-run/node";

import { ConfirmationPage } from "~/components/layout/confirmation-page";
import { redirectWithFlash } from "~/http/flash.server";
import { paths } from "~/http/paths";
import { routeAction, routeLoader } from "~/http/route.server";
import { DataError } from "~/integrations/supabase/data.server";
import { triggerEmailDelivery } from "~/modules/emails/deliver-queue.server";

import { requestDeletion } from "~/modules/privacy/my-data.server";
import { formatLongDate } from "~/text/dates";
import { explainRefusal } from "~/http/refusals.server";
import { PRIVACY_REFUSALS } from "~/modules/privacy/refusals";

export const handle = { title: "Delete my account" };

export const loader = routeLoader({ access: "signed in" }, async () => json(null));

export const action = routeAction(
  { access: "signed in" },
  {
    delete: async ({ db }) => {
      try {
        const due = await requestDeletion(db);
        triggerEmailDelivery();
        return await redirectWithFlash(paths.privacy(), {
          tone: "info",
          text: `Your account will be deleted on ${formatLongDate(due)} (UTC). Until then you can change your mind, here.`,
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
  return (
    <ConfirmationPage
      title="Do you want to delete your account?"
      confirmLabel="Delete my account"
      cancelHref={paths.privacy()}
      cancelLabel="Keep my account"
      tone="danger"
      intent="delete"
    >
      <p>You have seven days to change your mind. After that it cannot be undone:</p>
      <ul>
        <li>
          Your profile, drafts, favorites, messages and consents are deleted, and you are signed out
          everywhere.
        </li>
        <li>What you pay for every month ends. Nothing is paid back.</li>
        <li>
          Your listings and jobs stay in the directory without an owner and without your e-mail
          address. To have a listing taken out, ask for that first. Those who manage them for you
          can’t any more.
        </li>
      </ul>
      <p>We’ll write to you now, so that nobody can do this behind your back.</p>
    </ConfirmationPage>
  );
}
