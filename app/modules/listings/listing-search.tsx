import { Form, Link } from "@remix-run/react";

import { SubmitButton } from "~/components/forms/submit-button";
import { paths } from "~/http/paths";

interface ListingSearchProps {
  search: string;
  all: number;
  total: number;
}

const listings = (count: number) => `${count.toLocaleString("en-US")} ${count === 1 ? "listing" : "listings"}`;

/** The search box above a long dashboard. It asks by address, so that what it finds can be kept and shared. */
export function ListingSearch({ search, all, total }: ListingSearchProps) {
  return (
    <div className="listing-search">
      <Form role="search" action={paths.listings()}>
        <label htmlFor="search">Search your listings by name, city or state</label>
        <div className="row">
          <input key={search} id="search" className="input" type="search" name="search" defaultValue={search} maxLength={200} autoComplete="off" />
          <SubmitButton variant="quiet" busyText="Searching">
            Search
          </SubmitButton>
        </div>
      </Form>
      <p>
        {search ? `${listings(total)} of ${all.toLocaleString("en-US")} found for “${search}”. ` : listings(all)}
        {search ? <Link to={paths.listings()}>Show all</Link> : null}
      </p>
    </div>
  );
}
