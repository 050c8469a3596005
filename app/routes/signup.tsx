import { json, redirectDocument, replace } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";
import { Link } from "react-router-dom";

import { ErrorSummary } from "~/components/forms/error-summary";
import { PostForm } from "~/components/forms/form";
import { createFormState } from "~/components/forms/form-state";
import { PasswordField } from "~/components/forms/password-field";
import { SubmitButton } from "~/components/forms/submit-button";
import { TextField } from "~/components/forms/text-field";
import { env } from "~/env.server";
import { redirectWithFlash } from "~/http/flash.server";
import { asTyped, parseForm, formErrorResponse, getRequiredFields } from "~/http/form.server";
import { CAPTCHA_HEADER } from "~/http/internal-headers.server";
import { paths } from "~/http/paths";
import { enforceRateLimit, getClientNetwork } from "~/http/rate-limit.server";
import { routeAction, routeLoader } from "~/http/route.server";
import { guessCountry } from "~/integrations/geoip/country.server";
import { renderCaptcha, checkVisitor } from "~/modules/accounts/captcha.server";
import { PROFILE_LABELS } from "~/modules/accounts/profile-labels";
import { PROFILE_LIMITS } from "~/modules/accounts/profile-limits";
import { ProfileFields } from "~/modules/accounts/profile-fields";
import { getPhoneDefaults } from "~/modules/accounts/phone.server";
import { explainVisitorFailure } from "~/modules/accounts/auth-failures.server";
import { signupSchema, type SignupForm } from "~/modules/accounts/schemas.server";
import { createAccountLater, serializeSignUp } from "~/modules/accounts/sign-up.server";

const PER_VISITOR = { name: "signup", max: 60, windowSeconds: 60 * 60 };

export const handle = { title: "Create an account", bare: true, wide: true };

export const loader = routeLoader({ access: "open" }, async ({ request, session, setCookie }) => {
  if (session) return replace(paths.home());
  const country = await guessCountry(request, getClientNetwork(request));
  const captcha = await renderCaptcha(request, setCookie);
  // A captcha needs a document of its own, since the policy of the one before it blocks it.
  if (captcha && request.headers.get("Sec-Fetch-Dest") === "empty")
    return redirectDocument(paths.signup());
  return json(
    {
      required: getRequiredFields(signupSchema),
      phone: getPhoneDefaults(null, country),
      captcha: captcha?.html ?? null,
      // The response to this form may show a captcha.
      reloads: env().captcha !== null,
    },
    captcha?.hasWidget ? { headers: { [CAPTCHA_HEADER]: "yes" } } : undefined,
  );
});

export const action = routeAction(
  { access: "open", labels: { byField: PROFILE_LABELS, codes: [] } },
  async ({ request, form, session, setCookie }) => {
    // Another tab signed in since.
    if (session)
      return redirectWithFlash(paths.home(), {
        tone: "info",
        text: "You’re already signed in, so no account was created. To create another one, sign out first.",
      });
    try {
      await enforceRateLimit(PER_VISITOR, getClientNetwork(request));
    } catch (error) {
      return formErrorResponse(asTyped(form), explainVisitorFailure(error));
    }
    const submission = parseForm(form, signupSchema);
    if (submission.status !== "success") return formErrorResponse(submission);
    // The auth service creates the account after the response, which must not depend on whether
    // there is one already. Whatever the visitor has to know is checked before that.
    try {
      const missing = await checkVisitor(request, form, setCookie);
      if (missing) return formErrorResponse(submission, { errors: { "": [missing] } });
    } catch (error) {
      return formErrorResponse(submission, explainVisitorFailure(error));
    }
    createAccountLater(request, submission.value, paths.signup());
    setCookie(await serializeSignUp(submission.value));
    return redirectWithFlash(paths.home(), {
      tone: "info",
      text: "Almost there! Check your email and open the link we’ve sent you. If it hasn’t arrived in a few minutes, check your spam folder, then sign up again.",
    });
  },
);

export default function SignUp() {
  const { required, phone, captcha, reloads } = useLoaderData<typeof loader>();
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
      <PostForm form={form} reloadDocument={reloads}>
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
          hint="Visible to our team and to owners of listings you manage."
          limit={PROFILE_LIMITS.full_name}
          autoComplete="name"
        />
        <ProfileFields form={form} phone={phone} validated={answer !== undefined} />
        {captcha ? <div dangerouslySetInnerHTML={{ __html: captcha }} /> : null}
        <SubmitButton>Sign Up</SubmitButton>
      </PostForm>
      <p>
        Already have an account? <Link to={paths.login()}>Sign in</Link>
      </p>
    </>
  );
}
