import { log, redactSecrets } from "~/http/log.server";
import { createServiceClient } from "~/integrations/supabase/clients.server";
import { unwrap } from "~/integrations/supabase/data.server";
import { endUserSubscriptions } from "~/modules/billing/end-subscriptions.server";
import { PaymentUnavailable } from "~/modules/billing/payment-errors.server";

import { isOnlyAdmin } from "./only-admin.server";

interface ErasureResult {
  erased: number;
  /** They could not be erased yet, and wait for the next run. */
  waiting: number;
  /** Accounts that were never confirmed. */
  unconfirmed: number;
}

/** How often a run goes on to search the auth service's own log, for a second each. The next run does the rest. */
const MAX_SEARCHES = 600;

/**
 * Deletes the accounts whose deletion was requested a week ago, after ending their subscriptions;
 * and those whose address has not been confirmed for a week, since anyone can sign up with anyone's
 * address. Then what erased accounts left in the auth service's own log. An account that can't be deleted doesn't
 * hold up the others, and is tried again by the next run. Safe to repeat, and to run twice at once.
 * @throws DataError when the database does not answer
 */
export async function eraseDueAccounts(): Promise<ErasureResult> {
  const result: ErasureResult = { erased: 0, waiting: 0, unconfirmed: 0 };
  const db = createServiceClient();
  for (const userId of unwrap(await db.rpc("due_deletions"))) {
    const outcome = await eraseDueAccount(userId);
    if (outcome !== "withdrawn") result[outcome] += 1;
  }
  result.unconfirmed = unwrap(await db.rpc("delete_unconfirmed_accounts"));
  let calls = 0;
  while (unwrap(await db.rpc("forget_sign_ins")) && calls < MAX_SEARCHES) calls += 1;
  return result;
}

async function eraseDueAccount(userId: string): Promise<"erased" | "waiting" | "withdrawn"> {
  const db = createServiceClient();
  try {
    // Checked for each account: when two admins are due, the second one is the only admin by then.
    if (await isOnlyAdmin(db, userId)) {
      log().warn({ user: userId }, "account not erased: it belongs to the only admin");
      return "waiting";
    }
    // The accounts before this one took a while, in which its user may have decided to stay. From here on they can't.
    if (!unwrap(await db.rpc("begin_account_deletion", { user_id: userId }))) return "withdrawn";
    await endUserSubscriptions(userId, "customer", log());
    return unwrap(await db.rpc("erase_due_account", { user_id: userId })) ? "erased" : "withdrawn";
  } catch (error) {
    // What Stripe answered is in the log already.
    if (!(error instanceof PaymentUnavailable)) {
      const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
      log().error({ user: userId, reason: redactSecrets(reason) }, "account not erased");
    }
    return "waiting";
  }
}
