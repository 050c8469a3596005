import { Icon } from "~/components/ui/icon";
import { TextLink } from "~/components/ui/text-link";
import { paths } from "~/http/paths";

import type { DashboardQuery } from "./dashboard-query";
import { getPreviewUrl } from "./dashboard-rules";
import type { DashboardListing } from "./dashboard.server";
import { VisibilitySection } from "./visibility-section";

/** What the listings of a dashboard share. */
export interface DashboardContext {
  /** The dashboard's own query, to which the actions of a listing return. */
  query: DashboardQuery;
  /** The URL of a listing's public page, with `{id}` in place of its id. */
  previewPattern: string | null;
  /** The Monday of the current week. */
  week: string;
}

/**
 * The rest of what can be read about a listing and done with it. The panel follows the `<details>`
 * that opens it, so that it can be as wide as the row (see listings.css); it needs no script.
 */
export function ListingMore({
  listing,
  context: { query, previewPattern },
  inRow = "",
}: {
  listing: DashboardListing;
  context: DashboardContext;
  /** What the row says, which isn't repeated below it. */
  inRow?: string;
}) {
  const { id, name, role, notes } = listing;
  const preview = getPreviewUrl(previewPattern, { id, onMap: listing.onMap === true });
  if (role === "claimant" && !preview) return null;
  return (
    <>
      <details className="more" name="more" data-menu>
        <summary aria-label={`More: ${name}`}>
          <span>More</span>
          <Icon name="chevron-down" />
        </summary>
      </details>
      <div className="more-panel">
        {notes?.map(({ title, text }) => {
          const rest = inRow.includes(text) ? "" : text;
          return rest || !inRow.includes(title) ? (
            <p key={title + text}>
              {title ? <b>{`${title}. `}</b> : null}
              <bdi>{rest}</bdi>
            </p>
          ) : null;
        })}
        <div className="quiet-actions">
          {preview ? (
            <>
              <TextLink href={preview} about={name}>
                Preview listing
              </TextLink>{" "}
            </>
          ) : null}
          {role === undefined ? (
            <>
              <TextLink to={paths.listingManagers(id)} about={name}>
                Managers
              </TextLink>{" "}
            </>
          ) : null}
          {listing.hasPlan ? (
            <>
              <TextLink to={paths.billing(id)} about={name}>
                Plan and payments
              </TextLink>{" "}
            </>
          ) : null}
          {role === "claimant" ? null : (
            <VisibilitySection
              listing={{ status: "published", hidden: false, archive_requested: false, ...listing }}
              managed={role === "manager"}
              from={query}
            />
          )}
          {role === "manager" ? (
            <TextLink to={paths.leaveListing(id)} about={name}>
              Stop managing it
            </TextLink>
          ) : null}
        </div>
      </div>
    </>
  );
}
