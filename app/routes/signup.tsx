import { json, redirect } from "@remix-run/node";
import { Link, useActionData, useLoaderData } from "@remix-run/react";

import { ErrorSummary } from "~/components/forms/error-summary";
import { PostForm } from "~/components/forms/form";
import { createFormState } from "~/components/forms/form-state";
import { PasswordField } from "~/components/forms/password-field";
import { SubmitButton } from "~/components/forms/submit-button";
import { TextField } from "~/components/forms/text-field";
import { redirectWithFlash } from "~/http/flash.server";
import { parseForm, formErrorResponse, getRequiredFields } from "~/http/form.server";
import { paths } from "~/http/paths";
import { enforceRateLimit, getClientNetwork } from "~/http/rate-limit.server";
import { routeAction, routeLoader } from "~/http/route.server";
import { serializeSession } from "~/http/session.server";
import { guessCountry } from "~/integrations/geoip/country.server";
import { PROFILE_LABELS } from "~/modules/accounts/profile-labels";
import { ProfileFields } from "~/modules/accounts/profile-fields";
import { getPhoneDefaults } from "~/modules/accounts/phone.server";
import { explainPasswordFailure } from "~/modules/accounts/auth-failures.server";
import { signupSchema, type SignupForm } from "~/modules/accounts/schemas.server";
import { createAccount } from "~/modules/accounts/sign-up.server";

const PER_VISITOR = { name: "signup", max: 60, windowSeconds: 60 * 60 };

export const handle = { title: "Create an account", bare: true, wide: true };

export const loader = routeLoader({ access: "open" }, async ({ request, session }) => {
  if (session) return redirect(paths.home());
  const country = await guessCountry(request, getClientNetwork(request));
  return json({
    required: getRequiredFields(signupSchema),
    phone: getPhoneDefaults(null, country),
  });
});

export const action = routeAction(
  { access: "open", labels: { byField: PROFILE_LABELS, codes: [] } },
  async ({ request, form, session, setCookie }) => {
    if (session) return redirect(paths.home(), { status: 303 });
    const submission = parseForm(form, signupSchema);
    if (submission.status !== "success") return formErrorResponse(submission);
    try {
      await enforceRateLimit(PER_VISITOR, getClientNetwork(request));
      const tokens = await createAccount(submission.value, paths.signup());
      if (tokens) {
        setCookie(await serializeSession(tokens));
        return redirect(paths.home(), { status: 303 });
      }
    } catch (error) {
      return formErrorResponse(submission, explainPasswordFailure(error));
    }
    return redirectWithFlash(paths.home(), {
      tone: "info",
      text: "Almost there: we’ve sent you an e-mail. Open the link in it to confirm your address, and you’re in.",
    });
  },
);

export default function SignUp() {
  const { required, phone } = useLoaderData<typeof loader>();
  const answer = useActionData<typeof action>();
  const form = createFormState<keyof SignupForm>({
    id: "signup",
    lastResult: answer?.lastResult,
    required,
    saved: { phone_country: phone.country },
  });
  return (
    <>
      <h1>Create An Account</h1>
      <ErrorSummary form={form} />
      <PostForm form={form}>
        <TextField
          field={form.field("email")}
          label={PROFILE_LABELS.email}
          type="email"
          autoComplete="username"
        />
        <PasswordField
          field={form.field("password")}
          label="Password"
          hint="At least 8 characters."
          autoComplete="new-password"
        />
        <TextField
          field={form.field("full_name")}
          label={PROFILE_LABELS.full_name}
          autoComplete="name"
        />
        <ProfileFields form={form} phone={phone} validated={answer !== undefined} />
        <SubmitButton>Sign Up</SubmitButton>
      </PostForm>
      <p>
        Have an account already? <Link to={paths.login()}>Sign in</Link>
      </p>
    </>
  );
}
