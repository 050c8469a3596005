import { json } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";

import { ConfirmationPage } from "~/components/layout/confirmation-page";
import { redirectWithFlash } from "~/http/flash.server";
import { rowIdParam } from "~/http/params.server";
import { paths } from "~/http/paths";
import { routeAction, routeLoader } from "~/http/route.server";
import { noSuchListing } from "~/modules/listings/listing.server";
import { getOwnedOrManagedListing } from "~/modules/listings/visibility.server";
import { leaveListing } from "~/modules/managers/managers.server";

export const handle = { title: "Stop managing a listing" };

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
          ? "You don’t manage that listing any more."
          : { tone: "info", text: "You didn’t manage that listing." },
      );
    },
  },
);

export default function LeaveListing() {
  const { name } = useLoaderData<typeof loader>();
  return (
    <ConfirmationPage
      title={`Stop managing “${name}”?`}
      intent="leave"
      confirmLabel="Stop managing it"
      cancelHref={paths.listings()}
      cancelLabel="Go on helping"
    >
      <p>
        You can’t open the listing or the messages to it any more, at once. To come back you need a
        new invitation.
      </p>
    </ConfirmationPage>
  );
}
