import { json, type SerializeFrom } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";

import { ConfirmationPage } from "~/components/layout/confirmation-page";
import { redirectWithFlash } from "~/http/flash.server";
import { rowIdParam } from "~/http/params.server";
import { paths } from "~/http/paths";
import { routeAction, routeLoader } from "~/http/route.server";
import { noSuchListing } from "~/modules/listings/listing.server";
import { getOwnedOrManagedListing } from "~/modules/listings/visibility.server";
import { leaveListing } from "~/modules/managers/managers.server";
import { isolate } from "~/text/isolate";

export const handle = {
  title: "Stop managing a listing",
  tabTitle: ({ name }: SerializeFrom<typeof loader>) => `Stop managing ${name}`,
};

const params = { id: rowIdParam(noSuchListing) };

export const loader = routeLoader({ access: "signed in", params }, async (context) => {
  const { db, session } = context;
  const { id, name, managed } = await getOwnedOrManagedListing(db, session.user, context.params.id);
  if (!managed) throw noSuchListing();
  return json({ id, name });
});

export const action = routeAction(
  { access: "signed in", params },
  {
    leave: async (context) => {
      const left = await leaveListing(context.db, context.params.id);
      return redirectWithFlash(
        paths.listings(),
        left
          ? "You no longer manage that listing."
          : { tone: "info", text: "You don’t manage that listing anymore." },
      );
    },
  },
);

export default function LeaveListing() {
  const { name } = useLoaderData<typeof loader>();
  return (
    <ConfirmationPage
      title={`Stop managing “${isolate(name)}”?`}
      intent="leave"
      confirmLabel="Stop managing"
      cancelHref={paths.listings()}
      cancelLabel="Keep managing"
    >
      <p>
        You’ll lose access to the listing and its messages right away. To come back, you’ll need a
        new invitation.
      </p>
    </ConfirmationPage>
  );
}
