import { DataTable } from "~/components/ui/data-table";

import { labelOfColumn } from "./fields";

interface WaitingEditProps {
  /** The approved values of what was changed, by column. */
  live: Record<string, unknown>;
  waiting: Readonly<Record<string, unknown>>;
  /** A column's value for reading. */
  words: (column: string, value: unknown) => string;
}

/** What the public sees now, beside what waits for review. */
export function WaitingEdit({ live, waiting, words }: WaitingEditProps) {
  const rows = Object.entries(live).filter(
    ([column]) => !["lat", "long", "address_approximate"].includes(column),
  );
  if (rows.length === 0) return null;
  return (
    <DataTable
      caption="An edit waits for review. Until then the public sees what was approved."
      rows={rows}
      rowKey={([column]) => column}
      columns={[
        {
          key: "field",
          header: "Field",
          rowHeader: true,
          cell: ([column]) => labelOfColumn(column),
        },
        { key: "live", header: "Live", cell: ([column, value]) => words(column, value) },
        {
          key: "waiting",
          header: "Waiting for review",
          cell: ([column]) => words(column, waiting[column]),
        },
      ]}
    />
  );
}
