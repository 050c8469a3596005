import { json } from "@remix-run/node";
import { Link, useActionData, useLoaderData } from "@remix-run/react";

import { ErrorSummary } from "~/components/forms/error-summary";
import { PostForm } from "~/components/forms/form";
import { formState } from "~/components/forms/form-state";
import { SubmitButton } from "~/components/forms/submit-button";
import { TextField } from "~/components/forms/text-field";
import { returnCookie } from "~/http/cookies.server";
import { parseForm, formErrorResponse, requiredFields } from "~/http/form.server";
import { paths } from "~/http/paths";
import { limitTries, visitorAddress } from "~/http/rate-limit.server";
import { routeAction, routeLoader } from "~/http/route.server";
import { safePath } from "~/http/safe-path.server";
import { AuthRefusal, sendRecovery } from "~/integrations/supabase/auth.server";
import { mailRefusal } from "~/modules/accounts/refusals.server";
import { recoverySchema, type RecoveryForm } from "~/modules/accounts/schema.server";

const PER_VISITOR = { name: "recovery", max: 20, windowSeconds: 60 * 60 };

export const handle = { title: "Reset Password", bare: true };

export const loader = routeLoader({ access: "open" }, async ({ url }) =>
  json({
    redirectTo: safePath(url.searchParams.get("redirectTo")),
    required: requiredFields(recoverySchema),
  }),
);

export const action = routeAction({ access: "open" }, async ({ request, form, setCookie }) => {
  const submission = parseForm(form, recoverySchema);
  if (submission.status !== "success") return formErrorResponse(submission);
  try {
    await limitTries(PER_VISITOR, visitorAddress(request));
    await sendRecovery(submission.value.email);
  } catch (error) {
    // An address that the service refuses to send to must read like one that it knows.
    if (!(error instanceof AuthRefusal) || error.failure === "unavailable")
      return formErrorResponse(submission, mailRefusal(error));
  }
  // Kept in this browser, which the link in the mail comes back to: a mail is no place for where somebody was.
  setCookie(await returnCookie().serialize(safePath(form.get("redirectTo"))));
  return json({ sent: true, lastResult: null });
});

export default function Recovery() {
  const { redirectTo, required } = useLoaderData<typeof loader>();
  const result = useActionData<typeof action>();
  const form = formState<keyof RecoveryForm>({
    id: "recovery",
    lastResult: result?.lastResult,
    required,
  });
  return (
    <>
      <h1>Reset Password</h1>
      {result && "sent" in result ? (
        <p role="status">
          If your email matches an account, you will receive an email with instructions on resetting
          your password.
        </p>
      ) : (
        <>
          <p>
            Tell us the e-mail address of your account, and we’ll send you a link to choose a new
            password.
          </p>
          <ErrorSummary form={form} />
          <PostForm form={form}>
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
      <p>
        <Link to={paths.login(redirectTo)}>Back to sign in</Link>
      </p>
    </>
  );
}
