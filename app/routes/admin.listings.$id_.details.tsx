import { json, type SerializeFrom } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";

import { ErrorSummary } from "~/components/forms/error-summary";
import { createFormState } from "~/components/forms/form-state";
import { ButtonLink } from "~/components/ui/button";
import { Card } from "~/components/ui/card";
import { PageHeader } from "~/components/ui/page-header";
import { routeAction, routeLoader } from "~/http/route.server";
import { rowIdParam } from "~/http/params.server";
import { parseFilter, queuePath } from "~/modules/moderation/queue/filter";
import {
  ListingActions,
  ListingFacts,
  type DetailsData,
} from "~/modules/moderation/review/listing-details";
import {
  getListingDetails,
  noSuchListingToReview,
} from "~/modules/moderation/review/listing.server";
import { approveListing } from "~/modules/moderation/review/review-actions.server";

export const handle = {
  title: "Listing details",
  tabTitle: ({ listing }: SerializeFrom<typeof loader>) => `Details: ${listing.name}`,
};
export { revalidateAfterConflict as shouldRevalidate } from "~/http/revalidate-after-conflict";

const params = { id: rowIdParam(noSuchListingToReview) };

export const loader = routeLoader({ access: "admin", params }, async ({ db, params, url }) =>
  json<DetailsData>({
    listing: await getListingDetails(db, params.id),
    filter: parseFilter(url.searchParams),
  }),
);

export const action = routeAction({ access: "admin", params }, { approve: approveListing });

export default function ListingDetailsPage() {
  const { listing, filter } = useLoaderData<typeof loader>();
  const answer = useActionData<typeof action>();
  const close = (
    <ButtonLink variant="quiet" to={queuePath(filter)}>
      Close
    </ButtonLink>
  );
  return (
    <>
      <PageHeader title={<bdi>{listing.name}</bdi>} kicker="Listing" />
      <ErrorSummary form={createFormState({ id: "details", lastResult: answer?.lastResult })} />
      <Card>
        <ListingFacts listing={listing} />
        <ListingActions listing={listing} filter={filter} close={close} />
      </Card>
    </>
  );
}
