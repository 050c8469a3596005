import { json, redirect } from "@remix-run/node";
import { Link, useActionData, useLoaderData } from "@remix-run/react";

import { ErrorSummary } from "~/components/forms/error-summary";
import { PostForm } from "~/components/forms/form";
import { formState } from "~/components/forms/form-state";
import { PasswordField } from "~/components/forms/password-field";
import { SubmitButton } from "~/components/forms/submit-button";
import { unavailable } from "~/http/errors.server";
import { redirectWithFlash } from "~/http/flash.server";
import { fieldText, parseForm, refuse, requiredFields } from "~/http/form.server";
import { secretParam } from "~/http/incoming.server";
import { paths } from "~/http/paths";
import { limitTries, visitorAddress } from "~/http/rate-limit.server";
import { routeAction, routeLoader, type ActionContext } from "~/http/route.server";
import { keepSession } from "~/http/session.server";
import { AuthRefusal, setPassword, signOut, openLink } from "~/integrations/supabase/auth.server";
import { EmailedLinkButton } from "~/modules/accounts/emailed-link-button";
import { passwordRefusal } from "~/modules/accounts/refusals.server";
import { newPasswordSchema, type NewPasswordForm } from "~/modules/accounts/schema.server";

const PER_VISITOR = { name: "recovery-link", max: 30, windowSeconds: 60 * 60 };

export const handle = { title: "New password", bare: true };

/**
 * Three states of one page: a link from an e-mail (a button uses it up, since mail scanners open links
 * too), a session that came by such a link (the form), and the form's success.
 */
export const loader = routeLoader({ access: "open" }, async ({ request, session, sessionState, url }) => {
  const tokenHash = secretParam(request, "token_hash");
  if (tokenHash) return json({ step: "link" as const, tokenHash, required: [] as string[] });
  if (url.searchParams.get("done") === "yes" && session) return json({ step: "done" as const, tokenHash: null, required: [] as string[] });
  if (sessionState === "unknown") throw unavailable();
  if (!session) return redirect(paths.login(paths.newPassword()));
  if (!session.recovery) return redirectToRecovery("To choose a new password, ask for a link here.");
  return json({ step: "form" as const, tokenHash: null, required: requiredFields(newPasswordSchema) });
});

export const action = routeAction({ access: "open" }, { openLink: followLink, save });

async function followLink({ request, form, setCookie }: ActionContext<"open">) {
  await limitTries(PER_VISITOR, visitorAddress(request));
  try {
    const tokens = await openLink("recovery", fieldText(form, "token_hash"));
    if (!tokens) return redirectToRecovery(USED_LINK);
    setCookie(await keepSession(tokens, true));
    return redirect(paths.newPassword(), { status: 303 });
  } catch (error) {
    if (!(error instanceof AuthRefusal) || error.failure !== "refused") throw error;
    return redirectToRecovery(USED_LINK);
  }
}

async function save({ form, session, sessionState, setCookie, log }: ActionContext<"open">) {
  if (sessionState === "unknown") throw unavailable();
  if (!session) return redirect(paths.login(paths.newPassword()));
  if (!session.recovery) return redirectToRecovery("To choose a new password, ask for a link here.");
  const submission = parseForm(form, newPasswordSchema);
  if (submission.status !== "success") return refuse(submission);
  try {
    await setPassword(session.tokens, submission.value.password);
  } catch (error) {
    return refuse(submission, passwordRefusal(error));
  }
  try {
    // Whoever was signed in elsewhere may be the reason for the new password.
    await signOut(session.tokens, "others");
  } catch (error) {
    if (!(error instanceof AuthRefusal)) throw error;
    log.warn({ failure: error.failure }, "other sessions could not be ended");
  }
  setCookie(await keepSession(session.tokens));
  return redirect(`${paths.newPassword()}?done=yes`, { status: 303 });
}

const USED_LINK = "That link has been used already or is too old. Ask for a new one here.";

function redirectToRecovery(text: string) {
  return redirectWithFlash(paths.recovery(), { tone: "info", text });
}

export default function NewPassword() {
  const { step, tokenHash, required } = useLoaderData<typeof loader>();
  const refused = useActionData<typeof action>();
  const form = formState<keyof NewPasswordForm>({ id: "new-password", lastResult: refused?.lastResult, required });
  if (step === "link") {
    return (
      <EmailedLinkButton title="New password" tokenHash={tokenHash} label="Choose a new password">
        The link in the e-mail works once. Press the button to use it now.
      </EmailedLinkButton>
    );
  }
  if (step === "done") {
    return (
      <>
        <h1>Your password has been updated!</h1>
        <p>Anybody who was signed in with the old one has been signed out.</p>
        <p>
          <Link to={paths.home()}>Go to your dashboard</Link>
        </p>
      </>
    );
  }
  return (
    <>
      <h1>New password</h1>
      <ErrorSummary form={form} />
      <PostForm form={form} intent="save">
        <PasswordField field={form.field("password")} label="New Password" hint="At least 8 characters." autoComplete="new-password" />
        <PasswordField field={form.field("confirm_password")} label="Confirm Password" autoComplete="new-password" />
        <SubmitButton>Update password</SubmitButton>
      </PostForm>
    </>
  );
}
