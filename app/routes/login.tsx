import { json, redirect } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";

import { ErrorSummary } from "~/components/forms/error-summary";
import { createFormState } from "~/components/forms/form-state";
import { parseForm, formErrorResponse, getRequiredFields } from "~/http/form.server";
import { paths } from "~/http/paths";
import { releaseAttempt, enforceRateLimit, getClientNetwork } from "~/http/rate-limit.server";
import { routeAction, routeLoader } from "~/http/route.server";
import { toSafePath } from "~/http/safe-path.server";
import { serializeSession } from "~/http/session.server";
import { signIn } from "~/integrations/supabase/auth.server";
import { LoginForm as LoginFields } from "~/modules/accounts/login-form";
import { loginSchema, type LoginForm } from "~/modules/accounts/schemas.server";
import { explainSignInFailure } from "~/modules/accounts/auth-failures.server";

const PER_ACCOUNT = { name: "login", max: 10, windowSeconds: 15 * 60 };
const PER_VISITOR = { name: "login-visitor", max: 60, windowSeconds: 15 * 60 };

export const handle = { title: "Sign in", bare: true };

export const loader = routeLoader(
  { access: "open" },
  async ({ session, unfinishedSession, url }) => {
    const redirectTo = toSafePath(url.searchParams.get("redirectTo"));
    if (session) return redirect(redirectTo);
    if (unfinishedSession) return redirect(paths.secondStep(redirectTo));
    return json({ redirectTo, required: getRequiredFields(loginSchema) });
  },
);

export const action = routeAction(
  { access: "open" },
  async ({ request, form, session, setCookie }) => {
    const to = toSafePath(form.get("redirectTo"));
    if (session) return redirect(to, { status: 303 });
    const submission = parseForm(form, loginSchema);
    if (submission.status !== "success") return formErrorResponse(submission);
    const { email, password } = submission.value;
    const network = getClientNetwork(request);
    try {
      await Promise.all([
        enforceRateLimit(PER_VISITOR, network),
        enforceRateLimit(PER_ACCOUNT, network, email),
      ]);
      const { tokens, secondStepDue } = await signIn(email, password);
      setCookie(await serializeSession(tokens));
      await Promise.all([
        releaseAttempt(PER_VISITOR, network),
        releaseAttempt(PER_ACCOUNT, network, email),
      ]);
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
