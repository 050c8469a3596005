import { FieldErrors, FieldHint, ariaOf } from "~/components/forms/field-frame";
import type { FieldWords } from "~/components/forms/field-frame";

/** One tick box, sent as "on". It is unticked unless the person, or a saved value of "on", has ticked it. */
export function CheckboxField({ field, label, hint }: Omit<FieldWords, "optional">) {
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
          {...ariaOf(field, hint)}
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
