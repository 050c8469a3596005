import { isTooManyRequests } from "~/http/errors.server";
import type { FormErrorOptions } from "~/http/form.server";
import { AuthServiceError } from "~/integrations/supabase/auth.server";
import { explainGeneralFailure, logAuthFailure } from "~/modules/accounts/auth-failures.server";

import { UsedCodeError } from "./app-code.server";

const WRONG =
  "That code isn’t right. Enter the code that your authenticator app shows now. If it still doesn’t work, check that your phone sets its time automatically.";
const USED = "That code was already used. Wait until your authenticator app shows the next one.";
const LIMITED = "Too many attempts. Please wait a few minutes and try again.";

/**
 * The form's errors for a code of an authenticator app that was not accepted.
 * @throws the error itself when it is about something else
 */
export function explainCodeFailure(error: unknown): FormErrorOptions {
  const at = (message: string): FormErrorOptions => ({
    status: 400,
    errors: { app_code: [message] },
  });
  if (error instanceof UsedCodeError) return at(USED);
  if (isTooManyRequests(error))
    return {
      status: 429,
      errors: { app_code: [`${error.title}. ${error.message}`] },
      headers: error.headers,
    };
  if (!(error instanceof AuthServiceError)) throw error;
  const limited: FormErrorOptions = { status: 429, errors: { app_code: [LIMITED] } };
  const answer =
    error.failure === "limited" ? limited : (explainGeneralFailure(error) ?? at(WRONG));
  return logAuthFailure(error, answer);
}
