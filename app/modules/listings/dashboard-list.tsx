import { ButtonLink } from "~/components/ui/button";
import { paths } from "~/http/paths";
import { formatNumber } from "~/text/counts";

import { readNumbers } from "./dashboard-rules";
import type { DashboardDraft, DashboardListing } from "./dashboard.server";
import { FeaturedCard } from "./featured-card";
import type { DashboardContext } from "./listing-more";
import { DraftRow, ListingRow } from "./listing-row";
import { ViewChange } from "./view-change";
import { sumFourWeeks } from "./weekly-views";

type Row = DashboardListing | DashboardDraft;

const isFeatured = (row: Row): row is DashboardListing => "numbers" in row;

const CARDS_IN_A_ROW = 3;

interface DashboardListProps {
  rows: readonly Row[];
  /** How many of those found are Featured, on this page or another. */
  featuredCount: number;
  context: DashboardContext;
}

/** A page of the dashboard: cards for Featured listings, rows for the others and for drafts. */
export function DashboardList({ rows, featuredCount, context }: DashboardListProps) {
  const featured = rows.filter(isFeatured);
  const others = rows.filter((row) => !isFeatured(row));
  const together = sumFourWeeks(featured.map((row) => readNumbers(row.numbers ?? "").weeks));
  const canFeatureMore = others.some((row) => !("draft" in row) && row.role === undefined);
  return (
    <>
      {featured.length > 0 ? (
        <section aria-labelledby="featured">
          <div className="list-head">
            <h2 id="featured">Featured</h2>
            <p>Views: past 4 full weeks vs. the 4 before</p>
          </div>
          <ul className="featured-cards">
            {featured.map((listing) => (
              <FeaturedCard key={listing.id} listing={listing} context={context} />
            ))}
            {canFeatureMore && featured.length % CARDS_IN_A_ROW > 0 ? (
              <li className="feature-another">
                <p>
                  {featured.length > 1 &&
                  featured.length === featuredCount &&
                  together.views > 0 ? (
                    <>
                      {`Views in the past 4 weeks, all ${featured.length} listings`}
                      <br />
                      <strong>{formatNumber(together.views)}</strong>{" "}
                      {together.percent === null ? null : <ViewChange percent={together.percent} />}
                    </>
                  ) : (
                    "Featured listings come first on the map and in the app."
                  )}
                </p>
                <ButtonLink variant="quiet" to={paths.upgrade()}>
                  Feature another
                </ButtonLink>
              </li>
            ) : null}
          </ul>
        </section>
      ) : null}
      {others.length > 0 ? (
        <section aria-labelledby="others">
          <div className="list-head">
            <h2 id="others">{featured.length > 0 ? "All others" : "Your listings"}</h2>
            <p>By name</p>
          </div>
          <ul className="listing-rows">
            {others.map((row) =>
              "draft" in row ? (
                <DraftRow key={row.draft} draft={row} query={context.query} />
              ) : (
                <ListingRow key={row.id} listing={row} context={context} />
              ),
            )}
          </ul>
        </section>
      ) : null}
    </>
  );
}
