import { DataTable } from "~/components/ui/data-table";

import { labelOfColumn, valueInWords } from "./fields";

interface WaitingEditProps {
  /** The approved values of what was changed, by column. */
  live: Record<string, unknown>;
  waiting: Readonly<Record<string, unknown>>;
}

/** What the public sees now, beside what waits for review. */
export function WaitingEdit({ live, waiting }: WaitingEditProps) {
  const rows = Object.entries(live).filter(([column]) => !["lat", "long", "address_approximate"].includes(column));
  if (rows.length === 0) return null;
  return (
    <DataTable
      caption="Your edit waits for review. Until then the public sees what was approved."
      rows={rows}
      rowKey={([column]) => column}
      columns={[
        { key: "field", header: "Field", rowHeader: true, cell: ([column]) => labelOfColumn(column) },
        { key: "live", header: "Live", cell: ([, value]) => valueInWords(value) },
        { key: "waiting", header: "Waiting for review", cell: ([column]) => valueInWords(waiting[column]) },
      ]}
    />
  );
}
