import { Link } from "react-router-dom";

import { PostForm } from "~/components/forms/form";
import { SubmitButton } from "~/components/forms/submit-button";
import { Badge } from "~/components/ui/badge";
import { ButtonLink } from "~/components/ui/button";
import { TimestampText } from "~/components/ui/date-text";
import { DataTable, type Column } from "~/components/ui/data-table";
import { TextLink } from "~/components/ui/text-link";
import { paths } from "~/http/paths";
import { PaymentTerms } from "~/modules/billing/payment-terms";
import type { PaymentTerms as Terms } from "~/modules/billing/payment-terms.server";

import type { JobRow } from "./jobs-page.server";
import { JOB_ACTION_LABELS } from "./rules";

interface JobsTableProps {
  caption: string;
  jobs: readonly JobRow[];
  /** Of a payment, for owners. */
  terms?: Terms;
  /** Whether to show the owner of each job, for admins. */
  withOwner?: boolean;
}

/** The most likely action. Renewing is explained on its page before it is paid for. */
function FirstAction({ id, about, actions: [action] }: JobRow) {
  if (action === undefined) return <span />;
  const label = JOB_ACTION_LABELS[action];
  return action === "renew" ? (
    <ButtonLink variant="quiet" to={paths.jobStatus(id)} aria-label={`${label}: ${about}`}>
      {label}
    </ButtonLink>
  ) : (
    <SubmitButton
      variant="quiet"
      formAction={paths.jobStatus(id)}
      name="intent"
      value={action}
      about={about}
    >
      {label}
    </SubmitButton>
  );
}

/** @param unpaid what to show in place of the date of a job that isn’t paid for */
const getColumns = (unpaid: string): Column<JobRow>[] => [
  { key: "title", header: "Job Title", rowHeader: true, cell: ({ title }) => title },
  {
    key: "status",
    header: "Status",
    cell: ({ badges, note }) => (
      <>
        <span className="badges">
          {badges.map(({ label, tone }) => (
            <Badge key={label} tone={tone}>
              {label}
            </Badge>
          ))}
        </span>
        {note ? <p className="hint">{note}</p> : null}
      </>
    ),
  },
  {
    key: "expires",
    header: "Expiration Date",
    cell: ({ expires, awaited }) =>
      expires ? <TimestampText at={expires} /> : awaited ? "Not live yet" : unpaid,
  },
  {
    key: "actions",
    header: "Actions",
    kind: "screen-only",
    cell: (job) => (
      <span className="buttons job-actions">
        <FirstAction {...job} />{" "}
        <TextLink to={paths.job(job.id)} about={job.about}>
          Edit
        </TextLink>{" "}
        <TextLink to={paths.jobStatus(job.id)} about={job.about}>
          More
        </TextLink>
      </span>
    ),
  },
];

const ownerColumn: Column<JobRow> = {
  key: "owner",
  header: "Owner",
  kind: "long",
  cell: ({ owner }) => {
    if (owner === null) return "No owner";
    if ("id" in owner)
      return (
        <Link to={paths.adminUser(owner.id)}>
          <bdi>{owner.name ?? "No name given"}</bdi>
        </Link>
      );
    const [masked, end] = owner.email.split(/(?=\.[^.]*$)/);
    return (
      <bdi>
        {masked}
        <wbr />
        {end} <span className="nowrap">(No user account)</span>
      </bdi>
    );
  },
};

/** Jobs with their state and actions. All buttons are in one form: each has its own target. */
export function JobsTable({ caption, jobs, terms, withOwner = false }: JobsTableProps) {
  const columns = getColumns(withOwner ? "Not paid yet" : "Starts when you pay");
  const shown = withOwner ? [...columns.slice(0, -1), ownerColumn, ...columns.slice(-1)] : columns;
  return (
    <PostForm>
      <DataTable
        className="jobs"
        caption={caption}
        columns={shown}
        rows={jobs}
        rowKey={({ id }) => id}
      />
      {terms && jobs.some(({ actions: [first] }) => first === "pay") ? (
        <PaymentTerms terms={terms} />
      ) : null}
    </PostForm>
  );
}
