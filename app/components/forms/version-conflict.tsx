import { DataTable } from "~/components/ui/data-table";
import { versionFieldName, type VersionDifference } from "~/http/version-conflict";

interface VersionConflictProps {
  rows: readonly VersionDifference[];
  /** The id of the editor's form, with which the selection is sent. */
  form: string;
}

/**
 * The fields in which a form differs from a newer save, with both values, to select which one to
 * save.
 */
export default function VersionConflict({ rows, form }: VersionConflictProps) {
  if (rows.length === 0) return null;

  const radio = (name: string, whose: "mine" | "saved", value: string, checked: boolean) => (
    <label className="version-choice">
      <input
        type="radio"
        className="radio"
        form={form}
        name={versionFieldName(name)}
        value={whose}
        defaultChecked={checked}
      />{" "}
      <bdi>{value}</bdi>
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
          kind: "sentences",
          cell: ({ name, theirs }) => radio(name, "saved", theirs, false),
        },
        {
          key: "yours",
          header: "Your version",
          kind: "sentences",
          cell: ({ name, yours }) => radio(name, "mine", yours, true),
        },
      ]}
    />
  );
}
