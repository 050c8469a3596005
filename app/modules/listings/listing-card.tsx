import { Badge } from "~/components/ui/badge";
import { Card, CardHead } from "~/components/ui/card";
import { Icon } from "~/components/ui/icon";
import { Callout } from "~/components/ui/callout";
import { TextLink } from "~/components/ui/text-link";
import { paths } from "~/http/paths";
import { ManageBillingButton } from "~/modules/billing/manage-billing-button";

import { getPreviewUrl } from "./dashboard-rules";
import type { DashboardListing } from "./dashboard.server";
import { ListingStats } from "./listing-stats";
import { getStatusBadges, type StatusBadge } from "./rules";
import { getVisibilityIntents } from "./visibility-rules";
import { VisibilitySection } from "./visibility-section";
import { WeeklyViewsChart } from "./weekly-views-chart";

interface ListingCardProps {
  listing: DashboardListing;
  /** The Monday of the current week. */
  week: string;
  /** The URL of a listing's public page, with `{id}` in place of its id. */
  previewPattern: string | null;
}

const MANAGED_BADGE: StatusBadge = { label: "You manage this for its owner", tone: "plain" };

/** One listing on the dashboard: its status, what it needs, its numbers, and its actions. */
export function ListingCard({ listing, week, previewPattern }: ListingCardProps) {
  const {
    id,
    name,
    city,
    state,
    status,
    premium,
    premium2,
    role,
    weekly_views: weeklyViews,
  } = listing;
  const headingId = `listing-${id}`;
  const managed = role === "manager";
  const preview = getPreviewUrl(previewPattern, listing);
  return (
    <Card as="li" featured={premium2} labelledBy={headingId}>
      <CardHead
        title={name}
        id={headingId}
        subtitle={[city, state].filter(Boolean).join(", ") || "No address yet"}
        badges={[...getStatusBadges({ status, premium }), ...(managed ? [MANAGED_BADGE] : [])].map(
          ({ label, tone }) => (
            <Badge key={label} tone={tone}>
              {label}
            </Badge>
          ),
        )}
      />
      {listing.callouts.map(({ tone, title, text }) => (
        <Callout key={text} tone={tone} title={title}>
          {text}
        </Callout>
      ))}
      {role === "claimant" ? (
        <Callout>
          <p>
            This listing is yours?{" "}
            <TextLink to={paths.listing(id)} about={name}>
              Claim it
            </TextLink>
            : it names your e-mail address and has no owner yet. Look it over and save it.
          </p>
        </Callout>
      ) : managed && !premium2 ? null : (
        <ListingStats listing={listing} />
      )}
      {weeklyViews ? <WeeklyViewsChart about={name} views={weeklyViews} week={week} /> : null}
      <div className="links">
        <TextLink to={paths.listing(id)} about={name}>
          Edit listing
        </TextLink>
        {preview ? (
          <TextLink href={preview} about={name}>
            Preview listing
          </TextLink>
        ) : null}
        {listing.hasPlan ? (
          <TextLink to={paths.billing(id)} about={name}>
            Plan and payments
          </TextLink>
        ) : null}
        {role === "owner" && premium2 ? <ManageBillingButton listing={listing} asLink /> : null}
        {role !== "claimant" && getVisibilityIntents(listing, managed).length > 0 ? (
          <details className="manage">
            <summary aria-label={`Manage: ${name}`}>
              Manage
              <Icon name="chevron-down" />
            </summary>
            <VisibilitySection listing={listing} managed={managed} />
          </details>
        ) : null}
      </div>
    </Card>
  );
}
