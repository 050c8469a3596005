import { DataTable } from "~/components/ui/data-table";
import { versionFieldName } from "~/http/version-conflict";

interface VersionConflictProps<Name extends string> {
  fields: readonly { name: Name; label: string }[];
  /** The current values, as the form would have them. */
  saved: Readonly<Record<Name, unknown>>;
  /** The submitted values. */
  submitted: Readonly<Record<string, unknown>>;
  /** Formats a value of a field. */
  formatValue: (name: Name, value: unknown) => string;
  /** The id of the editor's form, with which the selection is sent. */
  form: string;
}

/**
 * The fields in which a form differs from a newer save, with both values, to select which one to
 * save.
 */
export function VersionConflict<Name extends string>({
  fields,
  saved,
  submitted,
  formatValue,
  form,
}: VersionConflictProps<Name>) {
  const rows = fields
    .map(({ name, label }) => ({
      name,
      label,
      theirs: formatValue(name, saved[name]),
      yours: formatValue(name, submitted[name]),
    }))
    .filter(({ theirs, yours }) => theirs !== yours);
  if (rows.length === 0) return null;

  const radio = (name: Name, whose: "mine" | "saved", value: string, checked: boolean) => (
    <label className="version-choice">
      <input
        type="radio"
        className="radio"
        form={form}
        name={versionFieldName(name)}
        value={whose}
        defaultChecked={checked}
      />
      <span>{value}</span>
    </label>
  );
  return (
    <DataTable
      caption="Differences between the two versions"
      rows={rows}
      rowKey={({ name }) => name}
      columns={[
        { key: "field", header: "Field", rowHeader: true, cell: ({ label }) => label },
        {
          key: "theirs",
          header: "Saved version",
          cell: ({ name, theirs }) => radio(name, "saved", theirs, false),
        },
        {
          key: "yours",
          header: "Your version",
          cell: ({ name, yours }) => radio(name, "mine", yours, true),
        },
      ]}
    />
  );
}
