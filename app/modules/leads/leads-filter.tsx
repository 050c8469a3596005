import { Form } from "@remix-run/react";

import { SubmitButton } from "~/components/forms/submit-button";
import { paths } from "~/http/paths";

import type { LeadsPage, LeadsQuery } from "./leads.server";
import { LEAD_STATES, leadBadge } from "./rules";

interface LeadsFilterProps {
  query: Pick<LeadsQuery, "listing" | "state">;
  listings: LeadsPage["listings"];
}

/** Which leads are shown. It asks by address, so that a choice can be kept. */
export function LeadsFilter({ query, listings }: LeadsFilterProps) {
  return (
    <Form
      role="search"
      aria-label="Filter leads"
      action={paths.leads()}
      className="filters"
      key={JSON.stringify(query)}
    >
      <div>
        <label htmlFor="listing">Listing</label>
        <select id="listing" name="listing" className="select" defaultValue={query.listing ?? ""}>
          <option value="">All listings</option>
          {listings.map(({ id, name, leads }) => (
            <option key={id} value={id}>
              {`${name} (${leads})`}
            </option>
          ))}
        </select>
      </div>
      <div>
        <label htmlFor="state">State</label>
        <select id="state" name="state" className="select" defaultValue={query.state ?? ""}>
          <option value="">All</option>
          {LEAD_STATES.map((state) => (
            <option key={state} value={state}>
              {leadBadge(state).label}
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
