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
import {
  getDashboardPage,
  PAGE_SIZE,
  parseDashboardQuery,
} from "~/modules/listings/dashboard.server";
import { listDrafts } from "~/modules/listings/drafts.server";
import { ListingCard } from "~/modules/listings/listing-card";
import { ListingSearch } from "~/modules/listings/listing-search";
import { formatNumber } from "~/text/counts";

export const handle = { title: "Business Listings" };

/** With more listings than this, a link above the cards leads to those that need attention. */
const MAX_WITHOUT_FILTER = 5;

export const loader = routeLoader({ access: "signed in" }, async ({ db, session, url }) => {
  const query = parseDashboardQuery(url.searchParams);
  const [page, drafts] = await Promise.all([
    getDashboardPage(db, session.user.id, query),
    listDrafts(db),
  ]);
  const { search, attention } = query;
  return json({
    ...page,
    drafts,
    search,
    attention,
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
    attention,
    pageSize,
    previewPattern,
  } = useLoaderData<typeof loader>();
  const add = <ButtonLink to={paths.newListing()}>Add New Listing</ButtonLink>;
  const isEmpty = all === 0 && drafts.length === 0;
  const last = first + listings.length - 1;
  const filter = { search, ...(attention ? { needs: "you" as const } : {}) };
  return (
    <>
      <PageHeader
        title="Business Listings"
        subtitle="Add, update, and promote your business or organization."
        action={isEmpty ? undefined : add}
      />
      {isEmpty ? (
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
      {all > pageSize || search || attention || (all > MAX_WITHOUT_FILTER && waiting > 0) ? (
        <ListingSearch
          search={search}
          attention={attention}
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
            position={`Listings ${first}–${last} of ${formatNumber(total)}`}
            previous={
              first > 1 ? paths.listingsPage({ ...filter, before: listings[0]?.id }) : undefined
            }
            next={
              last < total
                ? paths.listingsPage({ ...filter, after: listings.at(-1)?.id })
                : undefined
            }
          />
        </>
      ) : null}
      {all > 0 && total === 0 ? (
        <EmptyState title={search ? "No listing found" : "Nothing needs you"}>
          {search
            ? `None of your listings${attention ? " that need you" : ""} has “${search}” in its name, city or state.`
            : "All of your listings are as they should be, or wait for the directory’s team."}
        </EmptyState>
      ) : null}
      {all > 0 && (listings.length === 0 || listings.some(({ role }) => role !== "manager")) ? (
        <FeaturedPanel />
      ) : null}
    </>
  );
}
