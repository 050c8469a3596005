import { DataTable } from "~/components/ui/data-table";

import { COLUMN_LABELS, EDITABLE_COLUMNS, valueInWords, type EditableColumn } from "./rules";

interface NewerVersionProps {
  /** The listing as it is saved now. */
  saved: Record<EditableColumn, string | string[]>;
  /** The form as it was typed. */
  typed: Record<string, unknown>;
  categories: { id: number; name: string }[];
}

/** Both versions of every field in which a form and a newer save differ. */
export function NewerVersion({ saved, typed, categories }: NewerVersionProps) {
  const words = (column: EditableColumn, value: unknown) =>
    (column === "category" && categories.find(({ id }) => String(id) === value)?.name) || valueInWords(value);
  const rows = EDITABLE_COLUMNS.map((column) => ({
    column,
    theirs: words(column, saved[column]),
    yours: words(column, typed[column]),
  })).filter(({ theirs, yours }) => theirs !== yours);
  return (
    <DataTable
      caption="Where the two versions differ"
      rows={rows}
      rowKey={({ column }) => column}
      columns={[
        { key: "field", header: "Field", rowHeader: true, cell: ({ column }) => COLUMN_LABELS[column] },
        { key: "theirs", header: "Saved now", cell: ({ theirs }) => theirs },
        { key: "yours", header: "In your form", cell: ({ yours }) => yours },
      ]}
    />
  );
}
