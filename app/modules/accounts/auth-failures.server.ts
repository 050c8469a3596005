import { HttpError } from "~/http/errors.server";
import type { FormErrorOptions } from "~/http/form.server";
import { AuthServiceError, type AuthFailure } from "~/integrations/supabase/auth.server";

const UNAVAILABLE =
  "We can’t reach the sign-in service right now. Nothing you typed is lost: please try again in a minute.";
const LIMITED = "Too many tries. Please wait a few minutes and try again.";

const wholeForm = (status: FormErrorOptions["status"], message: string): FormErrorOptions => ({
  status,
  errors: { "": [message] },
});

/**
 * How a form is refused for a failure of the auth service or too many tries.
 * @param words the field and the sentence for a failure that the caller can put into words
 * @throws the error itself when it is of another kind
 */
function refusal(
  error: unknown,
  words: (failure: AuthFailure) => [field: string, sentence: string],
): FormErrorOptions {
  if (error instanceof HttpError && error.status === 429) {
    return { ...wholeForm(429, `${error.title}. ${error.message}`), headers: error.headers };
  }
  if (!(error instanceof AuthServiceError)) throw error;
  if (error.failure === "unavailable") return wholeForm(503, UNAVAILABLE);
  if (error.failure === "limited") return wholeForm(429, LIMITED);
  const [field, sentence] = words(error.failure);
  return { status: 400, errors: { [field]: [sentence] } };
}

/** Why signing in did not work. A wrong password and an unknown address get the same answer. */
export function explainSignInFailure(error: unknown): FormErrorOptions {
  return refusal(error, (failure) => [
    "",
    failure === "unconfirmed"
      ? "Please confirm your e-mail address first: open the link we sent you when you signed up."
      : "That e-mail address and password don’t match an account.",
  ]);
}

const PASSWORD_WORDS: Partial<Record<AuthFailure, string>> = {
  "weak-password": "That password is too easy to guess. Please choose another.",
  "same-password": "That is your password already. Please choose another.",
};

/** Why a password could not be set, at sign-up or later. */
export function explainPasswordFailure(error: unknown): FormErrorOptions {
  return refusal(error, (failure) => [
    "password",
    PASSWORD_WORDS[failure] ?? "That password can’t be used. Please choose another.",
  ]);
}

/** Why an e-mail could not be sent to an address. */
export function explainEmailFailure(error: unknown): FormErrorOptions {
  return refusal(error, () => ["email", "We can’t send to that address. Please check it."]);
}

const NOT_ASKED_FOR: Partial<Record<AuthFailure, FormErrorOptions>> = {
  unavailable: wholeForm(
    503,
    "Everything else is saved, but the sign-in service did not answer: we can’t tell whether your new e-mail address was asked for. Until you open the links we send, the old one stays. To ask again, save again: that is safe.",
  ),
  limited: wholeForm(
    429,
    "Everything else is saved, but your e-mail address is still the old one: it was changed too often just now. Please wait a few minutes and save again.",
  ),
};

/** Why another e-mail address could not be asked for, after all else of the profile was saved. */
export function explainEmailChangeFailure(error: unknown): FormErrorOptions {
  if (!(error instanceof AuthServiceError)) throw error;
  const sentence =
    "Everything else is saved, but we can’t send to this address, so your e-mail address is still the old one. Please check it.";
  return NOT_ASKED_FOR[error.failure] ?? { status: 400, errors: { email: [sentence] } };
}
