import { Card } from "~/components/ui/card";
import { TextLink } from "~/components/ui/text-link";
import { paths } from "~/http/paths";
import { ManageBillingButton } from "~/modules/billing/manage-billing-button";

import { toDashboardPath } from "./dashboard-query";
import { readNumbers } from "./dashboard-rules";
import type { DashboardListing } from "./dashboard.server";
import { ListingBadge } from "./listing-badge";
import { ListingMore, type DashboardContext } from "./listing-more";
import { WeeklyViewsChart } from "./weekly-views-chart";

const LABELS = ["Nearby users", "Views, all time", "Favorites"];

interface FeaturedCardProps {
  listing: DashboardListing;
  context: DashboardContext;
}

/** A Featured listing: its numbers, its twelve weeks, and its actions. */
export function FeaturedCard({ listing, context }: FeaturedCardProps) {
  const { id, name, place, badge, role } = listing;
  const { stats, weeks } = readNumbers(listing.numbers ?? "");
  return (
    <Card as="li" featured className="featured-card">
      <div className="head">
        <h3 dir="auto">{name}</h3>
        <p dir="auto">{place}</p>
        <ListingBadge badge={badge} />
      </div>
      <dl>
        {stats.map((value, index) => (
          <div key={LABELS[index]}>
            <dt>{LABELS[index]}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {weeks.length > 0 ? (
        <WeeklyViewsChart about={name} views={weeks} week={context.week} />
      ) : null}
      <div className="actions quiet-actions">
        <TextLink to={paths.listing(id, toDashboardPath(context.query))} about={name}>
          Edit listing
        </TextLink>
        {role === undefined && !listing.paidByAnother ? (
          <ManageBillingButton listing={listing} asLink />
        ) : null}
        <ListingMore listing={listing} context={context} />
      </div>
    </Card>
  );
}
