import { json, redirect } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";

import { ConfirmationPage } from "~/components/layout/confirmation-page";
import { paths } from "~/http/paths";
import { routeLoader } from "~/http/route.server";
import { parseRowId } from "~/text/row-id";
import { listingInHand } from "~/modules/listings/visibility.server";
import { VISIBILITY_LABELS, visibilityChoices } from "~/modules/listings/visibility-rules";

export const handle = { title: "Remove a listing" };

/** Asks before the team is asked: it is the team that takes a listing out. */
export const loader = routeLoader({ access: "signed in" }, async ({ db, params, session }) => {
  const listing = await listingInHand(db, session.user, parseRowId(params.id));
  if (!visibilityChoices(listing, listing.managed).includes("archive"))
    return redirect(paths.listingVisibility(listing.id));
  return json({ listing, canHide: visibilityChoices(listing).includes("hide") });
});

export default function ArchiveListing() {
  const { listing, canHide } = useLoaderData<typeof loader>();
  return (
    <ConfirmationPage
      title={`Ask the team to remove “${listing.name}”?`}
      action={paths.listingVisibility(listing.id)}
      intent="archive"
      confirmLabel={VISIBILITY_LABELS.archive}
      cancelHref={paths.listings()}
      cancelLabel="Keep it"
    >
      <p>
        The directory’s team takes it out of the directory and keeps its record. Until then you can
        change your mind.
      </p>
      {canHide ? (
        <p>
          If you only want it out of sight for a while, hide it instead: you can show it again
          yourself, at once.
        </p>
      ) : null}
    </ConfirmationPage>
  );
}
