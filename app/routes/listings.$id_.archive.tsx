import { json, redirect, type SerializeFrom } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";

import { ConfirmationPage } from "~/components/layout/confirmation-page";
import { rowIdParam } from "~/http/params.server";
import { paths } from "~/http/paths";
import { routeLoader } from "~/http/route.server";
import { findListingPlan, renews } from "~/modules/billing/plan.server";
import { explainRemoval } from "~/modules/billing/plan-apart.server";
import { explainHiding } from "~/modules/billing/rules";
import { parseDashboardQuery, toUrlQuery } from "~/modules/listings/dashboard-query";
import { noSuchListing } from "~/modules/listings/listing.server";
import { PaidExtrasNotes } from "~/modules/listings/paid-extras";
import { findPaidExtras } from "~/modules/listings/paid-extras.server";
import { getOwnedOrManagedListing } from "~/modules/listings/visibility.server";
import {
  getVisibilityIntents,
  isPublic,
  VISIBILITY_LABELS,
} from "~/modules/listings/visibility-rules";
import { isolate } from "~/text/isolate";

export const handle = {
  title: "Remove a listing",
  tabTitle: ({ listing }: SerializeFrom<typeof loader>) => `Remove ${listing.name}`,
};

/** Asks for confirmation. The request goes to the team, which removes the listing. */
export const loader = routeLoader(
  { access: "signed in", params: { id: rowIdParam(noSuchListing) } },
  async ({ db, params, session, url }) => {
    const listing = await getOwnedOrManagedListing(db, session.user, params.id);
    const from = toUrlQuery(parseDashboardQuery(url.searchParams));
    const intents = getVisibilityIntents(listing, listing.managed);
    if (!intents.includes("archive")) return redirect(paths.listingVisibility(listing.id, from));
    const [extras, plan] = await Promise.all([
      findPaidExtras(db, session.user.id, listing.id),
      findListingPlan(db, listing.id),
    ]);
    return json({
      listing,
      extras,
      planNote: plan?.mine ? explainRemoval(plan) : null,
      hidingNote: renews(plan) ? explainHiding(true) : null,
      canHide: intents.includes("hide"),
      from,
    });
  },
);

export default function ArchiveListing() {
  const { listing, extras, planNote, hidingNote, canHide, from } = useLoaderData<typeof loader>();
  return (
    <ConfirmationPage
      title={`Request removal of “${isolate(listing.name)}”?`}
      action={paths.listingVisibility(listing.id, from)}
      intent="archive"
      confirmLabel={VISIBILITY_LABELS.archive}
      cancelHref={paths.listingsPage(from)}
      cancelLabel="Cancel"
    >
      <p>
        Our team will take it off the directory.{" "}
        {isPublic(listing)
          ? "Until then, everyone can see it, and you can cancel your request."
          : "You can cancel your request until then."}{" "}
        We keep a private record of the listing.
      </p>
      {planNote ? <p>{planNote}</p> : null}
      <PaidExtrasNotes extras={extras} isPublic={isPublic(listing)} />
      {canHide ? (
        <p>
          Only need a break? Hide it instead. You can show it again any time.
          {hidingNote ? ` ${hidingNote}` : null}
        </p>
      ) : null}
    </ConfirmationPage>
  );
}
