import { Link } from "react-router-dom";

import { PostForm } from "~/components/forms/form";
import type { FormState } from "~/components/forms/form-state";
import { PasswordField } from "~/components/forms/password-field";
import { SubmitButton } from "~/components/forms/submit-button";
import { TextField } from "~/components/forms/text-field";
import { paths } from "~/http/paths";

interface LoginFormProps {
  form: FormState<"email" | "password">;
  /** The path to open after signing in. */
  redirectTo: string;
}

/**
 * The sign-in form, with links to recovery and sign-up. It always posts to the sign-in page,
 * whatever page shows it.
 */
export function LoginForm({ form, redirectTo }: LoginFormProps) {
  return (
    <>
      <PostForm form={form} action={paths.login(redirectTo)} unsaved="drop">
        <input type="hidden" name="redirectTo" value={redirectTo} />
        <TextField field={form.field("email")} label="Email" type="email" autoComplete="username" />
        <PasswordField
          field={form.field("password")}
          label="Password"
          autoComplete="current-password"
        />
        <SubmitButton>Login</SubmitButton>
      </PostForm>
      <div className="prose">
        <p>
          <Link to={paths.recovery(redirectTo)}>Forgot your password?</Link>
        </p>
        <p>
          New here? <Link to={paths.signup()}>Create an account</Link>
        </p>
      </div>
    </>
  );
}
