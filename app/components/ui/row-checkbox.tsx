interface RowCheckboxProps {
  name: string;
  value: string;
  /** Unique on the page: "Select Café X". */
  label: string;
  defaultChecked?: boolean;
  /** The id of its form, when the table is outside of it. */
  form?: string;
}

/** The checkbox that selects a row of a table, with a target that is large enough for a finger. */
export function RowCheckbox({ label, ...rest }: RowCheckboxProps) {
  return (
    <label className="row-check">
      <input {...rest} type="checkbox" className="checkbox" />{" "}
      <span className="sr-only">{label}</span>
    </label>
  );
}
