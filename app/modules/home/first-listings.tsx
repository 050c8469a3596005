import { Link } from "react-router-dom";

import { Badge } from "~/components/ui/badge";
import { ButtonLink } from "~/components/ui/button";
import { paths } from "~/http/paths";

import type { HomeListing } from "./home.server";

interface FirstListingsProps {
  rows: HomeListing[];
  /** How many the user has. */
  all: number;
}

function ListingLink({ row }: { row: HomeListing }) {
  if ("draft" in row)
    return (
      <li>
        <Link to={paths.newListing(row.draft)}>
          <bdi>{row.name || "Untitled listing"}</bdi>
        </Link>
        <p>
          Not submitted yet <Badge>Draft</Badge>
        </p>
      </li>
    );
  return (
    <li>
      <Link to={paths.listing(row.id)}>
        <bdi>{row.name}</bdi>
      </Link>
      <p>
        <bdi>{row.place}</bdi> <Badge tone={row.badge.tone}>{row.badge.label}</Badge>
      </p>
    </li>
  );
}

/** The user's first listings with their states; for someone who has none, where to add one. */
export function FirstListings({ rows, all }: FirstListingsProps) {
  return (
    <section aria-labelledby="yours">
      <div className="list-head">
        <h2 id="yours">Your listings</h2>{" "}
        {all > rows.length ? (
          <p>
            <Link to={paths.listings()}>See all {all}</Link>
          </p>
        ) : null}
      </div>
      {all === 0 ? (
        <div className="card">
          <p>Let’s get your organization on the map!</p>
          <ButtonLink to={paths.newListing()}>Add New Listing</ButtonLink>
        </div>
      ) : (
        <ul className="first-listings">
          {rows.map((row) => (
            <ListingLink key={"draft" in row ? row.draft : row.id} row={row} />
          ))}
        </ul>
      )}
    </section>
  );
}
