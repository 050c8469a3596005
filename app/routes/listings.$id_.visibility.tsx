import { json } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";

import { Badge } from "~/components/ui/badge";
import { ButtonLink } from "~/components/ui/button";
import { PageHeader } from "~/components/ui/page-header";
import { redirectWithFlash } from "~/http/flash.server";
import { paths } from "~/http/paths";
import { routeAction, routeLoader, type ActionContext } from "~/http/route.server";
import { parseRowId } from "~/text/row-id";
import { statusBadges } from "~/modules/listings/rules";
import { visibilityDone, type VisibilityIntent } from "~/modules/listings/visibility-rules";
import { changeVisibility, listingInHand } from "~/modules/listings/visibility.server";
import { VisibilitySection } from "~/modules/listings/visibility-section";

export const handle = { title: "Who sees this listing" };

export const loader = routeLoader({ access: "signed in" }, async ({ db, params, session }) =>
  json({ listing: await listingInHand(db, session.user, parseRowId(params.id)) }),
);

const change =
  (intent: VisibilityIntent) =>
  async ({ db, params, session }: ActionContext<"signed in">) => {
    const { listing, outcome } = await changeVisibility(
      db,
      session.user,
      parseRowId(params.id),
      intent,
    );
    if (outcome === "closed") {
      return redirectWithFlash(paths.listings(), {
        tone: "problem",
        text: `That can’t be done with “${listing.name}” just now. Nothing was changed.`,
      });
    }
    return redirectWithFlash(paths.listings(), visibilityDone(intent, listing));
  };

export const action = routeAction(
  { access: "signed in" },
  {
    hide: change("hide"),
    show: change("show"),
    archive: change("archive"),
    keep: change("keep"),
  },
);

/** What each state means for those who look at the directory. */
function seenBy({
  status,
  hidden,
  archive_requested,
}: {
  status: string;
  hidden: boolean;
  archive_requested: boolean;
}): string {
  if (status === "archived") return "Nobody: it has been taken out of the directory.";
  const asked = archive_requested ? " You asked the team to take it out." : "";
  if (hidden) return `Nobody: it is hidden.${asked}`;
  return (
    (status === "published" || status === "pending-update"
      ? "Everybody who looks at the directory."
      : "Nobody yet: it has not been approved.") + asked
  );
}

export default function ListingVisibility() {
  const { listing } = useLoaderData<typeof loader>();
  return (
    <>
      <PageHeader
        title={listing.name}
        kicker="Who sees this listing"
        subtitle={statusBadges({ status: listing.status, premium: false }).map(
          ({ label, tone }) => (
            <Badge key={label} tone={tone}>
              {label}
            </Badge>
          ),
        )}
      />
      <p>{seenBy(listing)}</p>
      <VisibilitySection listing={listing} managed={listing.managed} />
      <ButtonLink variant="quiet" to={paths.listings()}>
        Back to Business Listings
      </ButtonLink>
    </>
  );
}
