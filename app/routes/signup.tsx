import { json, redirect } from "@remix-run/node";
import { Link, useActionData, useLoaderData } from "@remix-run/react";

import { ErrorSummary } from "~/components/forms/error-summary";
import { PostForm } from "~/components/forms/form";
import { formState } from "~/components/forms/form-state";
import { PasswordField } from "~/components/forms/password-field";
import { SubmitButton } from "~/components/forms/submit-button";
import { TextField } from "~/components/forms/text-field";
import { redirectWithFlash } from "~/http/flash.server";
import { parseForm, formErrorResponse, requiredFields } from "~/http/form.server";
import { paths } from "~/http/paths";
import { limitTries, visitorAddress } from "~/http/rate-limit.server";
import { routeAction, routeLoader } from "~/http/route.server";
import { keepSession } from "~/http/session.server";
import { guessCountry } from "~/integrations/geoip/country.server";
import { PERSON_LABELS } from "~/modules/accounts/fields";
import { PersonFields } from "~/modules/accounts/person-fields";
import { phoneDefaults } from "~/modules/accounts/phone.server";
import { passwordRefusal } from "~/modules/accounts/refusals.server";
import { signupSchema, type SignupForm } from "~/modules/accounts/schema.server";
import { createAccount } from "~/modules/accounts/sign-up.server";

const PER_VISITOR = { name: "signup", max: 60, windowSeconds: 60 * 60 };

export const handle = { title: "Create an account", bare: true, wide: true };

export const loader = routeLoader({ access: "open" }, async ({ request, session }) => {
  if (session) return redirect(paths.home());
  const country = await guessCountry(request, visitorAddress(request));
  return json({ required: requiredFields(signupSchema), phone: phoneDefaults(null, country) });
});

export const action = routeAction(
  { access: "open", words: { labels: PERSON_LABELS, codes: [] } },
  async ({ request, form, session, setCookie }) => {
    if (session) return redirect(paths.home(), { status: 303 });
    const submission = parseForm(form, signupSchema);
    if (submission.status !== "success") return formErrorResponse(submission);
    try {
      await limitTries(PER_VISITOR, visitorAddress(request));
      const tokens = await createAccount(submission.value, paths.signup());
      if (tokens) {
        setCookie(await keepSession(tokens));
        return redirect(paths.home(), { status: 303 });
      }
    } catch (error) {
      return formErrorResponse(submission, passwordRefusal(error));
    }
    return redirectWithFlash(paths.home(), {
      tone: "info",
      text: "Almost there: we’ve sent you an e-mail. Open the link in it to confirm your address, and you’re in.",
    });
  },
);

export default function SignUp() {
  const { required, phone } = useLoaderData<typeof loader>();
  const refused = useActionData<typeof action>();
  const form = formState<keyof SignupForm>({
    id: "signup",
    lastResult: refused?.lastResult,
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
          label={PERSON_LABELS.email}
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
          label={PERSON_LABELS.full_name}
          autoComplete="name"
        />
        <PersonFields form={form} phone={phone} checked={refused !== undefined} />
        <SubmitButton>Sign Up</SubmitButton>
      </PostForm>
      <p>
        Have an account already? <Link to={paths.login()}>Sign in</Link>
      </p>
    </>
  );
}
