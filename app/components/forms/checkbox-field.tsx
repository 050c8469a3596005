import { useRef } from "react";

import { FieldErrors, FieldHint, getAriaProps, MarkedLabel } from "~/components/forms/field-frame";
import type { FieldProps } from "~/components/forms/field-frame";
import { useFromDocument } from "~/components/forms/use-from-document";

interface CheckboxFieldProps extends Omit<FieldProps, "optional"> {
  /** Called on each change, and with the first state, where script runs. */
  onChange?: (checked: boolean) => void;
}

/** A single checkbox, sent as "on". It is checked when its value is "on". */
export function CheckboxField({ field, label, hint, onChange }: CheckboxFieldProps) {
  const control = useRef<HTMLInputElement>(null);
  useFromDocument(control, ({ checked }) => onChange?.(checked));
  return (
    <div className="field">
      <FieldErrors field={field} />
      <div className="choice">
        <input
          ref={control}
          type="checkbox"
          id={field.id}
          name={field.name}
          value="on"
          defaultChecked={field.value === "on"}
          required={field.required}
          onChange={onChange && ((event) => onChange(event.target.checked))}
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
