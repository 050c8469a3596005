import { Form } from "react-router-dom";

import { SubmitButton } from "~/components/forms/submit-button";
import { paths } from "~/http/paths";

import type { JobsFilterValues } from "./jobs-page.server";
import { JOB_STATE_LABELS, JOB_STATES } from "./rules";

/** Filters the list of all jobs. The filter is in the URL, so that it can be saved and shared. */
export function JobsFilter({ filter: { search, state } }: { filter: JobsFilterValues }) {
  return (
    <Form
      role="search"
      aria-label="Filter jobs"
      action={paths.adminJobs()}
      className="filters screen-only"
      key={`${state} ${search}`}
    >
      <div>
        <label htmlFor="search">Job title or company</label>
        <input
          id="search"
          type="search"
          name="search"
          className="input"
          defaultValue={search}
          maxLength={200}
          dir="auto"
          autoComplete="off"
        />
      </div>
      <div>
        <label htmlFor="state">Status</label>
        <select id="state" name="state" className="select" defaultValue={state ?? ""}>
          <option value="">All</option>
          {JOB_STATES.map((option) => (
            <option key={option} value={option}>
              {JOB_STATE_LABELS[option]}
            </option>
          ))}
          <option value="filled">Filled</option>
        </select>
      </div>
      <SubmitButton variant="quiet" busyText="Filtering">
        Show
      </SubmitButton>
    </Form>
  );
}
