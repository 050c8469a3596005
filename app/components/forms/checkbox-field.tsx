import { FieldErrors, FieldHint, getAriaProps } from "~/components/forms/field-frame";
import type { FieldProps } from "~/components/forms/field-frame";

interface CheckboxFieldProps extends Omit<FieldProps, "optional"> {
  /** Told of each change, where script runs. */
  onChange?: (ticked: boolean) => void;
}

/** One tick box, sent as "on". It is unticked unless the person, or a saved value of "on", has ticked it. */
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
