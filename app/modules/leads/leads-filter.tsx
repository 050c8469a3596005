import { Form } from "react-router-dom";

import { SubmitButton } from "~/components/forms/submit-button";
import { paths } from "~/http/paths";
import { isolate } from "~/text/isolate";

import type { LeadsFilter as Filter, LeadsPage } from "./leads.server";
import { getLeadBadge, LEAD_STATES } from "./rules";

interface LeadsFilterProps {
  filter: Filter;
  listings: LeadsPage["listings"];
}

/** The filter of the leads. It is in the URL, so that a result can be bookmarked. */
export function LeadsFilter({ filter, listings }: LeadsFilterProps) {
  return (
    <Form
      role="search"
      aria-label="Filter leads"
      action={paths.leads()}
      className="filters screen-only"
      key={JSON.stringify(filter)}
    >
      <div>
        <label htmlFor="listing">Listing</label>
        <select id="listing" name="listing" className="select" defaultValue={filter.listing ?? ""}>
          <option value="">All listings</option>
          {listings.map(({ id, name, leads }) => (
            <option key={id} value={id}>
              {`${isolate(name)} (${leads})`}
            </option>
          ))}
        </select>
      </div>
      <div>
        <label htmlFor="state">Status</label>
        <select id="state" name="state" className="select" defaultValue={filter.state ?? ""}>
          <option value="">All</option>
          {LEAD_STATES.map((state) => (
            <option key={state} value={state}>
              {getLeadBadge(state).label}
            </option>
          ))}
        </select>
      </div>
      <SubmitButton variant="quiet" busyText="Filtering">
        Show
      </SubmitButton>
    </Form>
  );
}
