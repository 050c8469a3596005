import { FieldFrame, getAriaProps } from "~/components/forms/field-frame";
import type { FieldProps } from "~/components/forms/field-frame";

interface PasswordFieldProps extends Omit<FieldProps, "optional"> {
  /** Whether password managers fill in a password or suggest one. */
  autoComplete: "current-password" | "new-password";
}

/**
 * A password. It can be pasted, the browser does not limit its length, and it is never sent back.
 */
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
