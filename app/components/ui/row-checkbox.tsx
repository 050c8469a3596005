interface RowCheckboxProps {
  name: string;
  value: string;
  /** Unique on the page: "Select Café X". */
  label: string;
  defaultChecked?: boolean;
  /** The id of the form it belongs to, when the table stands outside of it. */
  form?: string;
}

/** The tick box that chooses a row of a table, with room for a finger around it. */
export function RowCheckbox({ label, ...rest }: RowCheckboxProps) {
  return (
    <label className="row-check">
      <input {...rest} type="checkbox" className="checkbox" />
      <span className="sr-only">{label}</span>
    </label>
  );
}
