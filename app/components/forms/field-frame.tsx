import type { ReactNode } from "react";

import { AudienceMark } from "~/components/forms/audience-mark";
import type { FormField } from "~/components/forms/form-state";
import { Icon } from "~/components/ui/icon";

/** The props that all fields have. */
export interface FieldProps {
  field: FormField;
  label: ReactNode;
  /** What helps before typing, such as its format. */
  hint?: ReactNode;
  /** Adds "(optional)" to the label. */
  optional?: boolean;
}

/** The ids for `aria-describedby`: of the hint, of who sees it, and of the errors. Undefined without any. */
export function getDescribedBy(field: FormField, hint: ReactNode): string | undefined {
  const ids = [];
  if (hint !== undefined) ids.push(field.descriptionId);
  if (field.mark !== undefined) ids.push(field.mark.id);
  if (field.errors !== undefined) ids.push(field.errorId);
  return ids.length === 0 ? undefined : ids.join(" ");
}

/** The attributes that connect a control with its hint and errors. */
export function getAriaProps(field: FormField, hint: ReactNode) {
  return {
    "aria-describedby": getDescribedBy(field, hint),
    "aria-invalid": field.errors === undefined ? undefined : true,
  } as const;
}

/** " (optional)", after the label of an optional field. */
export function OptionalMark({ when }: { when: boolean | undefined }) {
  return when ? <span className="optional"> (optional)</span> : null;
}

/** A label and who sees its field, unless the heading of its section says so. */
export function MarkedLabel({ field, children }: { field: FormField; children: ReactNode }) {
  const { mark } = field;
  const label = <label htmlFor={field.id}>{children}</label>;
  if (!mark?.audience) return label;
  return (
    <span className="marked">
      {label} <AudienceMark id={mark.id} audience={mark.audience} />
    </span>
  );
}

/** The hint of a field, with the id that `aria-describedby` refers to. */
export function FieldHint({ field, hint }: { field: FormField; hint?: ReactNode }) {
  return hint === undefined ? null : (
    <p id={field.descriptionId} className="hint">
      {hint}
    </p>
  );
}

/** The errors of a field, with the same text as in the summary above the form. */
export function FieldErrors({ field }: { field: FormField }) {
  return field.errors === undefined ? null : (
    <div id={field.errorId}>
      {field.errors.map((message) => (
        <p key={message} className="field-error">
          <Icon name="circle-alert" />
          <span>
            <span className="sr-only">Error: </span>
            {message}
          </span>
        </p>
      ))}
    </div>
  );
}

/** A label, a hint, and errors above one control. */
export function FieldFrame({
  field,
  label,
  hint,
  optional,
  children,
}: FieldProps & { children: ReactNode }) {
  return (
    <div className="field">
      <MarkedLabel field={field}>
        {label}
        <OptionalMark when={optional} />
      </MarkedLabel>
      <FieldHint field={field} hint={hint} />
      <FieldErrors field={field} />
      <div className="control">{children}</div>
    </div>
  );
}
