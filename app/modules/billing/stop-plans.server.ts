import { redactSecrets, type Log } from "~/http/log.server";
import { isStripeConfigured } from "~/integrations/stripe/client.server";
import { classifyStripeError } from "~/integrations/stripe/stripe-error.server";
import { createServiceClient, type Db } from "~/integrations/supabase/clients.server";
import { DataError, unwrap } from "~/integrations/supabase/data.server";

import { PaymentBusy } from "./payment-errors.server";
import { recordPayment } from "./record-payment.server";
import { goesOnAfterPeriod } from "./rules";
import {
  changeScheduledEnd,
  endSubscription,
  ENDED_BY_US,
  findSubscription,
  findUnchargedPeriod,
  getPeriodStart,
  hasEnded,
  isPaidUp,
} from "./subscription-end.server";

interface StoppedPlans {
  /** The subscriptions that were stopped, or would be: of removed listings, and as their payers had asked. */
  stopped: string[];
  /** Why others could not be, one sentence for each. They are tried again. */
  failures: string[];
}

/**
 * Stops the plans of listings that were removed from the directory, once that can't be undone, and
 * those whose payer has asked for the deletion of their account or for the removal of their
 * listing, before they are charged again. A plan goes on until the end of what is paid for, so that
 * a listing that returns before then still has its plan. A plan whose payment is owed, or about to
 * be charged, ends now. For a scheduler; safe to repeat.
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
  for (const [id, plan] of await findLeavingPlans(db)) {
    try {
      if (dryRun) {
        if (await chooseEnd(id, plan)) result.stopped.push(id);
        continue;
      }
      if (await stopPlan(db, id, plan, log)) result.stopped.push(id);
      await recordPayment({ subscriptionId: id }, { log });
    } catch (error) {
      const failure = classifyStripeError(error);
      // When the database refuses something about one plan, the other plans are stopped all the
      // same.
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

interface LeavingPlan {
  /** Who ends it, as we say at Stripe. */
  by: "customer" | "us";
  /** False for one that goes on for now, except while the bill of a period is a draft. */
  isDue: boolean;
}

/** The plans to stop now, by the id of their subscription. @throws DataError */
async function findLeavingPlans(db: Db): Promise<Map<string, LeavingPlan>> {
  const [removed, leaving] = await Promise.all([
    db.rpc("plans_to_stop"),
    db.rpc("plans_to_cancel"),
  ]);
  const plans = new Map<string, LeavingPlan>();
  for (const { id, renewed } of unwrap(leaving)) plans.set(id, { by: "customer", isDue: !renewed });
  for (const id of unwrap(removed)) plans.set(id, { by: "us", isDue: true });
  return plans;
}

/**
 * Stops one plan. If it was charged after its end was asked for, that is refunded, and the plan
 * ends now.
 * @returns whether there was something to stop
 * @throws DataError, Stripe's errors
 */
async function stopPlan(db: Db, id: string, plan: LeavingPlan, log: Log): Promise<boolean> {
  const end = await chooseEnd(id, plan);
  // The plans before this one took a while, in which its payer may have decided to stay.
  if (!(await findLeavingPlans(db)).has(id)) return false;
  if (unwrap(await db.rpc("refund_late_renewals", { subscription: id }))) {
    const subscription = await findSubscription(id);
    if (subscription) await endSubscription(subscription, plan.by, log);
    return true;
  }
  await end?.(log);
  return end !== null;
}

type End = (log: Log) => Promise<unknown>;

/**
 * How a plan is stopped: with the period that is paid for, or now. Null for one that has ended, or is set to end by then.
 * @throws Stripe's errors
 */
async function chooseEnd(id: string, { by, isDue }: LeavingPlan): Promise<End | null> {
  const subscription = await findSubscription(id);
  if (!subscription || hasEnded(subscription.status)) return null;
  const endNow: End = (log) => endSubscription(subscription, by, log);
  if (!isPaidUp(subscription.status)) return endNow;
  const uncharged = await findUnchargedPeriod(id, getPeriodStart(subscription));
  if (uncharged === "present") return endNow;
  if (!(isDue || uncharged) || !goesOnAfterPeriod(subscription)) return null;
  return () =>
    changeScheduledEnd(subscription, {
      cancel_at_period_end: true,
      ...(by === "us" ? { cancellation_details: { comment: ENDED_BY_US } } : {}),
    });
}
