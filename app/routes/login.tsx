import { json, redirect, replace } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";

import { ErrorSummary } from "~/components/forms/error-summary";
import { createFormState } from "~/components/forms/form-state";
import { redirectWithFlash } from "~/http/flash.server";
import { parseForm, formErrorResponse, getRequiredFields, readField } from "~/http/form.server";
import { paths } from "~/http/paths";
import { routeAction, routeLoader } from "~/http/route.server";
import { toSafePath } from "~/http/safe-path.server";
import { serializeSession } from "~/http/session.server";
import { LoginForm as LoginFields } from "~/modules/accounts/login-form";
import { signInWithinLimits } from "~/modules/accounts/sign-in.server";
import { loginSchema, type LoginForm } from "~/modules/accounts/schemas.server";
import { explainSignInFailure } from "~/modules/accounts/auth-failures.server";

export const handle = { title: "Sign in", bare: true };

const OTHER_ACCOUNT = {
  tone: "info",
  text: "You’re signed in to a different account than the one you entered. To switch, sign out first.",
} as const;

export const loader = routeLoader(
  { access: "open" },
  async ({ session, unfinishedSession, url }) => {
    const redirectTo = toSafePath(url.searchParams.get("redirectTo"));
    // Back must not lead here and then forward again, each time with one more entry of the history.
    if (session) return replace(redirectTo);
    if (unfinishedSession) return replace(paths.secondStep(redirectTo));
    return json({ redirectTo, required: getRequiredFields(loginSchema) });
  },
);

export const action = routeAction(
  { access: "open" },
  async ({ request, form, session, setCookie }) => {
    const to = toSafePath(form.get("redirectTo"));
    if (session) {
      const typed = readField(form, "email").trim().toLowerCase();
      // Another tab signed in since. Otherwise this person would go on in that account.
      return typed === session.user.email
        ? redirect(to, { status: 303 })
        : redirectWithFlash(to, OTHER_ACCOUNT);
    }
    const submission = parseForm(form, loginSchema);
    if (submission.status !== "success") return formErrorResponse(submission);
    const { email, password } = submission.value;
    try {
      const { tokens, secondStepDue } = await signInWithinLimits(request, email, password);
      setCookie(await serializeSession(tokens));
      if (secondStepDue) return redirect(paths.secondStep(to), { status: 303 });
    } catch (error) {
      return formErrorResponse(submission, explainSignInFailure(error));
    }
    return redirect(to, { status: 303 });
  },
);

export default function Login() {
  const { redirectTo, required } = useLoaderData<typeof loader>();
  const answer = useActionData<typeof action>();
  const form = createFormState<keyof LoginForm>({
    id: "login",
    lastResult: answer?.lastResult,
    required,
  });
  return (
    <>
      <h1>Sign in to your account</h1>
      <ErrorSummary form={form} />
      <LoginFields form={form} redirectTo={redirectTo} />
    </>
  );
}
