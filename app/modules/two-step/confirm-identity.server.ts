import { z } from "zod";

import { isTooManyRequests } from "~/http/errors.server";
import { formErrorResponse, parseForm, type FormErrorOptions } from "~/http/form.server";
import { enforceRateLimit, releaseAttempt } from "~/http/rate-limit.server";
import { serializeSession, type Session } from "~/http/session.server";
import { AuthServiceError, verifyPassword, type Tokens } from "~/integrations/supabase/auth.server";
import { createUserClient, type Db } from "~/integrations/supabase/clients.server";
import { explainGeneralFailure } from "~/modules/accounts/auth-failures.server";

import { UsedCodeError, verifyAppCode } from "./app-code.server";
import { explainCodeFailure } from "./code-failures.server";
import { appCodeSchema, currentPasswordSchema } from "./schemas.server";
import { getTwoStep } from "./two-step.server";

const PER_ACCOUNT = { name: "confirm-identity", max: 10, windowSeconds: 15 * 60 };
const WRONG_PASSWORD = "That isn’t your password. Nothing was changed.";

interface Confirmation {
  request: Request;
  session: Session;
  db: Db;
  form: FormData;
  setCookie: (value: string) => void;
}

/** The user has shown who they are. The tokens may be new ones. */
interface Confirmed {
  tokens: Tokens;
  db: Db;
}

/**
 * Asks a signed-in user again who they are, before a change that could let someone else in or lock
 * them out: for the code of their authenticator app (field `app_code`) when two-step sign-in is on, and
 * else for their password (field `current_password`). So an unlocked screen or a stolen cookie is not
 * enough.
 * @param twice what is so, and what to do, when the button was pressed twice: the first time may have used the code
 * @returns the tokens to go on with, or the form's errors
 */
export async function confirmIdentity(
  confirmation: Confirmation,
  twice?: string,
): Promise<Confirmed | { refused: FormErrorOptions }> {
  return confirmation.session.user.secondStep
    ? confirmByCode(confirmation, twice)
    : confirmByPassword(confirmation);
}

/** The response to a form that has no other fields than those of confirmIdentity. */
export function refuseIdentity(form: FormData, refused: FormErrorOptions) {
  return formErrorResponse(parseForm(form, z.unknown()), refused);
}

async function confirmByCode(
  { session, db, form, setCookie }: Confirmation,
  twice?: string,
): Promise<Confirmed | { refused: FormErrorOptions }> {
  const submission = parseForm(form, appCodeSchema);
  if (submission.status !== "success") return { refused: { errors: toErrors(submission.error) } };
  try {
    const tokens = await verifyAppCode({
      userId: session.user.id,
      tokens: session.tokens,
      factors: (await getTwoStep(db)).factors,
      code: submission.value.app_code,
    });
    setCookie(await serializeSession(tokens, session.recovery));
    return { tokens, db: createUserClient(tokens.accessToken) };
  } catch (error) {
    const refused = explainCodeFailure(error);
    if (!(error instanceof UsedCodeError) || twice === undefined) return { refused };
    const text = `That code was already used. If you sent this twice, ${twice}`;
    return { refused: { ...refused, errors: { app_code: [text] } } };
  }
}

async function confirmByPassword({
  session,
  db,
  form,
}: Confirmation): Promise<Confirmed | { refused: FormErrorOptions }> {
  const refuse = (status: FormErrorOptions["status"], message: string) => ({
    refused: { status, errors: { current_password: [message] } },
  });
  const submission = parseForm(form, currentPasswordSchema);
  if (submission.status !== "success") return { refused: { errors: toErrors(submission.error) } };
  try {
    await enforceRateLimit(PER_ACCOUNT, session.user.id);
    await verifyPassword(session.user.email, submission.value.current_password);
    await releaseAttempt(PER_ACCOUNT, session.user.id);
    return { tokens: session.tokens, db };
  } catch (error) {
    if (isTooManyRequests(error)) return refuse(429, `${error.title}. ${error.message}`);
    if (!(error instanceof AuthServiceError)) throw error;
    if (error.failure === "unavailable") {
      // Without an answer, no one has learned anything about the password.
      await releaseAttempt(PER_ACCOUNT, session.user.id);
      return refuse(503, "We can’t reach the sign-in service right now. Nothing was changed.");
    }
    if (error.failure === "limited")
      return refuse(429, "Too many attempts. Please wait a few minutes and try again.");
    const general = explainGeneralFailure(error);
    return general ? { refused: general } : refuse(400, WRONG_PASSWORD);
  }
}

function toErrors(error: Record<string, string[] | null> | null | undefined) {
  return Object.fromEntries(
    Object.entries(error ?? {}).map(([name, messages]) => [name, messages ?? []]),
  );
}
