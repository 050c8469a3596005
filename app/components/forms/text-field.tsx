import { useId } from "react";
import type { InputHTMLAttributes } from "react";

import { FieldFrame, ariaOf } from "~/components/forms/field-frame";
import type { FieldWords } from "~/components/forms/field-frame";
import { single } from "~/components/forms/form-state";

interface TextFieldProps
  extends FieldWords,
    Pick<
      InputHTMLAttributes<HTMLInputElement>,
      "autoComplete" | "inputMode" | "spellCheck" | "autoCapitalize" | "dir"
    > {
  type?: "text" | "email" | "url" | "tel" | "search" | "date" | "number";
  /** Offered while typing; anything else may be typed as well. */
  suggestions?: readonly string[];
  /** For values of a known small length, such as a postal code. */
  short?: boolean;
}

/** One line of text. */
export function TextField({
  field,
  label,
  hint,
  optional,
  type = "text",
  suggestions,
  short = false,
  ...rest
}: TextFieldProps) {
  const listId = useId();
  return (
    <FieldFrame field={field} label={label} hint={hint} optional={optional}>
      <input
        {...rest}
        id={field.id}
        name={field.name}
        type={type}
        defaultValue={single(field.value)}
        required={field.required}
        {...ariaOf(field, hint)}
        className={short ? "input input-short" : "input"}
        list={suggestions === undefined ? undefined : listId}
      />
      {suggestions === undefined ? null : (
        <datalist id={listId}>
          {suggestions.map((suggestion) => (
            <option key={suggestion} value={suggestion} />
          ))}
        </datalist>
      )}
    </FieldFrame>
  );
}
