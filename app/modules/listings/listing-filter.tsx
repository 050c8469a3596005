import { Form, Link } from "react-router-dom";

import { SubmitButton } from "~/components/forms/submit-button";
import { Icon } from "~/components/ui/icon";
import { paths } from "~/http/paths";
import { formatCount, formatNumber } from "~/text/counts";

import { DASHBOARD_CHIPS, type DashboardChip } from "./dashboard-query";

const LABELS: Readonly<Record<DashboardChip, string>> = {
  attention: "Needs attention",
  drafts: "Drafts",
  featured: "Featured",
  review: "In review",
  hidden: "Hidden",
};

interface ListingFilterProps {
  search: string;
  show: DashboardChip | null;
  /** How many of those that the search finds each chip shows. */
  counts: Readonly<Record<DashboardChip | "all", number>>;
}

/**
 * Above a long dashboard: chips that are links, and a search box. Both are in the URL, so that a
 * result can be bookmarked, and the browser's Back leads to it.
 */
export function ListingFilter({ search, show, counts }: ListingFilterProps) {
  const chips = DASHBOARD_CHIPS.filter((chip) => counts[chip] > 0 || chip === show);
  return (
    <div className="listing-filter screen-only">
      <nav aria-label="Which listings">
        <ul className="chips">
          {[null, ...chips].map((chip) => (
            <li key={chip}>
              <Link
                to={paths.listingsPage({ show: chip ?? undefined, search })}
                preventScrollReset
                className="chip"
                aria-current={chip === show ? "true" : undefined}
              >
                {`${chip === null ? "All" : LABELS[chip]} `}
                <span>{formatNumber(counts[chip ?? "all"])}</span>
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      <Form role="search" action={paths.listings()} className="search-box">
        {show === null ? null : <input type="hidden" name="show" value={show} />}
        <label htmlFor="search" className="sr-only">
          Search name, city or state
        </label>
        <input
          // Choosing another chip clears what was typed and not sent, because that doesn't narrow
          // the list.
          key={`${show} ${search}`}
          id="search"
          className="input"
          type="search"
          name="search"
          placeholder="Search name, city or state"
          defaultValue={search}
          maxLength={200}
          dir="auto"
          autoComplete="off"
        />
        <SubmitButton variant="link">
          <Icon name="search" />
          <span className="sr-only">Search</span>
        </SubmitButton>
      </Form>
      <p role="status" className={search ? "found" : "sr-only"}>
        {search ? (
          <>
            {formatCount(counts[show ?? "all"], "listing")} found for “<bdi>{search}</bdi>”
            {show === null ? "" : ` in “${LABELS[show]}”`}.{" "}
            <Link to={paths.listingsPage({ show: show ?? undefined })}>Clear search</Link>
          </>
        ) : null}
      </p>
    </div>
  );
}
