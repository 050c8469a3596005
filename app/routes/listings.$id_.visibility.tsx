import { json, type SerializeFrom } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";

import { Badge } from "~/components/ui/badge";
import { PageHeader } from "~/components/ui/page-header";
import { redirectWithFlash } from "~/http/flash.server";
import { rowIdParam } from "~/http/params.server";
import { paths } from "~/http/paths";
import { routeAction, routeLoader, type ActionContext } from "~/http/route.server";
import { getListingParent } from "~/modules/listings/listing-parent";
import { parseDashboardQuery, toUrlQuery } from "~/modules/listings/dashboard-query";
import { noSuchListing } from "~/modules/listings/listing.server";
import { PaidExtrasNotes } from "~/modules/listings/paid-extras";
import { findPaidExtras, hasExtras } from "~/modules/listings/paid-extras.server";
import { getFormBadge } from "~/modules/listings/edit-status.server";
import { VisibilitySection } from "~/modules/listings/visibility-section";
import {
  formatVisibilityResult,
  isPublic,
  type Visibility,
  type VisibilityIntent,
} from "~/modules/listings/visibility-rules";
import { changeVisibility, getOwnedOrManagedListing } from "~/modules/listings/visibility.server";
import { LISTING_REFUSALS } from "~/modules/listings/refusals";
import { isolate } from "~/text/isolate";

export const handle = {
  title: "Who sees this listing",
  tabTitle: ({ listing }: SerializeFrom<typeof loader>) => `Who sees ${listing.name}`,
};

const params = { id: rowIdParam(noSuchListing) };

export const loader = routeLoader({ access: "signed in", params }, async (context) => {
  const {
    db,
    params: { id },
    session,
    url,
  } = context;
  const [listing, extras] = await Promise.all([
    getOwnedOrManagedListing(db, session.user, id),
    findPaidExtras(db, session.user.id, id),
  ]);
  return json({
    listing,
    badge: getFormBadge(listing),
    extras,
    from: parseDashboardQuery(url.searchParams),
  });
});

const change =
  (intent: VisibilityIntent) =>
  async ({ db, params: { id }, session, url }: ActionContext<"signed in", { id: number }>) => {
    const from = toUrlQuery(parseDashboardQuery(url.searchParams));
    const dashboard = paths.listingsPage(from);
    const { listing, allowed } = await changeVisibility(db, session.user, id, intent);
    if (!allowed) {
      return redirectWithFlash(dashboard, {
        tone: "problem",
        text: `That can’t be done with “${isolate(listing.name)}” right now. Nothing was changed.`,
      });
    }
    // What was paid for and isn’t shown now, with links, is on this page.
    const isHiding =
      intent === "hide" && hasExtras(await findPaidExtras(db, session.user.id, listing.id));
    return redirectWithFlash(
      isHiding ? paths.listingVisibility(listing.id, from) : dashboard,
      formatVisibilityResult(intent, listing),
    );
  };

export const action = routeAction(
  { access: "signed in", params, refusals: LISTING_REFUSALS },
  {
    hide: change("hide"),
    show: change("show"),
    archive: change("archive"),
    keep: change("keep"),
  },
);

/** Who sees a listing, as a sentence. */
function formatVisibility({
  status,
  hidden,
  archive_requested,
  managed,
}: Visibility & { managed: boolean }): string {
  if (status === "archived") return "No one can see it. It’s been removed from the directory.";
  const request = archive_requested
    ? ` ${managed ? "The owner has" : "You’ve"} asked us to remove it.`
    : "";
  if (hidden) return `No one can see it. It’s hidden.${request}`;
  if (status === "flagged")
    return `No one can see it right now. Our team is looking into it.${request}`;
  return (
    (status === "new"
      ? "No one can see it yet. It hasn’t been approved."
      : "Everyone who visits the directory can see it.") + request
  );
}

export default function ListingVisibility() {
  const { listing, badge, extras, from } = useLoaderData<typeof loader>();
  return (
    <>
      <PageHeader
        title={<bdi>{listing.name}</bdi>}
        parent={getListingParent(paths.listingsPage(toUrlQuery(from)))}
        kicker="Who sees this listing"
        subtitle={<Badge tone={badge.tone}>{badge.label}</Badge>}
      />
      <p>{formatVisibility(listing)}</p>
      <PaidExtrasNotes extras={extras} isPublic={isPublic(listing)} />
      <VisibilitySection listing={listing} managed={listing.managed} from={from} asButtons />
    </>
  );
}
