import { redactSecrets, type Log } from "~/http/log.server";
import { isStripeConfigured, stripe } from "~/integrations/stripe/client.server";
import { classifyStripeError } from "~/integrations/stripe/stripe-error.server";
import { createServiceClient } from "~/integrations/supabase/clients.server";
import { unwrap } from "~/integrations/supabase/data.server";

import { PaymentBusy } from "./payment-errors.server";
import { recordPayment } from "./record-payment.server";
import { goesOnAfterPeriod } from "./rules";
import {
  endSubscription,
  ENDED_BY_US,
  findSubscription,
  hasEnded,
  isPaidUp,
  isRenewalUncharged,
} from "./subscription-end.server";

interface StoppedPlans {
  /** The subscriptions that were stopped, or would be: of removed listings, and as their payers had asked. */
  stopped: string[];
  /** Why others could not be, one sentence for each. They are tried again. */
  failures: string[];
}

/**
 * Stops the plans of listings that were removed from the directory, once that can't be undone, and those whose payer
 * has asked for the deletion of their account or for the removal of their listing, before they are charged again. What is
 * paid for goes on until its end, so that a listing that returns before still has its plan; a plan
 * whose payment is owed, or about to be charged, ends now. For a scheduler; safe to repeat.
 * @throws DataError
 */
export async function stopLeavingPlans({
  dryRun = false,
  log,
}: {
  dryRun?: boolean;
  log: Log;
}): Promise<StoppedPlans> {
  const result: StoppedPlans = { stopped: [], failures: [] };
  if (!isStripeConfigured()) return result;
  const db = createServiceClient();
  const [removed, leaving] = await Promise.all([
    db.rpc("plans_to_stop"),
    db.rpc("plans_to_cancel"),
  ]);
  const byUs = new Set(unwrap(removed));
  for (const id of new Set([...byUs, ...unwrap(leaving)])) {
    try {
      if (!dryRun) await stopPlan(id, byUs.has(id) ? "us" : "customer", log);
      result.stopped.push(id);
    } catch (error) {
      const failure = classifyStripeError(error);
      if (!failure && !(error instanceof PaymentBusy)) throw error;
      result.failures.push(
        `Subscription ${id}: not stopped, ${failure ?? "busy"} (${redactSecrets(String(error))})`,
      );
    }
  }
  return result;
}

async function stopPlan(id: string, by: "customer" | "us", log: Log): Promise<void> {
  const subscription = await findSubscription(id);
  if (subscription && !hasEnded(subscription.status)) {
    if (isPaidUp(subscription.status) && !isRenewalUncharged(subscription)) {
      // Set to end by then: that is recorded below, and stays as its customer or we wanted it.
      if (goesOnAfterPeriod(subscription))
        await stripe().subscriptions.update(id, {
          cancel_at_period_end: true,
          ...(by === "us" ? { cancellation_details: { comment: ENDED_BY_US } } : {}),
        });
    } else {
      await endSubscription(subscription, by, log);
    }
  }
  await recordPayment({ subscriptionId: id }, { log });
}
