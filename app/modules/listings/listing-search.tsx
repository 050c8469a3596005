import { Form, Link } from "@remix-run/react";

import { SubmitButton } from "~/components/forms/submit-button";
import { paths } from "~/http/paths";

interface ListingSearchProps {
  search: string;
  /** Whether only those are asked for that need their owner. */
  needing: boolean;
  all: number;
  total: number;
  /** How many of all need their owner. */
  waiting: number;
  /** Whether there are so many that a search helps. */
  searchable: boolean;
}

const listings = (count: number) =>
  `${count.toLocaleString("en-US")} ${count === 1 ? "listing" : "listings"}`;

/** What is shown of how many, in a sentence. */
function shown({ search, needing, all, total }: ListingSearchProps): string {
  if (!search && !needing) return listings(all);
  const found = `${listings(total)} of ${all.toLocaleString("en-US")}`;
  if (!search) return `${found} ${total === 1 ? "needs" : "need"} you.`;
  return `${found} found for “${search}”${needing ? " among those that need you" : ""}.`;
}

/**
 * Above a long dashboard: the search, and the way to the listings that need their owner. Both ask by address, so that
 * what they find can be kept and shared.
 */
export function ListingSearch(props: ListingSearchProps) {
  const { search, needing, waiting, searchable } = props;
  const needs = needing ? "you" : undefined;
  return (
    <div className="listing-search">
      {searchable ? (
        <Form role="search" action={paths.listings()}>
          <label htmlFor="search">Search your listings by name, city or state</label>
          <div className="row">
            {needs ? <input type="hidden" name="needs" value={needs} /> : null}
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
        {shown(props)} {search || needing ? <Link to={paths.listings()}>Show all</Link> : null}
        {!needing && waiting > 0 ? (
          <>
            {" "}
            <Link to={paths.listingsPage({ needs: "you", search })}>
              Needs you: {waiting.toLocaleString("en-US")}
            </Link>
          </>
        ) : null}
      </p>
    </div>
  );
}
