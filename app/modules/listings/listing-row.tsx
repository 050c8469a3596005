import { Link } from "react-router-dom";

import { Badge } from "~/components/ui/badge";
import { DateText } from "~/components/ui/date-text";
import { Icon } from "~/components/ui/icon";
import { TextLink } from "~/components/ui/text-link";
import { paths } from "~/http/paths";

import { toDashboardPath, toUrlQuery, type DashboardQuery } from "./dashboard-query";
import { getDraftName } from "./dashboard-rules";
import type { DashboardDraft, DashboardListing } from "./dashboard.server";
import { ListingBadge } from "./listing-badge";
import { ListingMore, type DashboardContext } from "./listing-more";

interface ListingRowProps {
  listing: DashboardListing;
  context: DashboardContext;
}

/**
 * A listing that is not Featured: what it is waiting for or, if that is nothing, what an upgrade
 * would show.
 */
export function ListingRow({ listing, context }: ListingRowProps) {
  const { id, name, place, badge, notes, role } = listing;
  const note = notes?.[0];
  const sentence = note?.sentence ?? note?.text;
  const form = paths.listing(id, toDashboardPath(context.query));
  return (
    <li className="listing-row">
      <div className="named">
        <h3 dir="auto">{name}</h3>
        <p dir="auto">{place}</p>
      </div>
      <ListingBadge badge={badge} />
      {sentence ? (
        <p className="note" dir="auto">
          {sentence}
        </p>
      ) : (
        <p className="note locked">
          <Icon name="lock" />
          <Link
            to={paths.upgrade(id)}
            aria-label={`Upgrade to see nearby users, views and favorites: ${name}`}
          >
            Upgrade to see<span> nearby users, views and favorites</span>
          </Link>
        </p>
      )}
      <div className="quiet-actions">
        {role === "claimant" ? (
          <TextLink to={form} about={name}>
            Claim it
          </TextLink>
        ) : (
          <Link to={form} aria-label={`Edit listing: ${name}`}>
            Edit<span>&nbsp;listing</span>
          </Link>
        )}
      </div>
      <ListingMore listing={listing} context={context} inRow={[badge, sentence].join(" ")} />
    </li>
  );
}

/** A new listing that was not submitted yet. */
export function DraftRow({ draft, query }: { draft: DashboardDraft; query: DashboardQuery }) {
  const name = getDraftName(draft);
  return (
    <li className="listing-row">
      <div className="named">
        <h3 dir="auto">{name}</h3>
      </div>
      <Badge>Draft</Badge>
      <p className="note">
        Saved on <DateText at={draft.updatedAt} />. Only you can see it.
      </p>
      <div className="quiet-actions">
        <TextLink to={paths.newListing(draft.draft)} about={name}>
          Finish
        </TextLink>
      </div>
      <div className="quiet-actions last">
        <TextLink to={paths.discardDraft(draft.draft, toUrlQuery(query))} about={name}>
          Discard
        </TextLink>
      </div>
    </li>
  );
}
