import { FieldErrors, FieldHint, getAriaProps, MarkedLabel } from "~/components/forms/field-frame";
import type { FieldProps } from "~/components/forms/field-frame";

/** A single checkbox, sent as "on". It is checked when its value is "on". */
export function CheckboxField({ field, label, hint }: Omit<FieldProps, "optional">) {
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
          {...getAriaProps(field, hint)}
          className="checkbox"
        />{" "}
        <MarkedLabel field={field}>{label}</MarkedLabel>
        {hint === undefined ? null : (
          <div className="below">
            <FieldHint field={field} hint={hint} />
          </div>
        )}
      </div>
    </div>
  );
}
