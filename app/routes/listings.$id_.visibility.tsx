import { json, type SerializeFrom } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";

import { Badge } from "~/components/ui/badge";
import { PageHeader } from "~/components/ui/page-header";
import { TextLink } from "~/components/ui/text-link";
import { redirectWithFlash } from "~/http/flash.server";
import { rowIdParam } from "~/http/params.server";
import { paths } from "~/http/paths";
import type { Db } from "~/integrations/supabase/clients.server";
import { routeAction, routeLoader, type ActionContext } from "~/http/route.server";
import { findListingPlan, renews } from "~/modules/billing/plan.server";
import { explainHiding } from "~/modules/billing/rules";
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
  const [listing, extras, plan] = await Promise.all([
    getOwnedOrManagedListing(db, session.user, id),
    findPaidExtras(db, session.user.id, id),
    findListingPlan(db, id),
  ]);
  return json({
    listing,
    badge: getFormBadge(listing),
    extras,
    planNote:
      renews(plan) && listing.status !== "archived" ? explainHiding(isPublic(listing)) : null,
    from: parseDashboardQuery(url.searchParams),
  });
});

/** Whether the user has paid for something that needs a listing which the public can find. */
async function isPaidFor(db: Db, user: string, listing: number): Promise<boolean> {
  const [extras, plan] = await Promise.all([
    findPaidExtras(db, user, listing),
    findListingPlan(db, listing),
  ]);
  return hasExtras(extras) || renews(plan);
}

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
    const hidesPaid = intent === "hide" && (await isPaidFor(db, session.user.id, listing.id));
    return redirectWithFlash(
      hidesPaid ? paths.listingVisibility(listing.id, from) : dashboard,
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
  if (status === "archived") return "It’s been removed from the directory, so no one can see it.";
  const request = archive_requested
    ? ` ${managed ? "The owner has" : "You’ve"} asked us to remove it.`
    : "";
  if (hidden)
    return `It’s hidden, so no one can see it.${request}${status === "pending-update" ? " Changes to it are waiting for review. If you show it before they’re approved, people see the last approved version." : ""}`;
  if (status === "flagged")
    return `No one can see it right now. Our team is looking into it.${request}`;
  if (status === "new") return `It hasn’t been approved, so no one can see it yet.${request}`;
  return status === "pending-update"
    ? `Everyone who visits the directory can see the last approved version. Changes to the listing are waiting for review.${request}`
    : `Everyone who visits the directory can see it.${request}`;
}

export default function ListingVisibility() {
  const { listing, badge, extras, planNote, from } = useLoaderData<typeof loader>();
  return (
    <>
      <PageHeader
        title={<bdi>{listing.name}</bdi>}
        parent={getListingParent(paths.listingsPage(toUrlQuery(from)))}
        kicker="Who sees this listing"
        subtitle={<Badge tone={badge.tone}>{badge.label}</Badge>}
      />
      <div className="prose measure">
        <p>{formatVisibility(listing)}</p>
        {planNote ? (
          <p>
            {planNote}{" "}
            <TextLink to={paths.billing(listing.id)}>Plan&nbsp;and&nbsp;payments</TextLink>
          </p>
        ) : null}
        <PaidExtrasNotes extras={extras} isPublic={isPublic(listing)} />
      </div>
      <VisibilitySection listing={listing} managed={listing.managed} from={from} asButtons />
    </>
  );
}
