import { Form, Link } from "@remix-run/react";

import { SubmitButton } from "~/components/forms/submit-button";
import { paths } from "~/http/paths";
import { formatCount, formatNumber } from "~/text/counts";

interface ListingSearchProps {
  search: string;
  /** Only listings that need their owner's attention are shown. */
  attention: boolean;
  all: number;
  total: number;
  /** How many of all listings need attention. */
  waiting: number;
  /** Whether there are enough listings for a search box. */
  searchable: boolean;
}

/** How many listings are shown, and of how many. */
function formatTotal({ search, attention, all, total }: ListingSearchProps): string {
  if (!search && !attention) return formatCount(all, "listing");
  const found = `${formatCount(total, "listing")} of ${formatNumber(all)}`;
  if (!search) return `${found} ${total === 1 ? "needs" : "need"} you.`;
  return `${found} found for “${search}”${attention ? " among those that need you" : ""}.`;
}

/**
 * Above a long dashboard: a search box, and a link to the listings that need attention. Both are in
 * the URL, so that a result can be bookmarked and shared.
 */
export function ListingSearch(props: ListingSearchProps) {
  const { search, attention, waiting, searchable } = props;
  return (
    <div className="listing-search">
      {searchable ? (
        <Form role="search" action={paths.listings()}>
          <label htmlFor="search">Search your listings by name, city or state</label>
          <div className="row">
            {attention ? <input type="hidden" name="needs" value="you" /> : null}
            <input
              key={search}
              id="search"
              className="input"
              type="search"
              name="search"
              defaultValue={search}
              maxLength={200}
              autoComplete="off"
            />
            <SubmitButton variant="quiet" busyText="Searching">
              Search
            </SubmitButton>
          </div>
        </Form>
      ) : null}
      <p>
        {formatTotal(props)}{" "}
        {search || attention ? <Link to={paths.listings()}>Show all</Link> : null}
        {!attention && waiting > 0 ? (
          <>
            {" "}
            <Link to={paths.listingsPage({ needs: "you", search })}>
              Needs you: {formatNumber(waiting)}
            </Link>
          </>
        ) : null}
      </p>
    </div>
  );
}
