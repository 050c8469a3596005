import { useRef, type ReactNode } from "react";

import { FieldFrame, getAriaProps } from "~/components/forms/field-frame";
import type { FieldProps } from "~/components/forms/field-frame";
import { firstValue } from "~/components/forms/form-state";
import { useFromDocument } from "~/components/forms/use-from-document";

export interface SelectOption {
  value: string;
  label: string;
}

interface SelectFieldProps extends FieldProps {
  options: readonly SelectOption[];
  /** The first option, with an empty value. Leave it out when something is always selected. */
  placeholder?: string;
  autoComplete?: string;
  /** Called on each change, and with the first value, where script runs. */
  onChange?: (value: string) => void;
  /** What is in the same row, after the select. */
  beside?: ReactNode;
}

/** A native select. */
export function SelectField({
  field,
  label,
  hint,
  optional,
  options,
  placeholder,
  autoComplete,
  onChange,
  beside,
}: SelectFieldProps) {
  const control = useRef<HTMLSelectElement>(null);
  useFromDocument(control, ({ value }) => onChange?.(value));
  return (
    <FieldFrame field={field} label={label} hint={hint} optional={optional}>
      <select
        ref={control}
        id={field.id}
        name={field.name}
        defaultValue={firstValue(field.value)}
        required={field.required}
        {...getAriaProps(field, hint)}
        className="select"
        autoComplete={autoComplete}
        onChange={onChange && ((event) => onChange(event.target.value))}
      >
        {placeholder === undefined ? null : <option value="">{placeholder}</option>}
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
      {beside}
    </FieldFrame>
  );
}
