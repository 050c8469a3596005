import { FieldErrors, FieldHint, getAriaProps } from "~/components/forms/field-frame";
import type { FieldProps } from "~/components/forms/field-frame";

interface CheckboxFieldProps extends Omit<FieldProps, "optional"> {
  /** Called on each change, where script runs. */
  onChange?: (ticked: boolean) => void;
}

/** A single checkbox, sent as "on". It is checked when its value is "on". */
export function CheckboxField({ field, label, hint, onChange }: CheckboxFieldProps) {
  return (
    <div className="field">
      <FieldErrors field={field} />
      <div className="choice">
        <input
          type="checkbox"
          id={field.id}
          name={field.name}
          value="on"
          defaultChecked={field.value === "on"}
          required={field.required}
          onChange={onChange && ((event) => onChange(event.target.checked))}
          {...getAriaProps(field, hint)}
          className="checkbox"
        />
        <label htmlFor={field.id}>{label}</label>
        {hint === undefined ? null : (
          <div className="below">
            <FieldHint field={field} hint={hint} />
          </div>
        )}
      </div>
    </div>
  );
}
