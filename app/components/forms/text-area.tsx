import { useRef, useState } from "react";

import { CharacterCount, addLimitToHint } from "~/components/forms/character-count";
import { FieldFrame, getAriaProps } from "~/components/forms/field-frame";
import type { FieldProps } from "~/components/forms/field-frame";
import { firstValue } from "~/components/forms/form-state";
import { useFromDocument } from "~/components/forms/use-from-document";
import { useHydrated } from "~/components/forms/use-hydrated";

interface TextAreaProps extends FieldProps {
  rows?: number;
  /**
   * The maximum length: counted down near it where script runs, and in the hint where it doesn't.
   * Nothing is cut off.
   */
  limit?: number;
  /** How the limit counts a text. By its length, when omitted. */
  count?: (text: string) => number;
  autoComplete?: string;
}

/** Several lines of text. */
export function TextArea({
  field,
  label,
  hint: text,
  optional,
  rows = 5,
  limit,
  count = (text) => text.length,
  autoComplete,
}: TextAreaProps) {
  const hint = addLimitToHint(text, limit);
  const [length, setLength] = useState(count(firstValue(field.value) ?? ""));
  const control = useRef<HTMLTextAreaElement>(null);
  // When React 18 takes over the page, it resets a text area to its text, and what was typed until
  // then is lost. It doesn't reset one whose text differs from what it knows. (It leaves inputs
  // alone.)
  const hydrated = useHydrated();
  const saved = import.meta.env.SSR || hydrated ? firstValue(field.value) : undefined;
  useFromDocument(control, ({ value }) => setLength(count(value)));
  return (
    <FieldFrame field={field} label={label} hint={hint} optional={optional}>
      <textarea
        dir="auto"
        ref={control}
        id={field.id}
        name={field.name}
        defaultValue={saved}
        required={field.required}
        {...getAriaProps(field, hint)}
        className="textarea"
        rows={rows}
        autoComplete={autoComplete}
        onChange={limit === undefined ? undefined : (event) => setLength(count(event.target.value))}
      />
      {limit === undefined ? null : <CharacterCount limit={limit} length={length} />}
    </FieldFrame>
  );
}
