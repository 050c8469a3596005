import { FieldFrame, getAriaProps } from "~/components/forms/field-frame";
import type { FieldProps } from "~/components/forms/field-frame";

interface PasswordFieldProps extends Omit<FieldProps, "optional"> {
  /** Tells password managers whether to fill in or to suggest. */
  autoComplete: "current-password" | "new-password";
}

/** A password. It may be pasted, has no length the browser cuts off at, and never comes back in the page. */
export function PasswordField({ field, label, hint, autoComplete }: PasswordFieldProps) {
  return (
    <FieldFrame field={field} label={label} hint={hint}>
      <input
        type="password"
        id={field.id}
        name={field.name}
        required={field.required}
        {...getAriaProps(field, hint)}
        className="input"
        autoComplete={autoComplete}
        autoCapitalize="none"
        spellCheck={false}
      />
    </FieldFrame>
  );
}
