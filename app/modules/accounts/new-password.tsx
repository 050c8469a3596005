import { Link } from "react-router-dom";

import { ErrorSummary } from "~/components/forms/error-summary";
import { PostForm } from "~/components/forms/form";
import type { FormState } from "~/components/forms/form-state";
import { PasswordField } from "~/components/forms/password-field";
import { SubmitButton } from "~/components/forms/submit-button";
import { paths } from "~/http/paths";

import type { NewPasswordForm } from "./schemas.server";

/** The form in which someone chooses a password without the old one, after a link from an email. */
export function NewPasswordFields({
  form,
  newAccount,
}: {
  form: FormState<keyof NewPasswordForm>;
  newAccount: boolean;
}) {
  return (
    <>
      <h1>{newAccount ? "Choose your password" : "New password"}</h1>
      {newAccount ? (
        <p>
          Your email address is confirmed. To make sure that the account is yours alone, please
          choose your password here. If it’s the one from the sign-up form, we keep what you entered
          there.
        </p>
      ) : null}
      <ErrorSummary form={form} />
      <PostForm form={form} intent="save" unsaved="drop">
        <PasswordField
          field={form.field("password")}
          label="New Password"
          hint="At least 8 characters."
          autoComplete="new-password"
        />
        <PasswordField
          field={form.field("confirm_password")}
          label="Confirm Password"
          autoComplete="new-password"
        />
        <SubmitButton>{newAccount ? "Save password" : "Update password"}</SubmitButton>
      </PostForm>
      {newAccount ? null : (
        <p>
          <Link to={paths.login()}>Sign in with your old password</Link> if you don’t want a new
          one.
        </p>
      )}
    </>
  );
}

/** What they see when the password is changed. `returnTo` is the page that they wanted to open. */
export function PasswordUpdated({ returnTo }: { returnTo: string }) {
  return (
    <>
      <h1>Your password has been updated!</h1>
      <p>We’ve signed you out everywhere else.</p>
      <p>
        {returnTo === paths.home() ? (
          <Link to={returnTo}>Go to your dashboard</Link>
        ) : (
          <>
            <Link to={returnTo}>Continue where you left off</Link>, or{" "}
            <Link to={paths.home()}>go to your dashboard</Link>.
          </>
        )}
      </p>
    </>
  );
}
