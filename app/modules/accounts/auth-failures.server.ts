import { HttpError, tooManyRequests } from "~/http/errors.server";
import type { FormErrorOptions } from "~/http/form.server";
import { AuthServiceError, type AuthFailure } from "~/integrations/supabase/auth.server";

const UNAVAILABLE =
  "We can’t reach the sign-in service right now. Nothing you typed is lost: please try again in a minute.";

const formError = (status: FormErrorOptions["status"], message: string): FormErrorOptions => ({
  status,
  errors: { "": [message] },
});

/** The form's error for too many attempts. @param before what was done nonetheless */
const limitedError = ({ title, message, headers }: HttpError, before = ""): FormErrorOptions => ({
  ...formError(429, `${before}${title}. ${message}`),
  headers,
});

/**
 * The form's errors for a failure of the auth service, or for too many attempts.
 * @param describe the field and the message for the other failures
 * @throws the error itself when it is another one
 */
function explainFailure(
  error: unknown,
  describe: (failure: AuthFailure) => [field: string, message: string],
): FormErrorOptions {
  if (error instanceof HttpError && error.status === 429) return limitedError(error);
  if (!(error instanceof AuthServiceError)) throw error;
  if (error.failure === "unavailable") return formError(503, UNAVAILABLE);
  if (error.failure === "limited") return limitedError(tooManyRequests(error.retryAfter));
  const [field, message] = describe(error.failure);
  return { status: 400, errors: { [field]: [message] } };
}

/**
 * Why signing in failed. A wrong password, an unknown address, and one that isn't confirmed get the same
 * message: someone could sign up with another person's address, and would learn from a message of its own
 * that the person has no account yet, and when they confirm one.
 */
export function explainSignInFailure(error: unknown): FormErrorOptions {
  return explainFailure(error, () => [
    "",
    "That email address and password don’t match, or the address isn’t confirmed yet. If you’ve just signed up, open the link in our email first. If you can’t find it, select “Forgot your password?” to get a new link.",
  ]);
}

const PASSWORD_MESSAGES: Partial<Record<AuthFailure, string>> = {
  "weak-password": "That password is too easy to guess. Please choose another.",
  "same-password": "That is your password already. Please choose another.",
};

/** Why a visitor’s form can’t be accepted now: too many attempts, or the auth service is down. */
export function explainVisitorFailure(error: unknown): FormErrorOptions {
  return explainFailure(error, () => ["", UNAVAILABLE]);
}

/** Why a password could not be set. */
export function explainPasswordFailure(error: unknown): FormErrorOptions {
  return explainFailure(error, (failure) => [
    "password",
    PASSWORD_MESSAGES[failure] ?? "That password can’t be used. Please choose another.",
  ]);
}

const EMAIL_CHANGE_UNKNOWN = formError(
  503,
  "Everything else is saved, but the sign-in service did not answer: we can’t tell whether your new email address was asked for. Until you open the links we send, the old one stays. To ask again, save again: that is safe.",
);
const EMAIL_CHANGE_LIMITED =
  "Everything else is saved, but your email address is still the old one. ";

/**
 * Why a change of the email address could not be requested, after the rest of the profile was
 * saved.
 */
export function explainEmailChangeFailure(error: unknown): FormErrorOptions {
  if (!(error instanceof AuthServiceError)) throw error;
  if (error.failure === "unavailable") return EMAIL_CHANGE_UNKNOWN;
  if (error.failure === "limited")
    return limitedError(tooManyRequests(error.retryAfter), EMAIL_CHANGE_LIMITED);
  const message =
    "Everything else is saved, but we can’t send to this address, so your email address is still the old one. Please check it.";
  return { status: 400, errors: { email: [message] } };
}
