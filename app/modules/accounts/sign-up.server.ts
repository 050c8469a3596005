import { createHash, createHmac } from "node:crypto";

import { z } from "zod";

import { env } from "~/env.server";
import { readCookie, signUpCookie } from "~/http/cookies.server";
import { decrypt, encrypt } from "~/http/encryption.server";
import { runAfterResponse } from "~/http/background.server";
import { describeFailure } from "~/http/describe-failure.server";
import { log } from "~/http/log.server";
import { positionOfPostalCode } from "~/integrations/addresses/postal-codes.server";
import {
  AuthServiceError,
  isRefusedEmail,
  sendRecoveryEmail,
  signUp,
} from "~/integrations/supabase/auth.server";
import { callFunction } from "~/integrations/supabase/call-function.server";
import { createServiceClient } from "~/integrations/supabase/clients.server";
import { DataError } from "~/integrations/supabase/data.server";
import { triggerEmailDelivery } from "~/modules/emails/deliver-queue.server";

import { CONSENT_TEXTS } from "./consent-texts";
import { toStoredPhone } from "./phone.server";
import type { SignupValues } from "./schemas.server";

/**
 * What follows a sign-up or a request for a new password. It begins after the response, so that the
 * time until the response does not reveal whether the address has an account.
 */

/** The same work for the same form, so that a form that is sent twice is handled once. */
const workKey = (values: object) =>
  createHash("sha256").update(JSON.stringify(values)).digest("base64url");

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
/**
 * The auth service limits the emails of an hour. An email that was sent a moment ago to the same
 * address leads to the same code.
 */
const EMAIL_CAP_PAUSES_MS = [
  2 * SECOND,
  10 * SECOND,
  MINUTE,
  5 * MINUTE,
  10 * MINUTE,
  15 * MINUTE,
  15 * MINUTE,
  20 * MINUTE,
];

/**
 * Creates an account after the response, and has its confirmation sent. When the address has an
 * unconfirmed account, the confirmation is sent again, and this form replaces the earlier one if
 * the password is the same. When it has a confirmed account, its user gets an email that says so.
 * @param page the page where the consents were given
 * @throws HttpError 503 when too much such work is pending
 */
export function createAccountLater(request: Request, values: SignupValues, page: string): void {
  const mayEmail = limitEmails(values.email, "sign-up");
  const sentAt = new Date().toISOString();
  runAfterResponse(request, {
    name: "sign-up",
    key: workKey(values),
    work: () => createAccount(values, page, sentAt, mayEmail),
    pausesMs: (error) => (isEmailCap(error) ? EMAIL_CAP_PAUSES_MS : undefined),
  });
}

const isEmailCap = (error: unknown): error is AuthServiceError =>
  error instanceof AuthServiceError && error.code === "over_email_send_rate_limit";

/**
 * Whether an email may go to this address now; the database limits how many do (take_account_email). Asked
 * once for each piece of work, however often that is tried.
 */
function limitEmails(email: string, purpose: "sign-up" | "recovery"): () => Promise<boolean> {
  let allowed: boolean | undefined;
  return async () =>
    (allowed ??= await callFunction(
      createServiceClient(),
      "take_account_email",
      { email, purpose },
      z.boolean(),
    ));
}

/** Sends the "new password" email after the response, if the address has an account. */
export function sendRecoveryEmailLater(request: Request, email: string): void {
  const mayEmail = limitEmails(email, "recovery");
  runAfterResponse(request, {
    name: "recovery",
    key: workKey({ email }),
    work: async () => {
      if (!(await mayEmail())) return;
      try {
        await sendRecoveryEmail(email);
      } catch (error) {
        // One was sent a moment ago. Another would make its link invalid. (Or the project's own
        // limit for emails is reached, which the auth service does not distinguish.)
        if (!isEmailCap(error) && !isRefusedEmail(error)) throw error;
        log().warn(describeFailure(error), "no recovery email was sent");
      }
    },
  });
}

/**
 * What the browser that signed up gets, and the database stores with the account. Only this address
 * with this password leads to it, so a browser that has it knows the password that the account
 * would keep. The browser gets it encrypted, differently each time: otherwise someone with a copy
 * of the cookie could sign up with one password after another until they get the same value.
 */
