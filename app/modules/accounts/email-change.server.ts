import { z } from "zod";

import { log } from "~/http/log.server";
import {
  AuthServiceError,
  requestEmailChange,
  type Tokens,
} from "~/integrations/supabase/auth.server";
import { callFunction } from "~/integrations/supabase/call-function.server";
import { createServiceClient } from "~/integrations/supabase/clients.server";
import { DataError } from "~/integrations/supabase/data.server";

/** Until an address that had too many emails may get another one. */
const SECONDS_UNTIL_NEXT_EMAIL = 3_600;

/**
 * Requests a change of the email address: see requestEmailChange. A sign-up with the new address whose
 * link was never opened, and is too old now, is deleted first: anyone can sign up with anyone's address, and
 * must not prevent its owner from using it. The link counts towards the emails that an address and a mailbox get
 * in an hour: anyone can enter anyone's address here, too.
 * @throws AuthServiceError (`limited` when the new address has had too many emails), DataError
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
  const limited = { email, purpose: "email-change" };
  if (!(await callFunction(db, "take_account_email", limited, z.boolean())))
    throw new AuthServiceError(
      "limited",
      "too_many_emails_to_one_address",
      SECONDS_UNTIL_NEXT_EMAIL,
    );
  await requestEmailChange(tokens, email);
}
