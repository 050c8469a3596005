import { getTextareaProps } from "@conform-to/react";

import { FieldFrame, ariaOf } from "~/components/forms/field-frame";
import type { FieldWords } from "~/components/forms/field-frame";

interface TextAreaProps extends FieldWords {
  rows?: number;
  autoComplete?: string;
}

/** Several lines of text; the person may draw it larger. */
export function TextArea({ field, label, hint, optional, rows = 5, autoComplete }: TextAreaProps) {
  const { key, ...textarea } = getTextareaProps(field, { ariaAttributes: false });
  return (
    <FieldFrame field={field} label={label} hint={hint} optional={optional}>
      <textarea
        key={key}
        {...textarea}
        {...ariaOf(field, hint)}
        className="textarea"
        rows={rows}
        autoComplete={autoComplete}
      />
    </FieldFrame>
  );
}
