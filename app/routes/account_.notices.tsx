import { json } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";

import { CheckboxGroup } from "~/components/forms/checkbox-group";
import { ErrorSummary } from "~/components/forms/error-summary";
import { PostForm } from "~/components/forms/form";
import { formState } from "~/components/forms/form-state";
import { SubmitButton } from "~/components/forms/submit-button";
import { PageHeader } from "~/components/ui/page-header";
import { redirectWithFlash } from "~/http/flash.server";
import { paths } from "~/http/paths";
import { routeAction, routeLoader } from "~/http/route.server";
import { CHOOSABLE_KINDS, CHOOSABLE_NOTICES } from "~/modules/notices/choices";
import { chooseNotices, wantedNotices } from "~/modules/notices/choices.server";

export const handle = { title: "E-mails from us" };

export const loader = routeLoader({ access: "signed in" }, async ({ db }) =>
  json({ wanted: await wantedNotices(db) }),
);

export const action = routeAction({ access: "signed in" }, async ({ db, form, session }) => {
  await chooseNotices(
    db,
    session.user.id,
    form.getAll("notices").filter((kind) => typeof kind === "string"),
  );
  return redirectWithFlash(paths.notices(), "Your choice is saved.");
});

export default function Notices() {
  const { wanted } = useLoaderData<typeof loader>();
  const back = useActionData<typeof action>();
  const form = formState<"notices">({
    id: "notices",
    lastResult: back?.lastResult,
    saved: { notices: wanted },
  });
  return (
    <>
      <PageHeader
        title={handle.title}
        kicker="My Account"
        subtitle="Their subjects tell nothing to whoever sees your screen."
      />
      <ErrorSummary form={form} />
      <PostForm form={form} key={wanted.join()}>
        <CheckboxGroup
          field={form.field("notices")}
          legend="Write to me when"
          hint="Receipts, and what concerns your account itself, are always sent."
          options={CHOOSABLE_KINDS.map((kind) => ({ value: kind, label: CHOOSABLE_NOTICES[kind] }))}
        />
        <SubmitButton>Save</SubmitButton>
      </PostForm>
    </>
  );
}
