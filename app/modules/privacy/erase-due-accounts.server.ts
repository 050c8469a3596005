import { log } from "~/http/log.server";
import { createServiceClient } from "~/integrations/supabase/clients.server";
import { unwrap } from "~/integrations/supabase/data.server";
import { endUserSubscriptions } from "~/modules/billing/end-subscriptions.server";
import { PaymentUnavailable } from "~/modules/billing/payment-errors.server";

interface ErasureResult {
  erased: number;
  /** Their subscriptions could not be ended, so that they wait for the next run. */
  waiting: number;
  /** Accounts that were never confirmed. */
  unconfirmed: number;
}

/**
 * Deletes the accounts whose deletion was requested a week ago, after ending their subscriptions; and those
 * whose address has not been confirmed for a week, since anyone can sign up with anyone's address. Safe to repeat, and to run twice at once.
 * @throws DataError when the database does not answer
 */
export async function eraseDueAccounts(): Promise<ErasureResult> {
  const db = createServiceClient();
  const result: ErasureResult = { erased: 0, waiting: 0, unconfirmed: 0 };
  for (const userId of unwrap(await db.rpc("due_deletions"))) {
    try {
      await endUserSubscriptions(userId, "customer", log());
    } catch (error) {
      if (!(error instanceof PaymentUnavailable)) throw error;
      result.waiting += 1;
      continue;
    }
    if (unwrap(await db.rpc("erase_due_account", { user_id: userId }))) result.erased += 1;
  }
  result.unconfirmed = unwrap(await db.rpc("delete_unconfirmed_accounts"));
  return result;
}
