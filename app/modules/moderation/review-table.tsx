import { PostForm } from "~/components/forms/form";
import { SubmitButton } from "~/components/forms/submit-button";
import { DataTable, type Column } from "~/components/ui/data-table";
import { EmptyState } from "~/components/ui/empty-state";
import { ClearDeskIllustration } from "~/components/ui/illustrations";
import { RowCheckbox } from "~/components/ui/row-checkbox";
import { TextLink } from "~/components/ui/text-link";
import { paths } from "~/http/paths";

import { ChangedFields } from "./changed-fields";
import type { WaitingListing } from "./review-queue.server";

interface ReviewTableProps {
  caption: string;
  rows: WaitingListing[];
  total: number;
}

const dayOf = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeZone: "UTC" });

const columns: Column<WaitingListing>[] = [
  {
    key: "choose",
    header: "Choose",
    hideHeader: true,
    cell: ({ id, version, name }) => <RowCheckbox name="listing" value={`${id}:${version}`} label={`Choose ${name} (${id})`} />,
  },
  {
    key: "name",
    header: "Name",
    rowHeader: true,
    cell: ({ id, name }) => <TextLink to={paths.listing(id)}>{name}</TextLink>,
  },
  { key: "category", header: "Category", cell: ({ category }) => category },
  { key: "place", header: "Place", cell: ({ place }) => place || "No address" },
  { key: "email", header: "Owner e-mail", cell: ({ hasOwnerEmail }) => (hasOwnerEmail ? "Yes" : "Missing") },
  {
    key: "since",
    header: "Waiting since (UTC)",
    cell: ({ since }) => <time dateTime={since}>{dayOf.format(new Date(since))}</time>,
  },
];

const changesColumn: Column<WaitingListing> = {
  key: "changes",
  header: "Changes",
  cell: ({ id, name, changes }) => <ChangedFields changes={changes} about={`${name} (${id})`} />,
};

/** The listings that wait for a decision, and the button that approves the chosen ones. */
export function ReviewTable({ caption, rows, total }: ReviewTableProps) {
  if (rows.length === 0) {
    return (
      <EmptyState title="Nothing is waiting" illustration={<ClearDeskIllustration />}>
        Every listing here has been looked at.
      </EmptyState>
    );
  }
  const edits = rows.some(({ changes }) => changes.length > 0);
  return (
    <PostForm intent="approve">
      <DataTable caption={caption} columns={edits ? [...columns, changesColumn] : columns} rows={rows} rowKey={({ id }) => id} />
      {total > rows.length ? (
        <p>
          These are the {rows.length} that have waited longest, of {total} in all.
        </p>
      ) : null}
      <div className="buttons">
        <SubmitButton>Approve chosen listings</SubmitButton>
      </div>
    </PostForm>
  );
}
