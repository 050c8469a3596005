import type Stripe from "stripe";

import { redactSecrets, type Log } from "~/http/log.server";
import { isStripeConfigured, stripe } from "~/integrations/stripe/client.server";
import { classifyStripeError } from "~/integrations/stripe/stripe-error.server";
import { createServiceClient } from "~/integrations/supabase/clients.server";
import { DataError, unwrap } from "~/integrations/supabase/data.server";

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
 * has asked for the deletion of their account or for the removal of their listing, before they are charged again. What
 * is paid for goes on until its end, so that a listing that returns before still has its plan; a plan whose payment is
 * owed, or about to be charged, ends now. For a scheduler; safe to repeat.
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
  const plans = new Map<string, { by: "customer" | "us"; isDue: boolean }>();
  for (const { id, renewed } of unwrap(leaving)) plans.set(id, { by: "customer", isDue: !renewed });
  for (const id of unwrap(removed)) plans.set(id, { by: "us", isDue: true });
  for (const [id, { by, isDue }] of plans) {
    try {
      const subscription = await findSubscription(id);
      const end = subscription && (await chooseEnd(subscription, isDue));
      if (end) result.stopped.push(id);
      if (dryRun) continue;
      if (end) await end(by, log);
      await recordPayment({ subscriptionId: id }, { log });
    } catch (error) {
      const failure = classifyStripeError(error);
      // What the database refuses of one plan keeps no other from being stopped.
      const isOfOne =
        error instanceof PaymentBusy ||
        (error instanceof DataError && error.failure !== "unavailable");
      if (!failure && !isOfOne) throw error;
      result.failures.push(
        `Subscription ${id}: not stopped, ${failure ?? "not recorded"} (${redactSecrets(String(error))})`,
      );
    }
  }
  return result;
}

type End = (by: "customer" | "us", log: Log) => Promise<unknown>;

/**
 * How a plan is stopped: with the period that is paid for, or now. Null for one that has ended, or is set to end by then.
 * @param isDue false for one that goes on for now, except while the bill of its new period is a draft
 * @throws Stripe's errors
 */
async function chooseEnd(subscription: Stripe.Subscription, isDue: boolean): Promise<End | null> {
  const { id, status } = subscription;
  if (hasEnded(status)) return null;
  if (!isPaidUp(status) || (await isRenewalUncharged(id)))
    return (by, log) => endSubscription(subscription, by, log);
  if (!isDue || !goesOnAfterPeriod(subscription)) return null;
  return (by) =>
    stripe().subscriptions.update(id, {
      cancel_at_period_end: true,
      ...(by === "us" ? { cancellation_details: { comment: ENDED_BY_US } } : {}),
    });
}
