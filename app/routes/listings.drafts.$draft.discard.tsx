import { json } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";

import { ConfirmationPage } from "~/components/layout/confirmation-page";
import { firstValue } from "~/components/forms/form-state";
import { notFound } from "~/http/errors.server";
import { redirectWithFlash } from "~/http/flash.server";
import { paths } from "~/http/paths";
import { routeAction, routeLoader } from "~/http/route.server";
import { draftName } from "~/modules/listings/draft-card";
import { discardDraft, draftOf, isDraftId } from "~/modules/listings/drafts.server";

export const handle = { title: "Discard a draft" };

export const loader = routeLoader({ access: "signed in" }, async ({ db, params }) => {
  const draft = await draftOf(db, params.draft);
  if (!draft)
    throw notFound("This draft isn’t here. It may have been finished or discarded already.");
  return json({ name: draftName({ name: firstValue(draft.fields.name) ?? "" }) });
});

export const action = routeAction({ access: "signed in" }, async ({ db, params }) => {
  if (!isDraftId(params.draft)) throw notFound();
  await discardDraft(db, params.draft);
  return redirectWithFlash(paths.listings(), "The draft is discarded.");
});

export default function DiscardDraft() {
  const { name } = useLoaderData<typeof loader>();
  return (
    <ConfirmationPage
      title={`Discard “${name}”?`}
      confirmLabel="Discard draft"
      tone="danger"
      cancelHref={paths.listings()}
      cancelLabel="Keep it"
    >
      <p>Everything you typed into it is thrown away, for good.</p>
    </ConfirmationPage>
  );
}
