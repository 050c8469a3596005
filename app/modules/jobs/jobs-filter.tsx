import { Form } from "@remix-run/react";

import { SubmitButton } from "~/components/forms/submit-button";
import { paths } from "~/http/paths";

import type { JobsQuery } from "./jobs-page.server";
import { JOB_STATE_LABELS, JOB_STATES } from "./rules";

/** Which of everybody's jobs are shown. It asks by address, so that a choice can be kept and shared. */
export function JobsFilter({
  query: { search, state },
}: {
  query: Pick<JobsQuery, "search" | "state">;
}) {
  return (
    <Form
      role="search"
      aria-label="Filter jobs"
      action={paths.adminJobs()}
      className="filters"
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
          autoComplete="off"
        />
      </div>
      <div>
        <label htmlFor="state">Status</label>
        <select id="state" name="state" className="select" defaultValue={state ?? ""}>
          <option value="">All</option>
          {JOB_STATES.map((one) => (
            <option key={one} value={one}>
              {JOB_STATE_LABELS[one]}
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
