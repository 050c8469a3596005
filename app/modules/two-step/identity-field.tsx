import type { FormState } from "~/components/forms/form-state";
import { PasswordField } from "~/components/forms/password-field";

import { AppCodeField } from "./app-code-field";

interface IdentityFieldProps {
  form: Pick<FormState<"app_code" | "current_password">, "field">;
  /** Two-step sign-in is on: the code is asked for, and not the password. */
  secondStep: boolean;
  /** Why the password is asked for. */
  hint?: string;
}

/** Asks a signed-in user again who they are: for the code or for the password. */
export function IdentityField({
  form,
  secondStep,
  hint = "We ask again so no one else can change how you sign in.",
}: IdentityFieldProps) {
  return secondStep ? (
    <AppCodeField field={form.field("app_code")} />
  ) : (
    <PasswordField
      field={form.field("current_password")}
      label="Your password"
      hint={hint}
      autoComplete="current-password"
    />
  );
}