const signUpProof = ({ email, password }: Pick<SignupValues, "email" | "password">) =>
  createHmac("sha256", env().sessionSecret)
    .update(JSON.stringify(["sign-up", email, password]))
    .digest("base64url");

const COOKIE = "sign-up cookie";
const cookieKey = (secret: string) => createHmac("sha256", secret).update("sign-up proof").digest();

/** The Set-Cookie value by which `recognizeSignUp` knows this browser. */
export const serializeSignUp = (values: SignupValues): Promise<string> =>
  signUpCookie().serialize(
    encrypt(signUpProof(values), cookieKey(env().sessionSecret), COOKIE).toString("base64url"),
  );

/**
 * Whether this browser filled in the sign-up of the account that a confirmation link belongs to.
 * Call it before the link is redeemed. An account that isn't recognized loses its password then,
 * since anyone can sign up with anyone's address.
 * @throws DataError
 */
export async function recognizeSignUp(request: Request, tokenHash: string): Promise<boolean> {
  const value = await readCookie(signUpCookie(), request);
  const proof =
    typeof value === "string"
      ? env()
          .sessionSecrets.map((secret) =>
            decrypt(Buffer.from(value, "base64url"), cookieKey(secret), COOKIE),
          )
          .find((opened) => opened !== null)
      : null;
  if (!proof) return false;
  return callFunction(
    createServiceClient(),
    "recognize_sign_up",
    { token_hash: tokenHash, proof: proof.toString() },
    z.boolean(),
  );
}

/**
 * Brings back the form of an account whose browser wasn't recognized, if this password was the one in it: then they are
 * the person who filled it in. Call it once the password is saved; without it, they enter their details again.
 * @returns whether it was; false also when the database can't say, which is logged
 */
export async function restoreSignUp(
  user: { id: string; email: string },
  password: string,
): Promise<boolean> {
  const proof = signUpProof({ email: user.email, password });
  try {
    return await callFunction(
      createServiceClient(),
      "restore_sign_up",
      { user_id: user.id, proof },
      z.boolean(),
    );
  } catch (error) {
    if (!(error instanceof DataError)) throw error;
    log().warn({ failure: error.failure }, "form of a sign-up could not be brought back");
    return false;
  }
}

const signUpState = z.enum(["confirmed", "sent", "unconfirmed", "new"]);

/**
 * Creates the account. The database creates the profile and the consents with it in one transaction,
 * so that there is no account without a profile. It also stores the approximate position of the
 * postal code (the database makes it coarser), for the counts of nearby users. Safe to repeat.
 * @param sentAt when the form was sent: of several forms with the same address and password, the
 * last one counts
 */
async function createAccount(
  values: SignupValues,
  page: string,
  sentAt: string,
  mayEmail: () => Promise<boolean>,
): Promise<void> {
  const { email, password, phone, phone_country, ...profile } = values;
  const db = createServiceClient();
  const state = await callFunction(db, "begin_sign_up", { email }, signUpState);
  if (state === "confirmed") {
    triggerEmailDelivery();
    return;
  }
  const position = profile.postalcode ? await positionOfPostalCode(profile.postalcode) : null;
  const sent = {
    ...profile,
    ...(position ? { postal_lat: position.lat, postal_long: position.long } : {}),
    phone: toStoredPhone(phone, phone_country),
    consent_text_version: CONSENT_TEXTS.version,
    consent_page: page,
    sign_up_proof: signUpProof(values),
    sent_at: sentAt,
  };
  const update = () => callFunction(db, "update_sign_up", { email, sent }, z.boolean());
  // Before the email, which may be refused.
  if (state !== "new") await update();
  if (state === "sent" || !(await mayEmail())) return;
  try {
    await signUp(email, password, sent);
  } catch (error) {
    // The link of an earlier email stays valid.
    if (!isRefusedEmail(error)) throw error;
    log().warn(describeFailure(error), "no confirmation was sent");
  }
  // Another form may have created the account in between.
  if (state === "new") await update();
}
