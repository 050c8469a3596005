import { createServiceClient } from "~/integrations/supabase/clients.server";
import { unwrap } from "~/integrations/supabase/data.server";

/**
 * Whether more than half of the newest payment for one of these plans was returned, or a bank is deciding about it after
 * a dispute. A change would credit the unused part of it, and that credit would pay for other plans: the money would be
 * returned twice. (A smaller refund is one of goodwill, and is the payer's to keep. After a change, what it has credited
 * is of an older payment. The database finds the newest payment in the same way, in `private.period_is_returned`.)
 * @throws DataError
 */
export async function isPaymentReturned(subscriptions: readonly string[]): Promise<boolean> {
  if (subscriptions.length === 0) return false;
  const payments = await createServiceClient()
    .from("payments")
    .select("subscription_id, cents, refunded_cents, dispute")
    .in("subscription_id", subscriptions)
    .order("period_from", { ascending: false, nullsFirst: false })
    .order("paid_at", { ascending: false });
  const rows = unwrap(payments);
  return subscriptions.some((id) => {
    const newest = rows.find(({ subscription_id }) => subscription_id === id);
    if (!newest || newest.cents === 0) return false;
    const { cents, refunded_cents, dispute } = newest;
    return 2 * refunded_cents > cents || dispute === "open" || dispute === "lost";
  });
}
