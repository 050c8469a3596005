import { useId, useRef, useState } from "react";
import type { InputHTMLAttributes } from "react";

import { CharacterCount } from "~/components/forms/character-count";
import { FieldFrame, getAriaProps } from "~/components/forms/field-frame";
import type { FieldProps } from "~/components/forms/field-frame";
import { firstValue } from "~/components/forms/form-state";
import { useFromDocument } from "~/components/forms/use-from-document";

interface TextFieldProps
  extends
    FieldProps,
    Pick<
      InputHTMLAttributes<HTMLInputElement>,
      "autoComplete" | "inputMode" | "spellCheck" | "autoCapitalize" | "dir"
    > {
  type?: "text" | "email" | "url" | "tel" | "search" | "date" | "number";
  /** Suggested while typing; other values are accepted as well. */
  suggestions?: readonly string[];
  /**
   * The maximum length, counted down near it where script runs. Nothing is cut off.
   */
  limit?: number;
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
  limit,
  suggestions,
  short = false,
  ...rest
}: TextFieldProps) {
  const listId = useId();
  const [length, setLength] = useState(firstValue(field.value)?.length ?? 0);
  const control = useRef<HTMLInputElement>(null);
  useFromDocument(control, ({ value }) => setLength(value.length));
  return (
    <FieldFrame field={field} label={label} hint={hint} optional={optional}>
      <input
        dir={type === "text" || type === "search" ? "auto" : undefined}
        {...rest}
        ref={control}
        id={field.id}
        name={field.name}
        type={type}
        defaultValue={firstValue(field.value)}
        required={field.required}
        {...getAriaProps(field, hint)}
        className={short ? "input input-short" : "input"}
        list={suggestions === undefined ? undefined : listId}
        onChange={limit === undefined ? undefined : (event) => setLength(event.target.value.length)}
      />
      {limit === undefined ? null : <CharacterCount limit={limit} length={length} />}
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
