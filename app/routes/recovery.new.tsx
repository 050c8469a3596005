import { json, redirect } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";

import { createFormState } from "~/components/forms/form-state";
import { expireCookie, signUpCookie } from "~/http/cookies.server";
import { endOtherSession, endUnusedSession } from "~/http/end-session.server";
import { unavailable } from "~/http/errors.server";
import { redirectWithFlash } from "~/http/flash.server";
import { readField, parseForm, formErrorResponse, getRequiredFields } from "~/http/form.server";
import { paths } from "~/http/paths";
import { routeAction, routeLoader, type ActionContext } from "~/http/route.server";
import { beginRecovery, serializeSession } from "~/http/session.server";
import {
  AuthServiceError,
  setPassword,
  signOut,
  redeemEmailLink,
} from "~/integrations/supabase/auth.server";
import {
  findKnownLink,
  findLinkAccount,
  forgetLink,
  readOpenedLink,
} from "~/modules/accounts/emailed-link.server";
import { EmailedLinkButton } from "~/modules/accounts/emailed-link-button";
import { explainPasswordFailure } from "~/modules/accounts/auth-failures.server";
import {
  findPasswordOwner,
  hasNewPassword,
  rememberNewPassword,
} from "~/modules/accounts/new-password.server";
import { NewPasswordFields, PasswordUpdated } from "~/modules/accounts/new-password";
import {
  readReturnPath,
  redirectToSignIn,
  requireLink,
  usedLink,
} from "~/modules/accounts/recovery-redirects.server";
import { recognizeSignUp, restoreSignUp } from "~/modules/accounts/sign-up.server";
import { newPasswordSchema, type NewPasswordForm } from "~/modules/accounts/schemas.server";
import { triggerEmailDelivery } from "~/modules/emails/deliver-queue.server";
import { readOpenedInvitation } from "~/modules/managers/invitation.server";

const PER_VISITOR = { name: "recovery-link", max: 30, windowSeconds: 60 * 60 };

export const handle = { title: "New password", bare: true };

/**
 * The page has three steps: a link from an email (a button redeems it, since mail scanners open
 * links as well), the form of a session that began with such a link, and the form's success. The
 * form is also for a new account that was confirmed in another browser than the one that signed up.
 */
export const loader = routeLoader({ access: "open" }, async (context) => {
  const { request, session, sessionState, url } = context;
  const isDone = url.searchParams.get("done") === "yes";
  if (isDone && session && (await hasNewPassword(request, session.user.id)))
    return page("done", { returnTo: await readReturnPath(request) });
  const tokenHash = await readOpenedLink(context, paths.newPassword());
  const account = tokenHash === null ? null : await findLinkAccount(tokenHash, session);
  if (tokenHash !== null && account) return page("link", { tokenHash, ...account });
  // Of a button that was pressed twice, the first answer brought a session.
  const hasBegun = session ? session.recovery !== null : sessionState === "second step due";
  const isUsed = tokenHash !== null || url.searchParams.has("used");
  if (isUsed && !hasBegun) return usedLink(context);
  if (sessionState === "unknown") throw unavailable();
  if (!session) return redirectToSignIn(context);
  if (!session.recovery) return requireLink(request);
  return page("form", {
    required: getRequiredFields(newPasswordSchema({ email: "", name: "" })),
    newAccount: session.recovery.newAccount,
  });
});

export const action = routeAction({ access: "open" }, { openLink: followLink, save });

async function followLink(context: ActionContext<"open">) {
  const { request, form, session, setCookie, log } = context;
  const tokenHash = readField(form, "token_hash");
  const link = await findKnownLink(request, tokenHash, PER_VISITOR);
  if (!link) return redirect(USED, { status: 303 });
  try {
    // The link confirms the address as well. Unless the sign-up was in this browser, anyone may have filled it in.
    const newAccount = !link.confirmed && !(await recognizeSignUp(request, tokenHash));
    const tokens = await redeemEmailLink("recovery", tokenHash);
    if (!tokens) return redirect(USED, { status: 303 });
    setCookie(await forgetLink());
    if (!link.confirmed) setCookie(await expireCookie(signUpCookie()));
    await endOtherSession(request, tokens, log);
    // Someone who is in the account anyway stays there without a new password, in the session that they have.
    const isIn = session !== null && !session.limited && session.user.id === link.user;
    if (isIn) endUnusedSession(request, tokens, log);
    const kept = isIn ? session.tokens : tokens;
    setCookie(await serializeSession(kept, beginRecovery(kept, { newAccount })));
    return redirect(paths.newPassword(), { status: 303 });
  } catch (error) {
    if (!(error instanceof AuthServiceError) || error.failure !== "refused") throw error;
    return redirect(USED, { status: 303 });
  }
}

