import { FieldFrame, ariaOf } from "~/components/forms/field-frame";
import type { FieldWords } from "~/components/forms/field-frame";
import { single } from "~/components/forms/form-state";

interface TextAreaProps extends FieldWords {
  rows?: number;
  autoComplete?: string;
}

/** Several lines of text; the person may draw it larger. */
export function TextArea({ field, label, hint, optional, rows = 5, autoComplete }: TextAreaProps) {
  return (
    <FieldFrame field={field} label={label} hint={hint} optional={optional}>
      <textarea
        id={field.id}
        name={field.name}
        defaultValue={single(field.value)}
        required={field.required}
        {...ariaOf(field, hint)}
        className="textarea"
        rows={rows}
        autoComplete={autoComplete}
      />
    </FieldFrame>
  );
}
