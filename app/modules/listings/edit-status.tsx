import { Callout } from "~/components/ui/callout";
import { DataTable } from "~/components/ui/data-table";

import { getColumnLabel } from "./fields";

/** Formats a column's value for reading. */
type FormatColumn = (column: string, value: unknown) => string;
type Columns = Readonly<Record<string, unknown>>;

/** The entries of an edit that people read: coordinates follow from the address beside them. */
const toReadableEntries = (edit: Columns) =>
  Object.entries(edit).filter(
    ([column]) => !["lat", "long", "address_approximate"].includes(column),
  );

interface PendingEditProps {
  /** The approved values of the columns that were changed. */
  live: Columns;
  /** Their new values, waiting for review. */
  waiting: Columns;
  format: FormatColumn;
}

/** An edit that waits for review, next to what the public sees now. */
export function PendingEdit({ live, waiting, format }: PendingEditProps) {
  const rows = toReadableEntries(live);
  if (rows.length === 0) return null;
  return (
    <DataTable
      caption="Your changes are waiting for review. Until they’re approved, people see the last approved version."
      rows={rows}
      rowKey={([column]) => column}
      columns={[
        {
          key: "field",
          header: "Field",
          rowHeader: true,
          cell: ([column]) => getColumnLabel(column),
        },
        { key: "live", header: "Live", cell: ([column, value]) => format(column, value) },
        {
          key: "waiting",
          header: "Waiting for review",
          cell: ([column]) => format(column, waiting[column]),
        },
      ]}
    />
  );
}

interface RejectedEditProps {
  /** The team's reason; null if it gave none. */
  reason: string | null;
  /** The rejected values, by column. */
  edit: Columns;
  format: FormatColumn;
}

/** An edit that was rejected, with its values, so that its author can use them again. */
export function RejectedEdit({ reason, edit, format }: RejectedEditProps) {
  return (
    <Callout tone="waiting" title="Your changes weren’t approved">
      <p className="whitespace-pre-wrap" dir="auto">
        {reason ?? "The last approved version is still live."}
      </p>
      <details className="mt-2">
        <summary>Your changes</summary>
        <dl className="details-list">
          {toReadableEntries(edit).map(([column, value]) => (
            <div key={column}>
              <dt>{getColumnLabel(column)}</dt>
              <dd className="whitespace-pre-wrap" dir="auto">
                {format(column, value)}
              </dd>
            </div>
          ))}
        </dl>
      </details>
    </Callout>
  );
}
