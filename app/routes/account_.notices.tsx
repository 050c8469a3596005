import { json } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";

import { CheckboxGroup } from "~/components/forms/checkbox-group";
import { ErrorSummary } from "~/components/forms/error-summary";
import { PostForm } from "~/components/forms/form";
import { createFormState } from "~/components/forms/form-state";
import { SeenValues, withSeenValues } from "~/components/forms/seen-values";
import { SubmitButton } from "~/components/forms/submit-button";
import { PageHeader } from "~/components/ui/page-header";
import { redirectWithFlash } from "~/http/flash.server";
import { paths } from "~/http/paths";
import { routeAction, routeLoader } from "~/http/route.server";
import { updateUntouched } from "~/http/seen-values.server";
import { OPTIONAL_EMAIL_KINDS, OPTIONAL_EMAILS } from "~/modules/emails/optional-emails";
import { saveEmailPreferences, getEmailPreferences } from "~/modules/emails/preferences.server";

export const handle = { title: "Email settings" };

export const loader = routeLoader({ access: "signed in" }, async ({ db }) =>
  json({ wanted: await getEmailPreferences(db) }),
);

export const action = routeAction({ access: "signed in" }, async ({ db, form, session }) => {
  const updated = updateUntouched(form, { notices: await getEmailPreferences(db) });
  await saveEmailPreferences(
    db,
    session.user.id,
    updated.getAll("notices").filter((kind) => typeof kind === "string"),
  );
  return redirectWithFlash(paths.emailPreferences(), "Your email settings are saved.");
});

export default function EmailPreferences() {
  const { wanted } = useLoaderData<typeof loader>();
  const answer = useActionData<typeof action>();
  const form = createFormState<"notices" | "seen">({
    id: "notices",
    lastResult: answer?.lastResult,
    saved: withSeenValues({ notices: wanted }),
  });
  return (
    <>
      <PageHeader
        title={handle.title}
        parent={{ to: paths.account(), label: "My Account" }}
        subtitle="Subject lines and previews never name you, your listings or the directory."
      />
      <ErrorSummary form={form} />
      {/* After Back, browsers don't restore the boxes when an unsubscribe link was used since. */}
      <PostForm form={form} key={wanted.join()} version={wanted}>
        <SeenValues field={form.field("seen")} />
        <CheckboxGroup
          field={form.field("notices")}
          legend="Email me when…"
          hint="We’ll always send some emails, such as receipts and account security emails."
          options={OPTIONAL_EMAIL_KINDS.map((kind) => ({
            value: kind,
            label: OPTIONAL_EMAILS[kind],
          }))}
        />
        <SubmitButton busyText="Saving…">Save</SubmitButton>
      </PostForm>
    </>
  );
}
