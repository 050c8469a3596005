import { z } from "zod";

import { isTooManyRequests } from "~/http/errors.server";
import { log } from "~/http/log.server";
import { enforceRateLimit } from "~/http/rate-limit.server";
import {
  AuthServiceError,
  requestEmailChange,
  type Tokens,
} from "~/integrations/supabase/auth.server";
import { callFunction } from "~/integrations/supabase/call-function.server";
import { createServiceClient } from "~/integrations/supabase/clients.server";
import { DataError } from "~/integrations/supabase/data.server";

/**
 * Anyone can enter anyone's address. So the limit is on how often one user asks: a limit for each
 * address would reveal whether it has an account, and would use up the emails of the person it
 * belongs to.
 */
const PER_USER = { name: "email-change", max: 5, windowSeconds: 60 * 60 };

/**
 * Requests a change of the email address: see requestEmailChange. A sign-up with the new address whose
 * link was never opened, and is too old now, is deleted first: anyone can sign up with anyone's address, and
 * must not prevent its owner from using it.
 * @throws AuthServiceError (`limited` when the user has asked too often)
 */
export async function changeEmail(user: string, tokens: Tokens, email: string): Promise<void> {
  try {
    await enforceRateLimit(PER_USER, user);
  } catch (error) {
    if (!isTooManyRequests(error)) throw error;
    throw new AuthServiceError("limited", "too_many_changes", PER_USER.windowSeconds);
  }
  const db = createServiceClient();
  try {
    await callFunction(db, "delete_unconfirmed_accounts", { email }, z.number());
  } catch (error) {
    if (!(error instanceof DataError)) throw error;
    log().warn(
      { failure: error.failure },
      "an unconfirmed account may prevent a change of address",
    );
  }
  await requestEmailChange(tokens, email);
}
