import { useId, useState } from "react";
import type { InputHTMLAttributes } from "react";

import { CharacterCount, hintWithLimit } from "~/components/forms/character-count";
import { FieldFrame, ariaOf } from "~/components/forms/field-frame";
import type { FieldWords } from "~/components/forms/field-frame";
import { single } from "~/components/forms/form-state";

interface TextFieldProps
  extends
    FieldWords,
    Pick<
      InputHTMLAttributes<HTMLInputElement>,
      "autoComplete" | "inputMode" | "spellCheck" | "autoCapitalize" | "dir"
    > {
  type?: "text" | "email" | "url" | "tel" | "search" | "date" | "number";
  /** Offered while typing; anything else may be typed as well. */
  suggestions?: readonly string[];
  /** The most characters it may have: told in the hint, and counted down near it where script runs. Nothing is cut off. */
  limit?: number;
  /** For values of a known small length, such as a postal code. */
  short?: boolean;
}

/** One line of text. */
export function TextField({
  field,
  label,
  hint: words,
  optional,
  type = "text",
  limit,
  suggestions,
  short = false,
  ...rest
}: TextFieldProps) {
  const listId = useId();
  const hint = hintWithLimit(words, limit);
  const [length, setLength] = useState(single(field.value)?.length ?? 0);
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
