import { json } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";

import { ButtonLink } from "~/components/ui/button";
import { EmptyState } from "~/components/ui/empty-state";
import { MapIllustration } from "~/components/ui/illustrations";
import { PageHeader } from "~/components/ui/page-header";
import { paths } from "~/http/paths";
import { routeLoader } from "~/http/route.server";
import { ListingCard } from "~/modules/listings/listing-card";
import { listingsOf } from "~/modules/listings/owner-listings.server";

export const handle = { title: "Business Listings" };

export const loader = routeLoader({ access: "signed in" }, async ({ db, session }) =>
  json({ listings: await listingsOf(db, session.user) }),
);

export default function Listings() {
  const { listings } = useLoaderData<typeof loader>();
  const add = <ButtonLink to={paths.newListing()}>Add New Listing</ButtonLink>;
  return (
    <>
      <PageHeader
        title="Business Listings"
        subtitle="Add, update, and promote your business or organization."
        action={listings.length > 0 ? add : undefined}
      />
      {listings.length === 0 ? (
        <EmptyState title="Hi Friend!" illustration={<MapIllustration />} action={add}>
          It looks like you don’t have any business listings yet. Let’s get your organization on the map!
        </EmptyState>
      ) : (
        <ul className="card-list">
          {listings.map((listing) => (
            <ListingCard key={listing.id} {...listing} />
          ))}
        </ul>
      )}
    </>
  );
}
