import { Badge } from "~/components/ui/badge";
import { Card, CardHead } from "~/components/ui/card";
import { Icon } from "~/components/ui/icon";
import { Callout } from "~/components/ui/callout";
import { TextLink } from "~/components/ui/text-link";
import { paths } from "~/http/paths";
import { ManageBillingButton } from "~/modules/billing/manage-billing-button";

import { previewAddress } from "./dashboard-rules";
import { ListingStats } from "./listing-stats";
import type { DashboardListing } from "./owner-listings.server";
import { statusBadges, type StatusBadge } from "./rules";
import { visibilityChoices } from "./visibility-rules";
import { VisibilitySection } from "./visibility-section";
import { WeeklyViewsChart } from "./weekly-views-chart";

interface ListingCardProps {
  listing: DashboardListing;
  /** The Monday of the running week. */
  week: string;
  /** Where a listing's public page is, with `{id}` in place of its id. */
  previewPattern: string | null;
}

const MANAGED: StatusBadge = { label: "You manage this for its owner", tone: "plain" };

/** One listing on the dashboard of its owner, or of who manages it: its state in words, what it needs, its numbers, and what can be done. */
export function ListingCard({ listing, week, previewPattern }: ListingCardProps) {
  const {
    id,
    name,
    city,
    state,
    status,
    premium,
    premium2,
    type,
    weekly_views: weeklyViews,
  } = listing;
  const headingId = `listing-${id}`;
  const managed = type === "managed";
  const preview = previewAddress(previewPattern, listing);
  return (
    <Card as="li" featured={premium2} labelledBy={headingId}>
      <CardHead
        title={name}
        id={headingId}
        subtitle={[city, state].filter(Boolean).join(", ") || "No address yet"}
        badges={[...statusBadges({ status, premium }), ...(managed ? [MANAGED] : [])].map(
          ({ label, tone }) => (
            <Badge key={label} tone={tone}>
              {label}
            </Badge>
          ),
        )}
      />
      {listing.needs.map(({ tone, title, text }) => (
        <Callout key={text} tone={tone} title={title}>
          {text}
        </Callout>
      ))}
      {type === "unclaimed" ? (
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
        {type === "owned" && premium2 ? <ManageBillingButton listing={listing} asLink /> : null}
        {type !== "unclaimed" && visibilityChoices(listing, managed).length > 0 ? (
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
