import type { FormField } from "~/components/forms/form-state";
import { TextField } from "~/components/forms/text-field";

/** The code that an authenticator app shows. */
export function AppCodeField({ field }: { field: FormField }) {
  return (
    <TextField
      field={field}
      label="Code from your authenticator app"
      hint="6 digits. Each code works once."
      autoComplete="one-time-code"
      inputMode="numeric"
      short
    />
  );
}
