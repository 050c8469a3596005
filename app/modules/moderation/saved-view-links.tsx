import { Link } from "@remix-run/react";

import { FIXED_VIEWS, listingsTable, type NamedFilter } from "./listings-filter";

interface SavedViewLinksProps {
  views: readonly NamedFilter[];
  /** The address of what is shown now. */
  here: string;
}

/** The filters that have a name: those that are there from the start, then one's own. */
export function SavedViewLinks({ views, here }: SavedViewLinksProps) {
  const links = [...FIXED_VIEWS, ...views].map(({ name, filter }) => ({
    name,
    address: listingsTable(filter),
  }));
  return (
    <nav aria-label="Saved views">
      <p className="links">
        {links.map(({ name, address }, index) => (
          <Link
            key={`${index} ${name}`}
            to={address}
            discover="none"
            aria-current={address === here ? "page" : undefined}
          >
            {name}
          </Link>
        ))}
      </p>
    </nav>
  );
}
