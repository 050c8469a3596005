import { DataTable } from "~/components/ui/data-table";

import { LISTING_FIELDS, LISTING_FIELD_NAMES, valueInWords, type ListingField } from "./fields";

interface NewerVersionProps {
  /** The listing as it is saved now. */
  saved: Record<ListingField, string | string[]>;
  /** The form as it was typed. */
  typed: Record<string, unknown>;
  categories: { id: number; name: string }[];
  /** The id of the editor's form, which the choices are sent with. */
  form: string;
}

/** The name of the control that says whose value of a field is to be saved. */
export const choiceName = (field: ListingField) => `choose_${field}` as const;

/** Every field in which a form and a newer save differ, both values, and which of them is to be saved. */
export function NewerVersion({ saved, typed, categories, form }: NewerVersionProps) {
  const words = (field: ListingField, value: unknown) =>
    (field === "category" && categories.find(({ id }) => String(id) === value)?.name) || valueInWords(value);
  const rows = LISTING_FIELD_NAMES.map((field) => ({
    field,
    theirs: words(field, saved[field]),
    yours: words(field, typed[field]),
  })).filter(({ theirs, yours }) => theirs !== yours);
  if (rows.length === 0) return null;

  const choice = (field: ListingField, whose: "mine" | "saved", value: string, chosen: boolean) => (
    <label className="version-choice">
      <input type="radio" className="radio" form={form} name={choiceName(field)} value={whose} defaultChecked={chosen} />
      <span>{value}</span>
    </label>
  );
  return (
    <DataTable
      caption="Where the two versions differ"
      rows={rows}
      rowKey={({ field }) => field}
      columns={[
        { key: "field", header: "Field", rowHeader: true, cell: ({ field }) => LISTING_FIELDS[field].label },
        { key: "theirs", header: "Saved now", cell: ({ field, theirs }) => choice(field, "saved", theirs, false) },
        { key: "yours", header: "In your form", cell: ({ field, yours }) => choice(field, "mine", yours, true) },
      ]}
    />
  );
}
