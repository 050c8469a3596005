import { FilterField, FilterForm, FilterSelect } from "~/components/forms/filter-form";
import { paths } from "~/http/paths";
import { formatCount } from "~/text/counts";

import type { JobsFilterValues } from "./jobs-page.server";
import { JOB_STATE_LABELS, JOB_STATES } from "./rules";

interface JobsFilterProps {
  filter: JobsFilterValues;
  /** How many jobs it has found. */
  total: number;
}

/** Filters the list of all jobs. */
export function JobsFilter({ filter: { search, state }, total }: JobsFilterProps) {
  return (
    <FilterForm
      action={paths.adminJobs()}
      label="Filter jobs"
      submitLabel="Show"
      found={`${formatCount(total, "job")} found`}
      showAll={search || state ? paths.adminJobs() : undefined}
    >
      <FilterField name="search" label="Job title or company" value={search} />
      <FilterSelect
        name="state"
        label="Status"
        value={state ?? ""}
        options={[
          { value: "", label: "All" },
          ...JOB_STATES.map((value) => ({ value, label: JOB_STATE_LABELS[value] })),
          { value: "filled", label: "Filled" },
        ]}
      />
    </FilterForm>
  );
}
