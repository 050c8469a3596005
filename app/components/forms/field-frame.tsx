import type { ReactNode } from "react";

import type { FormField } from "~/components/forms/form-state";
import { Icon } from "~/components/ui/icon";

/** What every field is told besides its value. */
export interface FieldProps {
  field: FormField;
  label: ReactNode;
  /** What helps before typing: who sees it, in which form. */
  hint?: ReactNode;
  /** Adds "(optional)" to the label. */
  optional?: boolean;
}

/** The ids that `aria-describedby` needs: the hint first, then what is wrong. Undefined when there is neither. */
export function getDescribedBy(field: FormField, hint: ReactNode): string | undefined {
  const ids = [];
  if (hint !== undefined) ids.push(field.descriptionId);
  if (field.errors !== undefined) ids.push(field.errorId);
  return ids.length === 0 ? undefined : ids.join(" ");
}

/** The attributes by which a control points at its hint and errors. */
export function getAriaProps(field: FormField, hint: ReactNode) {
  return {
    "aria-describedby": getDescribedBy(field, hint),
    "aria-invalid": field.errors === undefined ? undefined : true,
  } as const;
}

/** The word after the label of a field that may stay empty. */
export function OptionalMark({ when }: { when: boolean | undefined }) {
  return when ? <span className="optional"> (optional)</span> : null;
}

/** The hint of a field, where `aria-describedby` finds it. */
export function FieldHint({ field, hint }: { field: FormField; hint?: ReactNode }) {
  return hint === undefined ? null : (
    <p id={field.descriptionId} className="hint">
      {hint}
    </p>
  );
}

/** What is wrong with a field, every sentence of it, in the words of the summary above the form. */
export function FieldErrors({ field }: { field: FormField }) {
  return field.errors === undefined ? null : (
    <div id={field.errorId}>
      {field.errors.map((sentence) => (
        <p key={sentence} className="field-error">
          <Icon name="circle-alert" />
          <span>
            <span className="sr-only">Error: </span>
            {sentence}
          </span>
        </p>
      ))}
    </div>
  );
}

/** Label, hint and errors above one control. */
export function FieldFrame({
  field,
  label,
  hint,
  optional,
  children,
}: FieldProps & { children: ReactNode }) {
  return (
    <div className="field">
      <label htmlFor={field.id}>
        {label}
        <OptionalMark when={optional} />
      </label>
      <FieldHint field={field} hint={hint} />
      <FieldErrors field={field} />
      <div className="control">{children}</div>
    </div>
  );
}
