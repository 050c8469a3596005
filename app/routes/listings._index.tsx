import { json } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";

import { ButtonLink } from "~/components/ui/button";
import { EmptyState } from "~/components/ui/empty-state";
import { PageHeader } from "~/components/ui/page-header";
import { Pagination } from "~/components/ui/pagination";
import { env } from "~/env.server";
import { paths } from "~/http/paths";
import { routeLoader } from "~/http/route.server";
import { FeaturedPanel } from "~/modules/billing/featured-panel";
import { DraftCard } from "~/modules/listings/draft-card";
import { draftsOf } from "~/modules/listings/drafts.server";
import { ListingCard } from "~/modules/listings/listing-card";
import { ListingSearch } from "~/modules/listings/listing-search";
import { dashboardPage, dashboardQuery, PAGE_SIZE } from "~/modules/listings/owner-listings.server";

export const handle = { title: "Business Listings" };

/** So many cards one looks through; above more of them, what needs their owner is told first. */
const FEW = 5;

export const loader = routeLoader({ access: "signed in" }, async ({ db, session, url }) => {
  const query = dashboardQuery(url.searchParams);
  const [page, drafts] = await Promise.all([dashboardPage(db, session.user, query), draftsOf(db)]);
  const { search, needing } = query;
  return json({
    ...page,
    drafts,
    search,
    needing,
    pageSize: PAGE_SIZE,
    previewPattern: env().directoryListingUrl,
  });
});

export default function Listings() {
  const {
    listings,
    drafts,
    all,
    waiting,
    total,
    first,
    week,
    search,
    needing,
    pageSize,
    previewPattern,
  } = useLoaderData<typeof loader>();
  const add = <ButtonLink to={paths.newListing()}>Add New Listing</ButtonLink>;
  const nothing = all === 0 && drafts.length === 0;
  const last = first + listings.length - 1;
  const asked = { search, ...(needing ? { needs: "you" as const } : {}) };
  return (
    <>
      <PageHeader
        title="Business Listings"
        subtitle="Add, update, and promote your business or organization."
        action={nothing ? undefined : add}
      />
      {nothing ? (
        <EmptyState title="Hi Friend!" illustration="map" action={add}>
          It looks like you don’t have any business listings yet. Let’s get your organization on the
          map!
        </EmptyState>
      ) : null}
      {drafts.length > 0 && first <= 1 && !search ? (
        <ul className="card-list" aria-label="Not finished">
          {drafts.map((draft) => (
            <DraftCard key={draft.id} draft={draft} />
          ))}
        </ul>
      ) : null}
      {all > pageSize || search || needing || (all > FEW && waiting > 0) ? (
        <ListingSearch
          search={search}
          needing={needing}
          all={all}
          total={total}
          waiting={waiting}
          searchable={all > pageSize || search !== ""}
        />
      ) : null}
      {listings.length > 0 ? (
        <>
          <ul className="card-list" aria-label="Listings">
            {listings.map((listing) => (
              <ListingCard
                key={listing.id}
                listing={listing}
                week={week}
                previewPattern={previewPattern}
              />
            ))}
          </ul>
          <Pagination
            label="Your listings, pages"
            position={`Listings ${first}–${last} of ${total.toLocaleString("en-US")}`}
            previous={
              first > 1 ? paths.listingsPage({ ...asked, before: listings[0]?.id }) : undefined
            }
            next={
              last < total
                ? paths.listingsPage({ ...asked, after: listings.at(-1)?.id })
                : undefined
            }
          />
        </>
      ) : null}
      {all > 0 && total === 0 ? (
        <EmptyState title={search ? "No listing found" : "Nothing needs you"}>
          {search
            ? `None of your listings${needing ? " that need you" : ""} has “${search}” in its name, city or state.`
            : "All of your listings are as they should be, or wait for the directory’s team."}
        </EmptyState>
      ) : null}
      {all > 0 && (listings.length === 0 || listings.some(({ type }) => type !== "managed")) ? (
        <FeaturedPanel />
      ) : null}
    </>
  );
}
