import { json, redirect, type SerializeFrom } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";

import { ConfirmationPage } from "~/components/layout/confirmation-page";
import { rowIdParam } from "~/http/params.server";
import { paths } from "~/http/paths";
import { routeLoader } from "~/http/route.server";
import { noSuchListing } from "~/modules/listings/listing.server";
import { getListingPeople } from "~/modules/managers/managers.server";
import { isolate } from "~/text/isolate";

export const handle = {
  title: "Remove manager",
  tabTitle: ({ name }: SerializeFrom<typeof loader>) => `Remove manager: ${name}`,
};

const params = { id: rowIdParam(noSuchListing), manager: (text: string | undefined) => text };

/** Asks for confirmation before a manager is removed. */
export const loader = routeLoader({ access: "signed in", params }, async (context) => {
  const { id, manager: managerId } = context.params;
  const { name, managers } = await getListingPeople(context.db, id);
  const manager = managers.find((one) => one.id === managerId);
  if (!manager) return redirect(paths.listingManagers(id));
  return json({ id, name, manager });
});

export default function RemoveManager() {
  const { id, name, manager } = useLoaderData<typeof loader>();
  const who = manager.name ?? manager.email ?? "this person";
  return (
    <ConfirmationPage
      title={`Remove ${isolate(who)} from “${isolate(name)}”?`}
      action={paths.listingManagers(id)}
      intent="remove"
      hidden={{ person: manager.id }}
      confirmLabel={`Remove ${isolate(who)}`}
      cancelHref={paths.listingManagers(id)}
      cancelLabel="Keep manager"
      tone="danger"
    >
      {manager.name !== null && manager.email !== null ? (
        <p>
          They were invited as <bdi>{manager.email}</bdi>.
        </p>
      ) : null}
      <p>
        They’ll lose access to the listing and its messages right away. Changes they’ve made will
        stay, including those that are waiting for our review. You can invite them again.
      </p>
      <p>We won’t email them about it.</p>
    </ConfirmationPage>
  );
}
