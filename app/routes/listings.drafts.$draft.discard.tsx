import { json, type SerializeFrom } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";

import { ConfirmationPage } from "~/components/layout/confirmation-page";
import { firstValue } from "~/components/forms/form-state";
import { notFound } from "~/http/errors.server";
import { redirectWithFlash } from "~/http/flash.server";
import { uuidParam } from "~/http/params.server";
import { paths } from "~/http/paths";
import { routeAction, routeLoader } from "~/http/route.server";
import { parseDashboardQuery, toUrlQuery } from "~/modules/listings/dashboard-query";
import { getDraftName } from "~/modules/listings/dashboard-rules";
import { discardDraft, getDraft } from "~/modules/listings/drafts.server";
import { isolate } from "~/text/isolate";

export const handle = {
  title: "Discard a draft",
  tabTitle: ({ name }: SerializeFrom<typeof loader>) => `Discard draft: ${name}`,
};

const noSuchDraft = () =>
  notFound("We couldn’t find this draft. It may have been finished or discarded already.");
const params = { draft: uuidParam(noSuchDraft) };

export const loader = routeLoader({ access: "signed in", params }, async (context) => {
  const draft = await getDraft(context.db, context.params.draft);
  if (!draft) throw noSuchDraft();
  return json({
    name: getDraftName({ name: firstValue(draft.fields.name) ?? "" }),
    from: toUrlQuery(parseDashboardQuery(context.url.searchParams)),
  });
});

export const action = routeAction({ access: "signed in", params }, async (context) => {
  await discardDraft(context.db, context.params.draft);
  const from = toUrlQuery(parseDashboardQuery(context.url.searchParams));
  return redirectWithFlash(paths.listingsPage(from), "Draft discarded.");
});

export default function DiscardDraft() {
  const { name, from } = useLoaderData<typeof loader>();
  return (
    <ConfirmationPage
      title={`Discard “${isolate(name)}”?`}
      confirmLabel="Discard draft"
      tone="danger"
      cancelHref={paths.listingsPage(from)}
      cancelLabel="Keep it"
    >
      <p>This permanently deletes everything in the draft.</p>
    </ConfirmationPage>
  );
}
