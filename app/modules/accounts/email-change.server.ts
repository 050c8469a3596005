import { z } from "zod";

import { log } from "~/http/log.server";
import { requestEmailChange, type Tokens } from "~/integrations/supabase/auth.server";
import { callFunction } from "~/integrations/supabase/call-function.server";
import { createServiceClient } from "~/integrations/supabase/clients.server";
import { DataError } from "~/integrations/supabase/data.server";

/**
 * Requests a change of the email address: see requestEmailChange. A sign-up with the new address whose
 * link was never opened, and is too old now, is deleted first: anyone can sign up with anyone's address, and
 * must not prevent its owner from using it.
 * @throws AuthServiceError
 */
export async function changeEmail(tokens: Tokens, email: string): Promise<void> {
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
