import { describeFailure } from "~/http/describe-failure.server";
import { type HttpError, isTooManyRequests, tooManyRequests } from "~/http/errors.server";
import type { FormErrorOptions } from "~/http/form.server";
import { log, redactSecrets } from "~/http/log.server";
import { AUTH_FAILURES, type AuthFailure } from "~/integrations/supabase/auth-errors";
import { AuthServiceError } from "~/integrations/supabase/auth.server";
import { currentScope } from "~/integrations/upstream/request-scope.server";

const UNAVAILABLE =
  "We can’t reach the sign-in service right now. Nothing you typed is lost. Please try again in a minute.";

const formError = (status: FormErrorOptions["status"], message: string): FormErrorOptions => ({
  status,
  errors: { "": [message] },
});

/** The form's error for too many attempts. @param before what was done nonetheless */
const limitedError = ({ title, message, headers }: HttpError, before = ""): FormErrorOptions => ({
  ...formError(429, `${before}${title}. ${message}`),
  headers,
});

const OUR_FAULT =
  "That didn’t work, and it’s our fault. Nothing you typed is lost. We’ve made a note of it. Please try again later.";

/** A captcha was not solved, or used twice. */
export const CAPTCHA_FAILED =
  "We couldn’t verify that you’re a person. Please try the check again, then submit.";

/** What users read about failures that mean the same everywhere: the field, and the sentence. */
const EVERYWHERE: Partial<
  Record<AuthFailure, [status: 400 | 500 | 503, field: string, message: string]>
> = {
  address: [400, "email", "We can’t send email to this address. Please check it."],
  captcha: [400, "", CAPTCHA_FAILED],
  "step-up": [400, "", "To keep your account safe, please sign out, sign in again and retry."],
  closed: [503, "", "This isn’t possible right now, and it’s our fault. Please try again later."],
  setup: [500, "", OUR_FAULT],
  unknown: [500, "", OUR_FAULT],
};

/**
 * Logs what someone who runs the server should know about a failure of the auth service: the call,
 * and what the user read.
 * @returns the answer
 */
export function logAuthFailure(
  error: AuthServiceError,
  answer: FormErrorOptions,
): FormErrorOptions {
  const { log: level } = AUTH_FAILURES[error.failure];
  if (level === "nothing") return answer;
  const line = {
    ...describeFailure(error),
    status: answer.status,
    call: currentScope()?.failedCall,
    shown: redactSecrets(
      Object.values(answer.errors ?? {})
        .flat()
        .join(" "),
    ),
  };
  log()[level === "error" ? "error" : "warn"](line, "the auth service refused a request");
  return answer;
}

/**
 * The form's errors for a failure that means the same wherever it happens: the auth service is down, too many
 * attempts, or something about the project.
 * @returns null for a failure that depends on what was asked for
 */
export function explainGeneralFailure(error: AuthServiceError): FormErrorOptions | null {
  if (error.failure === "unavailable") return formError(503, UNAVAILABLE);
  if (error.failure === "limited") return limitedError(tooManyRequests(error.retryAfter));
  const general = EVERYWHERE[error.failure];
  if (!general) return null;
  const [status, field, message] = general;
  return { status, errors: { [field]: [message] } };
}

/**
 * The form's errors for a failure of the auth service, or for too many attempts.
 * @param describe the field and the message for the failures that depend on what was asked for
 * @throws the error itself when it is another one
 */
function explainFailure(
  error: unknown,
  describe: (failure: AuthFailure) => [field: string, message: string],
): FormErrorOptions {
  if (isTooManyRequests(error)) return limitedError(error);
  if (!(error instanceof AuthServiceError)) throw error;
  const [field, message] = describe(error.failure);
  const specific: FormErrorOptions = { status: 400, errors: { [field]: [message] } };
  return logAuthFailure(error, explainGeneralFailure(error) ?? specific);
}

/**
 * Why signing in failed. A wrong password, an unknown address, and one that isn't confirmed get the
 * same message: someone could sign up with another person's address, and a separate message would
 * reveal that the person has no account yet, and when they confirm one.
 */
export function explainSignInFailure(error: unknown): FormErrorOptions {
  return explainFailure(error, () => [
    "",
    "That email address and password don’t match, or the address isn’t confirmed yet. If you’ve just signed up, open the link in our email first. If you can’t find it, select “Forgot your password?” to get a new link.",
  ]);
}

const PASSWORD_MESSAGES: Partial<Record<AuthFailure, string>> = {
  "weak-password": "That password is too easy to guess. Please choose another.",
  "same-password":
    "That’s already your password. If you’ve just chosen it, it’s saved. Otherwise, please choose another.",
  invalid: "That password can’t be used. Please choose another.",
};
const LINK_USED =
  "Your link has expired or was already used, so your password hasn’t changed. Please request a new link.";

/** Why a visitor’s form can’t be accepted now: too many attempts, or the auth service is down. */
export function explainVisitorFailure(error: unknown): FormErrorOptions {
  return explainFailure(error, () => ["", UNAVAILABLE]);
}

/** Why a password could not be set. */
export function explainPasswordFailure(error: unknown): FormErrorOptions {
  return explainFailure(error, (failure) => {
    const message = PASSWORD_MESSAGES[failure];
    return message ? ["password", message] : ["", LINK_USED];
  });
}

const EMAIL_CHANGE_UNKNOWN = formError(
  503,
  "Everything else is saved, but the sign-in service didn’t answer, so we can’t tell whether your email change has started. Your old address stays in use until you open the links we send. You can safely save again.",
);
const EMAIL_CHANGE_LIMITED = "Everything else is saved, but your email address hasn’t changed. ";

/**
 * Why a change of the email address could not be requested, after the rest of the profile was
 * saved.
 */
export function explainEmailChangeFailure(error: unknown): FormErrorOptions {
  if (!(error instanceof AuthServiceError)) throw error;
  return logAuthFailure(error, describeEmailChangeFailure(error));
}

function describeEmailChangeFailure(error: AuthServiceError): FormErrorOptions {
  if (error.failure === "unavailable") return EMAIL_CHANGE_UNKNOWN;
  if (error.failure === "limited")
    return limitedError(tooManyRequests(error.retryAfter), EMAIL_CHANGE_LIMITED);
  if (error.failure === "address" || error.failure === "invalid") {
    const message =
      "Everything else is saved, but we can’t send email to the new address, so yours hasn’t changed. Please check it.";
    return { status: 400, errors: { email: [message] } };
  }
  const [status, , message] = EVERYWHERE[error.failure] ?? [400, "", OUR_FAULT];
  return formError(status, `Everything else is saved, but not your email address. ${message}`);
}
