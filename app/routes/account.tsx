import { json } from "@remix-run/node";
import { Link, useActionData, useLoaderData, useLocation } from "@remix-run/react";

import { ErrorSummary } from "~/components/forms/error-summary";
import { PostForm } from "~/components/forms/form";
import { formState } from "~/components/forms/form-state";
import { SubmitButton } from "~/components/forms/submit-button";
import { TextField } from "~/components/forms/text-field";
import { PageHeader } from "~/components/ui/page-header";
import { redirectWithFlash } from "~/http/flash.server";
import { parseForm, refuse, requiredFields } from "~/http/form.server";
import { paths } from "~/http/paths";
import { visitorAddress } from "~/http/rate-limit.server";
import { routeAction, routeLoader } from "~/http/route.server";
import { guessCountry } from "~/integrations/geoip/country.server";
import { PersonFields } from "~/modules/accounts/person-fields";
import { phoneDefaults } from "~/modules/accounts/phone.server";
import { saveProfile } from "~/modules/accounts/profile.server";
import { mailRefusal } from "~/modules/accounts/refusals.server";
import { accountSchema, type AccountForm } from "~/modules/accounts/schema.server";

export const handle = { title: "My Account" };

export const loader = routeLoader({ access: "signed in" }, async ({ request, session }) => {
  const { user } = session;
  const phone = phoneDefaults(user.phone, await guessCountry(request, visitorAddress(request)));
  const saved = {
    full_name: user.fullName,
    email: user.email,
    phone: phone.number,
    phone_country: phone.country,
    postalcode: user.postalCode ?? "",
    pronouns: user.pronouns ?? "",
    opted_in: user.optedIn ? "on" : "",
    sms_opted_in: user.smsOptedIn ? "on" : "",
  };
  return json({ saved, phone, required: requiredFields(accountSchema) });
});

export const action = routeAction({ access: "signed in" }, async ({ form, session, db }) => {
  const submission = parseForm(form, accountSchema);
  if (submission.status !== "success") return refuse(submission);
  try {
    const { emailAsked } = await saveProfile(db, session, submission.value, paths.account());
    return await redirectWithFlash(
      paths.account(),
      emailAsked
        ? "Profile updated! To change your e-mail address, open the links we’ve sent to your old and new address."
        : "Profile updated!",
    );
  } catch (error) {
    return refuse(submission, mailRefusal(error));
  }
});

export default function Account() {
  const { saved, phone, required } = useLoaderData<typeof loader>();
  const refused = useActionData<typeof action>();
  const { key: visit } = useLocation();
  const form = formState<keyof AccountForm>({ id: "account", lastResult: refused?.lastResult, required, saved });
  return (
    <>
      <PageHeader title="My Account" />
      <ErrorSummary form={form} />
      <h2>Personal Information</h2>
      {/* Drawn anew after each save, so that it shows what is saved and not what was typed: an e-mail
          address that waits to be confirmed is not yet this account's. */}
      <PostForm key={visit} form={form}>
        <TextField field={form.field("full_name")} label="Full name" autoComplete="name" hint="Only the directory’s team can see it." />
        <TextField
          field={form.field("email")}
          label="Email"
          type="email"
          autoComplete="email"
          hint="You sign in with it. A new address counts once you have opened the links we send to both."
        />
        <PersonFields form={form} phone={phone} checked={refused !== undefined} />
        <SubmitButton>Save</SubmitButton>
      </PostForm>
      <h2>Password</h2>
      <p>
        <Link to={paths.recovery()}>Choose a new password</Link>: we’ll send a link to your address.
      </p>
    </>
  );
}
