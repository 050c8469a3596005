import { json, redirect } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";

import { ErrorSummary } from "~/components/forms/error-summary";
import { PostForm } from "~/components/forms/form";
import { createFormState } from "~/components/forms/form-state";
import { SubmitButton } from "~/components/forms/submit-button";
import { ButtonLink } from "~/components/ui/button";
import { PageHeader } from "~/components/ui/page-header";
import { TextLink } from "~/components/ui/text-link";
import { authenticatorCookie, expireCookie } from "~/http/cookies.server";
import { redirectWithFlash } from "~/http/flash.server";
import { formErrorResponse, getRequiredFields, parseForm, readField } from "~/http/form.server";
import { paths } from "~/http/paths";
import { routeAction, routeLoader } from "~/http/route.server";
import { toSafePath } from "~/http/safe-path.server";
import { serializeSession } from "~/http/session.server";
import { AuthServiceError } from "~/integrations/supabase/auth.server";
import { createUserClient } from "~/integrations/supabase/clients.server";
import { DataError } from "~/integrations/supabase/data.server";
import { triggerEmailDelivery } from "~/modules/emails/deliver-queue.server";
import { AppCodeField } from "~/modules/two-step/app-code-field";
import { UsedCodeError, verifyAppCode } from "~/modules/two-step/app-code.server";
import { explainCodeFailure } from "~/modules/two-step/code-failures.server";
import { groupSecret, readNewAuthenticator } from "~/modules/two-step/new-authenticator.server";
import { serializeRecoveryCodes } from "~/modules/two-step/recovery-codes.server";
import { appCodeSchema, type AppCodeForm } from "~/modules/two-step/schemas.server";
import { createRecoveryCodes } from "~/modules/two-step/two-step.server";

export const handle = { title: "Add your authenticator app" };

export const loader = routeLoader({ access: "signed in" }, async ({ request, session, url }) => {
  const authenticator = await readNewAuthenticator(request, session.user.id);
  if (!authenticator) return redirect(paths.twoStep());
  const to = url.searchParams.get("redirectTo");
  return json({
    app: authenticator.id,
    secret: groupSecret(authenticator.secret),
    uri: authenticator.uri,
    redirectTo: to === null ? "" : toSafePath(to),
    required: getRequiredFields(appCodeSchema),
  });
});

const TOO_LATE = {
  tone: "problem",
  text: "Setup took too long, so your app’s code no longer works. Please remove the entry in your authenticator app and start again.",
} as const;

/** In another tab, from which the browser has the key now. */
const REPLACED = {
  tone: "info",
  text: "Setup was started again in another tab, which replaced the key that was here. Please add the key below, and remove the earlier entry from your authenticator app.",
} as const;

/** The form was sent again, or from another tab. Without the entry, no one could sign in anymore. */
const IS_ON = {
  tone: "info",
  text: "Two-step sign-in is on. Keep the entry in your authenticator app. If you haven’t saved your recovery codes, create new ones.",
} as const;

/** Someone who removes the entry of an app that is theirs now could not sign in anymore, and has no recovery codes yet. */
const MAY_BE_ON =
  "We can’t tell whether two-step sign-in is on now, so keep the entry in your authenticator app. Please enter the next code that it shows.";

/** Why the first code was not accepted. It may have been: by the same button pressed twice, or by an answer that was lost. */
function explainFirstCodeFailure(error: unknown) {
  const answer = explainCodeFailure(error);
  const unknown =
    error instanceof UsedCodeError ||
    (error instanceof AuthServiceError && error.failure === "unavailable");
  return unknown ? { ...answer, errors: { app_code: [MAY_BE_ON] } } : answer;
}

export const action = routeAction(
  { access: "signed in" },
  async ({ request, form, session, setCookie, log }) => {
    const authenticator = await readNewAuthenticator(request, session.user.id);
    if (!authenticator)
      return redirectWithFlash(paths.twoStep(), session.user.secondStep ? IS_ON : TOO_LATE);
    const to = form.get("redirectTo");
    const path = to ? toSafePath(to) : undefined;
    // A page of the release before sends none.
    const app = readField(form, "app");
    if (app !== "" && app !== authenticator.id)
      return redirectWithFlash(paths.newAuthenticator(path), REPLACED);
    const submission = parseForm(form, appCodeSchema);
    if (submission.status !== "success") return formErrorResponse(submission);
    try {
      const tokens = await verifyAppCode({
        userId: session.user.id,
        tokens: session.tokens,
        factors: [authenticator.id],
        code: submission.value.app_code,
      });
      setCookie(await serializeSession(tokens, session.recovery));
      setCookie(await expireCookie(authenticatorCookie()));
      const codes = await createRecoveryCodes(createUserClient(tokens.accessToken));
      setCookie(await serializeRecoveryCodes(session.user.id, codes));
    } catch (error) {
      if (error instanceof AuthServiceError && error.failure === "no-factor")
        return redirectWithFlash(paths.twoStep(), TOO_LATE);
      if (!(error instanceof DataError)) {
        return formErrorResponse(submission, explainFirstCodeFailure(error));
      }
      log.warn({ failure: error.failure, code: error.code }, "no recovery codes after enrolling");
      return redirectWithFlash(paths.twoStep(), {
        tone: "problem",
        text: "Two-step sign-in is on, but your recovery codes couldn’t be created. Please create them now.",
      });
    }
    triggerEmailDelivery();
    return redirect(paths.recoveryCodes(path), { status: 303 });
  },
);

export default function NewAuthenticator() {
  const { app, secret, uri, redirectTo, required } = useLoaderData<typeof loader>();
  const answer = useActionData<typeof action>();
  const form = createFormState<keyof AppCodeForm>({
    id: "authenticator",
    lastResult: answer?.lastResult,
    required,
  });
  return (
    <>
      <PageHeader title={handle.title} kicker="Two-step sign-in" />
      <ErrorSummary form={form} />
      {/* On a phone, the app is most likely on this device; on a wide screen, it is on another one. */}
      <div className="fields">
        <p className="narrow-only">
          <ButtonLink variant="quiet" href={uri}>
            Open in my authenticator app
          </ButtonLink>
        </p>
        <div>
          <p>If that doesn’t work, enter this key in the app.</p>
          <p>
            Key:{" "}
            <code className="select-all" translate="no">
              {secret}
            </code>
          </p>
        </div>
        <p>Then enter the code that the app shows.</p>
        <PostForm form={form} unsaved="drop">
          <input type="hidden" name="redirectTo" value={redirectTo} />
          <input type="hidden" name="app" value={app} />
          <AppCodeField field={form.field("app_code")} />
          <SubmitButton>Turn on two-step sign-in</SubmitButton>
        </PostForm>
        <p>
          <TextLink to={paths.twoStep()}>Cancel</TextLink>
        </p>
        {/* A phone can’t scan itself: there, it would be between the key and the field for the code. */}
        <div className="wide-first">
          <p className="mb-2">Is your authenticator app on another device? Scan this with it.</p>
          <img
            // That of another key has the same address.
            key={app}
            src={paths.authenticatorQrCode()}
            alt="QR code with the same key"
            width={240}
            height={240}
          />
        </div>
      </div>
    </>
  );
}
