import type { AuthFailure } from "~/integrations/supabase/auth.server";

/** A refused form's status and messages, by field; "" stands for the whole form. */
interface Words {
  status: 400 | 429 | 503;
  errors: Record<string, string[]>;
}

const UNAVAILABLE = "We can’t reach the sign-in service right now. Nothing you typed is lost: please try again in a minute.";
const LIMITED = "Too many tries. Please wait a few minutes and try again.";

function general(failure: AuthFailure): Words | null {
  if (failure === "unavailable") return { status: 503, errors: { "": [UNAVAILABLE] } };
  if (failure === "limited") return { status: 429, errors: { "": [LIMITED] } };
  return null;
}

/** Why signing in did not work. A wrong password and an unknown address get the same answer. */
export function signInRefusal(failure: AuthFailure): Words {
  const message =
    failure === "unconfirmed"
      ? "Please confirm your e-mail address first: open the link we sent you when you signed up."
      : "That e-mail address and password don’t match an account.";
  return general(failure) ?? { status: 400, errors: { "": [message] } };
}

/** Why a password could not be set, at sign-up or later. */
export function passwordRefusal(failure: AuthFailure): Words {
  const messages: Partial<Record<AuthFailure, string>> = {
    "weak-password": "That password is too easy to guess. Please choose another.",
    "same-password": "That is your password already. Please choose another.",
  };
  const message = messages[failure] ?? "That password can’t be used. Please choose another.";
  return general(failure) ?? { status: 400, errors: { password: [message] } };
}

/** Why an e-mail could not be sent to an address. */
export function mailRefusal(failure: AuthFailure): Words {
  const message = "We can’t send to that address. Please check it.";
  return general(failure) ?? { status: 400, errors: { email: [message] } };
}
