import { FilterForm, FilterSelect } from "~/components/forms/filter-form";
import { paths } from "~/http/paths";
import { formatCount } from "~/text/counts";
import { isolate } from "~/text/isolate";

import type { LeadsFilter as Filter, LeadsPage } from "./leads.server";
import { getLeadBadge, LEAD_STATES } from "./rules";

interface LeadsFilterProps {
  filter: Filter;
  listings: LeadsPage["listings"];
  /** How many leads it has found. */
  total: number;
}

/** The filter of the leads. */
export function LeadsFilter({ filter, listings, total }: LeadsFilterProps) {
  return (
    <FilterForm
      action={paths.leads()}
      label="Filter leads"
      submitLabel="Show"
      found={`${formatCount(total, "lead")} found`}
      showAll={filter.listing || filter.state ? paths.leads() : undefined}
    >
      <FilterSelect
        name="listing"
        label="Listing"
        value={String(filter.listing ?? "")}
        options={[
          { value: "", label: "All listings" },
          ...listings.map(({ id, name, leads }) => ({
            value: String(id),
            label: `${isolate(name)} (${leads})`,
          })),
        ]}
      />
      <FilterSelect
        name="state"
        label="Status"
        value={filter.state ?? ""}
        options={[
          { value: "", label: "All" },
          ...LEAD_STATES.map((value) => ({ value, label: getLeadBadge(value).label })),
        ]}
      />
    </FilterForm>
  );
}
