import { json } from "@remix-run/node";
import { useActionData, useLoaderData, useLocation } from "@remix-run/react";
import { Link } from "react-router-dom";

import { ErrorSummary } from "~/components/forms/error-summary";
import { PostForm } from "~/components/forms/form";
import { createFormState } from "~/components/forms/form-state";
import { SeenValues, withSeenValues } from "~/components/forms/seen-values";
import { SubmitButton } from "~/components/forms/submit-button";
import { TextField } from "~/components/forms/text-field";
import { VersionForm } from "~/components/layout/version-form";
import { PageHeader } from "~/components/ui/page-header";
import { redirectWithFlash } from "~/http/flash.server";
import { asTyped, parseForm, formErrorResponse, getRequiredFields } from "~/http/form.server";
import { useLightVersion } from "~/http/light-version";
import { paths } from "~/http/paths";
import { getClientNetwork } from "~/http/rate-limit.server";
import { routeAction, routeLoader } from "~/http/route.server";
import { markAsSeen, updateUntouched } from "~/http/seen-values.server";
import type { User } from "~/http/session.server";
import { guessCountry } from "~/integrations/geoip/country.server";
import { ACCOUNT_REFUSALS } from "~/modules/accounts/refusals";
import { PROFILE_LABELS } from "~/modules/accounts/profile-labels";
import { PROFILE_LIMITS } from "~/modules/accounts/profile-limits";
import { ProfileFields } from "~/modules/accounts/profile-fields";
import { getPhoneDefaults } from "~/modules/accounts/phone.server";
import { saveProfile, toAccountForm } from "~/modules/accounts/profile.server";
import { changeEmail } from "~/modules/accounts/email-change.server";
import { explainEmailChangeFailure } from "~/modules/accounts/auth-failures.server";
import { confirmIdentity } from "~/modules/two-step/confirm-identity.server";
import { DeletionNotice } from "~/modules/privacy/deletion-notice";
import { IdentityField } from "~/modules/two-step/identity-field";
import { accountSchema, type AccountForm } from "~/modules/accounts/schemas.server";

export const handle = { title: "My Account" };

const getPhone = async (request: Request, { phone }: User) =>
  getPhoneDefaults(phone, await guessCountry(request, getClientNetwork(request)));

export const loader = routeLoader({ access: "signed in" }, async ({ request, session }) => {
  const { user } = session;
  const phone = await getPhone(request, user);
  const saved = toAccountForm(user, phone);
  const required = [...getRequiredFields(accountSchema), "app_code", "current_password"];
  return json({ saved, phone, required, secondStep: user.secondStep, deletion: user.deletion });
});

/** After a button that was pressed twice. */
const MAY_BE_SENT =
  "your changes may be saved, and we may have sent links to your old and new addresses. Look for those links before you enter the next code.";

export const action = routeAction(
  {
    access: "signed in",
    labels: { byField: PROFILE_LABELS, codes: [] },
    refusals: ACCOUNT_REFUSALS,
  },
  async (context) => {
    const { request, session, db } = context;
    const saved = toAccountForm(session.user, await getPhone(request, session.user));
    const form = updateUntouched(context.form, saved, ["phone", "phone_country"]);
    const submission = parseForm(form, accountSchema);
    if (submission.status !== "success") return formErrorResponse(submission);
    const { email } = submission.value;
    if (email === session.user.email) {
      await saveProfile(db, submission.value, paths.account());
      return redirectWithFlash(paths.account(), "Profile updated!");
    }
    const confirmed = await confirmIdentity(context, MAY_BE_SENT);
    if ("refused" in confirmed) return formErrorResponse(submission, confirmed.refused);
    await saveProfile(confirmed.db, submission.value, paths.account());
    try {
      await changeEmail(session.user.id, confirmed.tokens, email);
    } catch (error) {
      const { email: _, ...others } = saved;
      const shown = asTyped(markAsSeen(form, Object.keys(others)));
      return formErrorResponse(shown, explainEmailChangeFailure(error));
    }
    return redirectWithFlash(
      paths.account(),
      "Profile updated! To change your email address, open the links we’ve sent to your old and new addresses. If they don’t arrive, try again in an hour.",
    );
  },
);

export default function Account() {
  const { saved, phone, required, secondStep, deletion } = useLoaderData<typeof loader>();
  const answer = useActionData<typeof action>();
  const light = useLightVersion();
  const { key: visit } = useLocation();
  const form = createFormState<keyof AccountForm | "app_code" | "current_password" | "seen">({
    id: "account",
    lastResult: answer?.lastResult,
    required,
    saved: withSeenValues(saved),
  });
  // A new email address could take the account away, so it needs the password or the code.
  const changesEmail = answer !== undefined && form.field("email").value !== saved.email;
  return (
    <>
      <PageHeader title="My Account" />
      <DeletionNotice deletion={deletion} />
      <ErrorSummary form={form} />
      <h2>Personal Information</h2>
      {/* The key replaces the form after each save, so that it shows what is saved and not what was
          typed: an email address that awaits confirmation is not yet the account's. After Back, browsers restore
          nothing once consent was given or withdrawn elsewhere, because they would restore even boxes that no one
          touched. */}
      <PostForm key={visit} form={form} version={[saved.opted_in, saved.sms_opted_in]}>
        <SeenValues field={form.field("seen")} />
        <TextField
          field={form.field("full_name")}
          label={PROFILE_LABELS.full_name}
          limit={PROFILE_LIMITS.full_name}
          optional
          autoComplete="name"
          hint="Visible to our team and to owners of listings you manage."
        />
        <TextField
          field={form.field("email")}
          label={PROFILE_LABELS.email}
          type="email"
          autoComplete="email"
          hint="You use this to sign in. To change it, confirm from both your old and new addresses."
        />
        {changesEmail ? <IdentityField form={form} secondStep={secondStep} /> : null}
        <ProfileFields form={form} phone={phone} validated={answer !== undefined} />
        <SubmitButton busyText="Saving…">Save</SubmitButton>
      </PostForm>
      <h2>Password</h2>
      <p>
        <Link to={paths.recovery()}>Change your password</Link> with a link we’ll email you.
      </p>
      <h2>Two-step sign-in</h2>
      <p>
        <Link to={paths.twoStep()}>
          {secondStep ? "It’s on. Change it or get new recovery codes" : "Turn it on"}
        </Link>
      </p>
      <h2>Email settings</h2>
      <p>
        <Link to={paths.emailPreferences()}>Choose which emails you get</Link>
      </p>
      <h2>Light version</h2>
      <p className="measure">
        {light
          ? "You’re using it in this browser. Pages load without JavaScript."
          : "For a slow connection or limited data. Pages load without JavaScript."}{" "}
        Everything still works, but a few conveniences are off, such as suggestions and drafts that
        save as you type.
      </p>
      <VersionForm variant="quiet" />
      <h2>Purchases</h2>
      <p>
        <Link to={paths.purchases()}>See your payments, receipts and invoices</Link>
      </p>
      <h2>Privacy</h2>
      <p>
        <Link to={paths.privacy()}>
          See what we know about you, turn on discreet mode, or download or delete your data
        </Link>
      </p>
    </>
  );
}
