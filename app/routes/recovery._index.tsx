import { json } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";
import { Link } from "react-router-dom";

import { ErrorSummary } from "~/components/forms/error-summary";
import { PostForm } from "~/components/forms/form";
import { createFormState } from "~/components/forms/form-state";
import { SubmitButton } from "~/components/forms/submit-button";
import { TextField } from "~/components/forms/text-field";
import { returnCookie } from "~/http/cookies.server";
import { asTyped, parseForm, formErrorResponse, getRequiredFields } from "~/http/form.server";
import { paths } from "~/http/paths";
import { enforceRateLimit, getClientNetwork } from "~/http/rate-limit.server";
import { routeAction, routeLoader } from "~/http/route.server";
import { toSafePath } from "~/http/safe-path.server";
import { checkAuthService } from "~/integrations/supabase/auth.server";
import { explainVisitorFailure } from "~/modules/accounts/auth-failures.server";
import { recoverySchema, type RecoveryForm } from "~/modules/accounts/schemas.server";
import { sendRecoveryEmailLater } from "~/modules/accounts/sign-up.server";

const PER_VISITOR = { name: "recovery", max: 20, windowSeconds: 60 * 60 };

export const handle = { title: "Reset Password", bare: true };

export const loader = routeLoader({ access: "open" }, async ({ url }) =>
  json({
    redirectTo: toSafePath(url.searchParams.get("redirectTo")),
    required: getRequiredFields(recoverySchema),
  }),
);

export const action = routeAction({ access: "open" }, async ({ request, form, setCookie }) => {
  try {
    await enforceRateLimit(PER_VISITOR, getClientNetwork(request));
  } catch (error) {
    return formErrorResponse(asTyped(form), explainVisitorFailure(error));
  }
  const submission = parseForm(form, recoverySchema);
  if (submission.status !== "success") return formErrorResponse(submission);
  try {
    await checkAuthService();
  } catch (error) {
    return formErrorResponse(submission, explainVisitorFailure(error));
  }
  // After the response, which must not depend on whether the address has an account.
  sendRecoveryEmailLater(request, submission.value.email);
  // In a cookie, since the link opens in this browser, and the email must not contain the path.
  setCookie(await returnCookie().serialize(toSafePath(form.get("redirectTo"))));
  return json({ sent: true, lastResult: null });
});

export default function Recovery() {
  const { redirectTo, required } = useLoaderData<typeof loader>();
  const result = useActionData<typeof action>();
  const form = createFormState<keyof RecoveryForm>({
    id: "recovery",
    lastResult: result?.lastResult,
    required,
  });
  return (
    <>
      <h1>Reset Password</h1>
      {result && "sent" in result ? (
        <div>
          <p role="status">
            If your email matches an account, you will receive an email with instructions on
            resetting your password. If it hasn’t arrived in a few minutes, check your spam folder,
            then try again in an hour. If there are several, open the newest.
          </p>
        </div>
      ) : (
        <>
          <p>
            Enter your account’s email address, and we’ll send you a link to set a new password.
          </p>
          <ErrorSummary form={form} />
          <PostForm form={form} unsaved="drop">
            <input type="hidden" name="redirectTo" value={redirectTo} />
            <TextField
              field={form.field("email")}
              label="Email"
              type="email"
              autoComplete="username"
            />
            <SubmitButton>Send the link</SubmitButton>
          </PostForm>
        </>
      )}
      <div className="buttons">
        <Link to={paths.login(redirectTo)}>Back to sign in</Link>
      </div>
    </>
  );
}
