import { json, redirect, replace } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";

import { ErrorSummary } from "~/components/forms/error-summary";
import { PostForm } from "~/components/forms/form";
import { createFormState } from "~/components/forms/form-state";
import { SubmitButton } from "~/components/forms/submit-button";
import { TextField } from "~/components/forms/text-field";
import { tooManyRequests, unavailable } from "~/http/errors.server";
import { redirectWithFlash } from "~/http/flash.server";
import { formErrorResponse, getRequiredFields, parseForm } from "~/http/form.server";
import { paths } from "~/http/paths";
import { enforceRateLimit, getClientNetwork } from "~/http/rate-limit.server";
import { routeAction, routeLoader, type ActionContext } from "~/http/route.server";
import { toSafePath } from "~/http/safe-path.server";
import { serializeSession, verifySession, type UnfinishedSession } from "~/http/session.server";
import { triggerEmailDelivery } from "~/modules/emails/deliver-queue.server";
import { AppCodeField } from "~/modules/two-step/app-code-field";
import { verifyAppCode } from "~/modules/two-step/app-code.server";
import { explainCodeFailure } from "~/modules/two-step/code-failures.server";
import {
  appCodeSchema,
  recoveryCodeSchema,
  type AppCodeForm,
  type RecoveryCodeForm,
} from "~/modules/two-step/schemas.server";
import { redeemRecoveryCode } from "~/modules/two-step/two-step.server";

const RECOVERY_PER_VISITOR = { name: "recovery-code-visitor", max: 30, windowSeconds: 15 * 60 };

export const handle = { title: "Two-step sign-in", bare: true };

/** The second step of signing in, for a session that began with the password. */
export const loader = routeLoader(
  { access: "open" },
  async ({ session, unfinishedSession, sessionState, url }) => {
    const redirectTo = toSafePath(url.searchParams.get("redirectTo"));
    if (sessionState === "unknown") throw unavailable();
    if (session) return replace(redirectTo);
    if (!unfinishedSession) return replace(paths.login(redirectTo));
    return json({
      redirectTo,
      required: [...getRequiredFields(appCodeSchema), ...getRequiredFields(recoveryCodeSchema)],
    });
  },
);

export const action = routeAction({ access: "open" }, { verify, recover });

/**
 * The session to complete.
 * @throws the redirect for a form that was sent without one
 */
function requireUnfinished(context: ActionContext<"open">): UnfinishedSession {
  const { session, unfinishedSession, sessionState, form } = context;
  if (sessionState === "unknown") throw unavailable();
  if (unfinishedSession) return unfinishedSession;
  const to = toSafePath(form.get("redirectTo"));
  throw redirect(session ? to : paths.login(to), { status: 303 });
}

async function verify(context: ActionContext<"open">) {
  const { form, setCookie } = context;
  const begun = requireUnfinished(context);
  const submission = parseForm(form, appCodeSchema);
  if (submission.status !== "success") return formErrorResponse(submission);
  try {
    const tokens = await verifyAppCode({
      userId: begun.user.id,
      tokens: begun.tokens,
      factors: begun.user.factors,
      code: submission.value.app_code,
    });
    setCookie(await serializeSession(tokens, begun.recovery));
  } catch (error) {
    return formErrorResponse(submission, explainCodeFailure(error));
  }
  return redirect(toSafePath(form.get("redirectTo")), { status: 303 });
}

/** The code was sent again, since its answer was lost. It has turned two-step sign-in off, and they must know that. */
const IS_OFF = {
  tone: "info",
  text: "You’re signed in, and two-step sign-in is off. To turn it back on, go to My Account.",
} as const;

async function recover(context: ActionContext<"open">) {
  const { request, form, db, session } = context;
  if (session && !session.user.secondStep)
    return redirectWithFlash(toSafePath(form.get("redirectTo")), IS_OFF);
  const begun = requireUnfinished(context);
  await enforceRateLimit(RECOVERY_PER_VISITOR, getClientNetwork(request));
  const submission = parseForm(form, recoveryCodeSchema);
  if (submission.status !== "success") return formErrorResponse(submission);
  const { used, wait } = await redeemRecoveryCode(db, submission.value.recovery_code);
  if (wait > 0) {
    const { title, message, headers } = tooManyRequests(wait);
    const errors = { recovery_code: [`${title}. ${message}`] };
    return formErrorResponse(submission, { status: 429, errors, headers });
  }
  if (!used) {
    // The same button, pressed twice, is answered when the first one is done.
    const now = await verifySession(begun.tokens, begun.recovery, false);
    if (now.kind === "active") return redirectWithFlash(toSafePath(form.get("redirectTo")), IS_OFF);
    return formErrorResponse(submission, {
      errors: { recovery_code: ["That isn’t one of your recovery codes, or it was already used."] },
    });
  }
  triggerEmailDelivery();
  return redirectWithFlash(toSafePath(form.get("redirectTo")), {
    tone: "info",
    text: "You’re signed in. Your recovery code turned off two-step sign-in and signed out your other devices. To turn two-step sign-in back on, go to My Account.",
  });
}

export default function SecondStep() {
  const { redirectTo, required } = useLoaderData<typeof loader>();
  const answer = useActionData<typeof action>();
  const lastResult = answer?.lastResult;
  const recovering = lastResult?.initialValue["intent"] === "recover";
  const code = createFormState<keyof AppCodeForm>({
    id: "code",
    lastResult: recovering ? null : lastResult,
    required,
  });
  const recovery = createFormState<keyof RecoveryCodeForm>({
    id: "recovery",
    lastResult: recovering ? lastResult : null,
    required,
  });
  return (
    <>
      <h1>Two-step sign-in</h1>
      <ErrorSummary form={recovering ? recovery : code} />
      <PostForm form={code} intent="verify" unsaved="drop">
        <input type="hidden" name="redirectTo" value={redirectTo} />
        <AppCodeField field={code.field("app_code")} />
        <SubmitButton>Continue</SubmitButton>
      </PostForm>
      <details open={recovering}>
        <summary>Use a recovery code instead</summary>
        <p className="mt-2">
          Lost your phone? A recovery code signs you in and turns two-step sign-in off, so you can
          set up a new phone.
        </p>
        <PostForm form={recovery} intent="recover" className="fields mt-4" unsaved="drop">
          <input type="hidden" name="redirectTo" value={redirectTo} />
          <TextField
            field={recovery.field("recovery_code")}
            label="Recovery code"
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            short
          />
          <SubmitButton variant="quiet">Use this code</SubmitButton>
        </PostForm>
      </details>
      <PostForm action={paths.logout()}>
        <SubmitButton variant="link">Cancel and sign out</SubmitButton>
      </PostForm>
    </>
  );
}
