import { json } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";

import { ConfirmationPage } from "~/components/layout/confirmation-page";
import { redirectWithFlash } from "~/http/flash.server";
import { paths } from "~/http/paths";
import { routeAction, routeLoader } from "~/http/route.server";
import { parseRowId } from "~/text/row-id";
import { noSuchListing } from "~/modules/listings/listing.server";
import { listingInHand } from "~/modules/listings/visibility.server";
import { leave } from "~/modules/managers/managers.server";

export const handle = { title: "Stop managing a listing" };

export const loader = routeLoader({ access: "signed in" }, async ({ db, params, session }) => {
  const { id, name, managed } = await listingInHand(db, session.user, parseRowId(params.id));
  if (!managed) throw noSuchListing();
  return json({ id, name });
});

export const action = routeAction(
  { access: "signed in" },
  {
    leave: async ({ db, params }) => {
      const left = await leave(db, parseRowId(params.id) ?? 0);
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
