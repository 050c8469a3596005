import { log } from "~/http/log.server";
import { createServiceClient } from "~/integrations/supabase/clients.server";
import { unwrap } from "~/integrations/supabase/data.server";
import { endUserSubscriptions } from "~/modules/billing/end-subscriptions.server";
import { PaymentUnavailable } from "~/modules/billing/payment-errors.server";

export interface Erased {
  erased: number;
  /** To be tried again: what they pay for could not be ended. */
  waiting: number;
}

/**
 * Deletes the accounts whose people asked for it a week ago, and end what they pay for first. Safe to repeat, and to
 * run twice at once.
 * @throws DataError when the database does not answer
 */
export async function eraseDueAccounts(): Promise<Erased> {
  const db = createServiceClient();
  const result: Erased = { erased: 0, waiting: 0 };
  for (const person of unwrap(await db.rpc("due_deletions"))) {
    try {
      await endUserSubscriptions(person, log());
    } catch (error) {
      if (!(error instanceof PaymentUnavailable)) throw error;
      result.waiting += 1;
      continue;
    }
    if (unwrap(await db.rpc("erase_due_account", { person }))) result.erased += 1;
  }
  return result;
}