async function save(context: ActionContext<"open">) {
  const { request, form, session, sessionState, setCookie, log } = context;
  if (sessionState === "unknown") throw unavailable();
  if (!session) return redirectToSignIn(context);
  if (!session.recovery) return requireLink(request);
  const { email } = session.user;
  let submission = parseForm(form, newPasswordSchema({ email, name: "" }));
  // Someone who has seen only the mailbox doesn't guess the name with forms that change nothing.
  if (submission.status === "success")
    submission = parseForm(form, newPasswordSchema(await findPasswordOwner(session)));
  if (submission.status !== "success") return formErrorResponse(submission);
  try {
    await setPassword(session.tokens, submission.value.password);
  } catch (error) {
    return formErrorResponse(submission, explainPasswordFailure(error));
  }
  triggerEmailDelivery();
  try {
    // Someone who is signed in elsewhere may be the reason for the new password.
    await signOut(session.tokens, "others");
  } catch (error) {
    if (!(error instanceof AuthServiceError)) throw error;
    log.warn({ failure: error.failure }, "other sessions could not be ended");
  }
  setCookie(await serializeSession(session.tokens));
  if (session.recovery.newAccount) {
    const isRestored = await restoreSignUp(session.user, submission.value.password);
    const invited = (await readOpenedInvitation(request)) !== null;
    if (invited) return redirectWithFlash(paths.invitation(), WELCOME_INVITED);
    // Where the form isn't known to be theirs, they read nothing of it (confirm_account).
    const isKept = isRestored || session.user.fullName !== "";
    return redirectWithFlash(paths.account(), isKept ? WELCOME : WELCOME_AGAIN);
  }
  setCookie(await rememberNewPassword(session.user.id));
  return redirect(`${paths.newPassword()}?done=yes`, { status: 303 });
}

/** Says that the link was used, unless this browser has its session. */
const USED = `${paths.newPassword()}?used=yes`;

const WELCOME =
  "Welcome! Your password is saved. Now, please check your details and email choices here.";
const WELCOME_AGAIN =
  "Welcome! Your password is saved. We didn’t keep the details from the sign-up form, because we can’t tell who filled it in. Please enter yours here, with your email choices.";
const WELCOME_INVITED =
  "Welcome! Your password is saved. Please check your details and email choices under My Account, too.";

interface Page {
  tokenHash?: string;
  /** The address of the account that the link opens, and of another one that is signed in. */
  email?: string;
  current?: string | null;
  newAccount?: boolean;
  required?: string[];
  /** The link of the last step. */
  returnTo?: string;
}

const page = (
  step: "link" | "form" | "done",
  {
    tokenHash = "",
    email = "",
    current = null,
    newAccount = false,
    required = [],
    returnTo = paths.home(),
  }: Page,
) => json({ step, tokenHash, email, current, newAccount, required, returnTo });

export default function NewPassword() {
  const { step, tokenHash, email, current, newAccount, required, returnTo } =
    useLoaderData<typeof loader>();
  const answer = useActionData<typeof action>();
  const form = createFormState<keyof NewPasswordForm>({
    id: "new-password",
    lastResult: answer?.lastResult,
    required,
  });
  if (step === "link") {
    return (
      <EmailedLinkButton
        title="New password"
        tokenHash={tokenHash}
        email={email}
        current={current}
        label="Choose a new password"
      >
        The link in the email works once. This button uses it.
      </EmailedLinkButton>
    );
  }
  if (step === "done") return <PasswordUpdated returnTo={returnTo} />;
  return <NewPasswordFields form={form} newAccount={newAccount} />;
}
