import { json } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";

import { ErrorSummary } from "~/components/forms/error-summary";
import { createFormState } from "~/components/forms/form-state";
import { ButtonLink } from "~/components/ui/button";
import { Card } from "~/components/ui/card";
import { PageHeader } from "~/components/ui/page-header";
import { routeAction, routeLoader } from "~/http/route.server";
import { parseRowId } from "~/text/row-id";
import { approveListing } from "~/modules/moderation/approve-listing.server";
import {
  ListingActions,
  ListingFacts,
  type DetailsData,
} from "~/modules/moderation/listing-details";
import { listingDetails } from "~/modules/moderation/listing-details.server";
import { listingsFilter, listingsTable } from "~/modules/moderation/listings-filter";

export const handle = { title: "Listing details" };
export { revalidateAfterConflict as shouldRevalidate } from "~/http/revalidate-after-conflict";

export const loader = routeLoader({ access: "admin" }, async ({ db, params, url }) =>
  json<DetailsData>({
    listing: await listingDetails(db, parseRowId(params.id)),
    filter: listingsFilter(url.searchParams),
  }),
);

export const action = routeAction({ access: "admin" }, { approve: approveListing });

export default function ListingDetailsPage() {
  const { listing, filter } = useLoaderData<typeof loader>();
  const answer = useActionData<typeof action>();
  const close = (
    <ButtonLink variant="quiet" to={listingsTable(filter)}>
      Close
    </ButtonLink>
  );
  return (
    <>
      <PageHeader title={listing.name} kicker="Details" />
      <ErrorSummary form={createFormState({ id: "details", lastResult: answer?.lastResult })} />
      <Card>
        <ListingFacts listing={listing} />
        <ListingActions listing={listing} filter={filter} close={close} />
      </Card>
    </>
  );
}
