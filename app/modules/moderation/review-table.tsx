import { PostForm } from "~/components/forms/form";
import { SubmitButton } from "~/components/forms/submit-button";
import { DataTable, type Column } from "~/components/ui/data-table";
import { EmptyState } from "~/components/ui/empty-state";
import { RowCheckbox } from "~/components/ui/row-checkbox";
import { TextLink } from "~/components/ui/text-link";
import { paths } from "~/http/paths";

import { ChangedFields } from "./changed-fields";
import type { WaitingListing } from "./review-queue.server";

interface ReviewTableProps {
  caption: string;
  rows: WaitingListing[];
  total: number;
  /** What was chosen in a form that came back, as its boxes' values. */
  chosen: unknown[];
}

const dayOf = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeZone: "UTC" });

const boxOf = ({ id, version }: WaitingListing) => `${id}:${version}`;

const chooseColumn = (chosen: unknown[]): Column<WaitingListing> => ({
  key: "choose",
  header: "Choose",
  hideHeader: true,
  cell: (listing) => (
    <RowCheckbox
      name="listing"
      value={boxOf(listing)}
      label={`Choose ${listing.name} (${listing.id})`}
      defaultChecked={chosen.includes(boxOf(listing))}
    />
  ),
});

const columns: Column<WaitingListing>[] = [
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
export function ReviewTable({ caption, rows, total, chosen }: ReviewTableProps) {
  if (rows.length === 0) {
    return (
      <EmptyState title="Nothing is waiting" illustration="clear-desk">
        Every listing here has been looked at.
      </EmptyState>
    );
  }
  const edits = rows.some(({ changes }) => changes.length > 0);
  const shown = [chooseColumn(chosen), ...columns, ...(edits ? [changesColumn] : [])];
  return (
    <PostForm intent="approve">
      <DataTable caption={caption} columns={shown} rows={rows} rowKey={({ id }) => id} />
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
