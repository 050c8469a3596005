import { DataTable } from "~/components/ui/data-table";
import { versionFieldName } from "~/http/version-conflict";

interface VersionConflictProps<Name extends string> {
  fields: readonly { name: Name; label: string }[];
  /** The values as they are saved now, as the form would hold them. */
  saved: Readonly<Record<Name, unknown>>;
  /** The form as it was typed. */
  typed: Readonly<Record<string, unknown>>;
  /** A field's value for reading. */
  words: (name: Name, value: unknown) => string;
  /** The id of the editor's form, which the choices are sent with. */
  form: string;
}

/** Every field in which a form and a newer save differ, both values, and which of them is to be saved. */
export function VersionConflict<Name extends string>({
  fields,
  saved,
  typed,
  words,
  form,
}: VersionConflictProps<Name>) {
  const rows = fields
    .map(({ name, label }) => ({
      name,
      label,
      theirs: words(name, saved[name]),
      yours: words(name, typed[name]),
    }))
    .filter(({ theirs, yours }) => theirs !== yours);
  if (rows.length === 0) return null;

  const choice = (name: Name, whose: "mine" | "saved", value: string, chosen: boolean) => (
    <label className="version-choice">
      <input
        type="radio"
        className="radio"
        form={form}
        name={versionFieldName(name)}
        value={whose}
        defaultChecked={chosen}
      />
      <span>{value}</span>
    </label>
  );
  return (
    <DataTable
      caption="Where the two versions differ"
      rows={rows}
      rowKey={({ name }) => name}
      columns={[
        { key: "field", header: "Field", rowHeader: true, cell: ({ label }) => label },
        {
          key: "theirs",
          header: "Saved now",
          cell: ({ name, theirs }) => choice(name, "saved", theirs, false),
        },
        {
          key: "yours",
          header: "In your form",
          cell: ({ name, yours }) => choice(name, "mine", yours, true),
        },
      ]}
    />
  );
}
