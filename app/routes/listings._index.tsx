import { json } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";

import { ButtonLink } from "~/components/ui/button";
import { EmptyState } from "~/components/ui/empty-state";
import { Icon } from "~/components/ui/icon";
import { PageHeader } from "~/components/ui/page-header";
import { Pagination } from "~/components/ui/pagination";
import { env } from "~/env.server";
import { paths } from "~/http/paths";
import { routeLoader } from "~/http/route.server";
import { FeaturedPanel } from "~/modules/billing/featured-panel";
import { AttentionPanel } from "~/modules/listings/attention-panel";
import { PAGE_SIZE, parseDashboardQuery, toUrlQuery } from "~/modules/listings/dashboard-query";
import { getDashboardPage } from "~/modules/listings/dashboard.server";
import { DashboardList } from "~/modules/listings/dashboard-list";
import { ListingFilter } from "~/modules/listings/listing-filter";
import { formatCount } from "~/text/counts";

export const handle = { title: "Business Listings" };

/** With more listings than this there are chips and a search box above them. */
const MAX_WITHOUT_FILTER = 5;

export const loader = routeLoader({ access: "signed in" }, async ({ db, session, url }) => {
  const query = parseDashboardQuery(url.searchParams);
  const { first, ...page } = await getDashboardPage(db, session.user.id, query);
  // The last page, when there are fewer.
  const current = Math.max(Math.ceil(first / PAGE_SIZE), 1);
  return json({
    ...page,
    query: { ...query, page: current },
    previewPattern: env().directoryListingUrl,
    testimonial: env().testimonials[0],
  });
});

export default function Listings() {
  const { rows, all, counts, total, week, hasFirstMonth, tasks, query, previewPattern } =
    useLoaderData<typeof loader>();
  const { testimonial } = useLoaderData<typeof loader>();
  const { search, show, page } = query;
  const first = (page - 1) * PAGE_SIZE + 1;
  const add = (
    <ButtonLink to={paths.newListing()}>
      <Icon name="plus" />
      Add New Listing
    </ButtonLink>
  );
  const last = first + rows.length - 1;
  const toPage = (number: number) => paths.listingsPage(toUrlQuery({ ...query, page: number }));
  const isFiltered = search !== "" || show !== null;
  return (
    <>
      <PageHeader
        title="Business Listings"
        subtitle="Add, update, and promote your business or organization."
        action={all === 0 ? undefined : add}
      />
      {all === 0 ? (
        <EmptyState title="Hi Friend!" illustration="map" action={add}>
          It looks like you don’t have any business listings yet. Let’s get your organization on the
          map!
        </EmptyState>
      ) : null}
      {isFiltered || page > 1 ? null : <AttentionPanel tasks={tasks} count={counts.attention} />}
      {all > MAX_WITHOUT_FILTER || isFiltered ? (
        <ListingFilter search={search} show={show} counts={counts} />
      ) : null}
      <DashboardList
        rows={rows}
        featuredCount={counts.featured}
        context={{ query, previewPattern, week }}
      />
      {total > rows.length ? (
        <Pagination
          label="Your listings, pages"
          position={`${first}–${last} of ${formatCount(total, "listing")}`}
          previous={page > 1 ? toPage(page - 1) : undefined}
          next={last < total ? toPage(page + 1) : undefined}
        />
      ) : null}
      {all > 0 && total === 0 ? (
        <EmptyState title={search ? "No listings found" : "Nothing here right now"}>
          {search
            ? "Try fewer words, or clear the search."
            : "Choose “All” to see the rest of your listings."}
        </EmptyState>
      ) : null}
      {rows.some((row) => !("draft" in row) && row.role !== "manager") ||
      (total === 0 && all > 0) ? (
        <FeaturedPanel hasFirstMonth={hasFirstMonth} testimonial={testimonial} />
      ) : null}
    </>
  );
}
