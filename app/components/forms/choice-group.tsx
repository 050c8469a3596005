import type { ReactNode } from "react";

import {
  FieldErrors,
  FieldHint,
  OptionalMark,
  getDescribedBy,
} from "~/components/forms/field-frame";
import type { FieldProps } from "~/components/forms/field-frame";

export interface ChoiceOption {
  value: string;
  label: ReactNode;
  hint?: ReactNode;
}

export interface ChoiceGroupProps extends Omit<FieldProps, "label"> {
  legend: ReactNode;
  options: readonly ChoiceOption[];
  /** Two columns where there is room. */
  wide?: boolean;
}

/**
 * The options of one field under its legend, for CheckboxGroup and RadioGroup. The first option has
 * the field's own id, so that the link in the error summary leads to it.
 */
export function ChoiceGroup({
  type,
  field,
  legend,
  hint,
  optional,
  options,
  wide = false,
}: ChoiceGroupProps & { type: "checkbox" | "radio" }) {
  const selected = Array.isArray(field.value) ? field.value : [field.value];
  return (
    <fieldset className="choice-group" aria-describedby={getDescribedBy(field, hint)}>
      <legend>
        {legend}
        <OptionalMark when={optional} />
      </legend>
      <FieldHint field={field} hint={hint} />
      <FieldErrors field={field} />
      <div className={wide ? "choices choices-wide" : "choices"}>
        {options.map((option, index) => {
          const id = index === 0 ? field.id : `${field.id}-${index}`;
          const hintId = option.hint === undefined ? undefined : `${id}-hint`;
          return (
            <div key={option.value} className="choice">
              <input
                type={type}
                id={id}
                name={field.name}
                value={option.value}
                defaultChecked={selected.includes(option.value)}
                className={type}
                aria-describedby={hintId}
                aria-invalid={field.errors === undefined ? undefined : true}
              />{" "}
              <label htmlFor={id}>{option.label}</label>
              {hintId === undefined ? null : (
                <p id={hintId} className="hint below">
                  {option.hint}
                </p>
              )}
            </div>
          );
        })}
      </div>
    </fieldset>
  );
}
