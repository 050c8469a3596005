import { redactSecrets, type Log } from "~/http/log.server";
import { stripe } from "~/integrations/stripe/client.server";
import { classifyStripeError } from "~/integrations/stripe/stripe-error.server";
import { triggerEmailDelivery } from "~/modules/emails/deliver-queue.server";
import { trackPurchase } from "~/modules/privacy/tracking-consent.server";

import { PaymentBusy } from "./payment-errors.server";
import {
  findSubscriptionSession,
  readPaymentFacts,
  type PaymentFacts,
} from "./payment-facts.server";
import {
  findPaymentTarget,
  writeFacts,
  type OpenCheckout,
  type PaymentEvent,
  type PaymentReference,
  type PaymentTarget,
  type RecordedPayment,
} from "./payment-records.server";
import { refundOrder } from "./refund-order.server";
import {
  dropCreditedBills,
  endSubscription,
  findUnchargedPeriod,
  hasEnded,
  stopCollection,
  stopDrafts,
} from "./subscription-end.server";
import { takeBackLostCredit } from "./unpaid-credit.server";

type SubscriptionFacts = NonNullable<PaymentFacts["subscription"]>;

interface RecordOptions {
  event?: PaymentEvent;
  log: Log;
}

/** A payment to record, after something was done about it at Stripe. */
interface Task {
  payment: PaymentReference;
  /** The checkout session to close first. */
  close?: string;
  /** The order to refund first. */
  refund?: string;
  /** Whether it is about another checkout of the same item, not the caller's payment. */
  isOther: boolean;
}

/** How often Stripe is asked again because something else was recorded in the meantime. */
const MAX_ATTEMPTS = 8;

/**
 * Updates an order to what Stripe says about its payment. Webhook events, "Check now", and the
 * reconciliation all use this one function. It asks Stripe and writes all facts at once, so it can
 * be repeated at any time and in any order; an older answer of Stripe's never overwrites a newer
 * one. Other checkouts of the same item are closed, and a payment that can't be used is refunded.
 * @returns whether the payment is one of ours
 * @throws PaymentBusy, DataError, Stripe's errors: then it should be tried again
 */
export async function recordPayment(
  payment: PaymentReference,
  { event, log }: RecordOptions,
): Promise<boolean> {
  let isOurs = false;
  const tasks: Task[] = [{ payment, isOther: false }];
  for (let task = tasks.shift(); task; task = tasks.shift()) {
    const { close, refund, isOther } = task;
    try {
      if (close) await expireSession(close);
      if (refund) await refundOrder(refund, log);
      const recorded = await recordFacts(task, { event: isOther ? undefined : event, log });
      if (!isOther) isOurs = recorded !== null;
      if (recorded?.changed) triggerEmailDelivery();
      const followUps = recorded?.followUps ?? [];
      if (refund && followUps.some((next) => next.refund === refund))
        throw new PaymentBusy("The refund is not complete at Stripe yet.");
      tasks.unshift(...followUps);
    } catch (error) {
      // The reconciliation closes the checkout later.
      if (!isOther || classifyStripeError(error) === null) throw error;
      log.warn(
        { order: task.payment.orderId, reason: redactSecrets(String(error)) },
        "checkout not closed",
      );
    }
  }
  return isOurs;
}

/**
 * Closes a checkout session, so that it can't be paid anymore, and records how it ended.
 * @throws PaymentBusy, DataError, Stripe's errors
 */
export async function closeCheckout({ order, session }: OpenCheckout, log: Log): Promise<void> {
  await expireSession(session);
  await recordPayment({ orderId: order, sessionId: session }, { log });
}

/**
 * What `recordPayment` would change, for a dry run.
 * @returns null when the payment is not one of ours, or something else is being recorded for it
 * @throws DataError, Stripe's errors
 */
export async function previewPayment(payment: PaymentReference): Promise<RecordedPayment | null> {
  const target = await findPaymentTarget(payment);
  const facts = target && (await readFacts(target, payment));
  if (!facts) return null;
  const result = await writeFacts("preview_payment", target, facts);
  return "again" in result ? null : result;
}

/** Asks Stripe about a payment and writes what it says. Null when the payment is not one of ours. */
async function recordFacts(
  { payment, isOther }: Task,
  { event, log }: RecordOptions,
): Promise<{ changed: boolean; followUps: Task[] } | null> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const target = await findPaymentTarget(payment, event?.id);
    if (!target) return null;
    if (target.done && !target.refund_due) return { changed: false, followUps: [] };
    let facts = await readFacts(target, payment);
    const ending = facts?.subscription && findEnding(facts.subscription);
    if (ending) {
      const uncharged = await findUnchargedPeriod(ending.id, ending.from);
      if (uncharged === "present") {
        await endSubscription(ending, ending.by_us ? "us" : "customer", log);
        facts = await readFacts(target, payment);
      } else if (uncharged === "former") {
        await stopDrafts(ending.id, log);
        facts = await readFacts(target, payment);
      }
    }
    if (facts?.subscription && (await dropsBills(facts.subscription, log)))
      facts = await readFacts(target, payment);
    if (!facts) {
      log.warn({ order: target.order, event: event?.id }, "payment not found at the provider");
      return null;
    }
    // Stripe ends a plan, too, after the last try to collect what it owes, and leaves it to be paid by a link.
    if (facts.subscription && hasEnded(facts.subscription.status)) {
      const end = await stopCollection(facts.subscription.id, log);
      // The credit for what isn't collected may be gone now.
      if (facts.subscription.credit_cents > 0) facts = (await readFacts(target, payment)) ?? facts;
      if (facts.subscription) facts.subscription.awaits_payment = end === "ended, debit on its way";
    }
    const result = await writeFacts("record_payment", target, facts, event);
    if ("again" in result) continue;

    const { order, status, changed, bought, refund_due, close, lost } = result;
    if (changed) log.info({ order, status, event: event?.id }, "payment recorded");
    if (order && bought?.owner) {
      const { owner, cents, currency } = bought;
      trackPurchase(owner, { name: "Purchase", orderId: order, cents, currency }, log);
    }
    if (lost.length > 0) {
      for (const payment of lost) await takeBackLostCredit(payment, log);
      // What is left of the credit, and what else is to be done. (The event is recorded.)
      const again = await recordFacts({ payment, isOther }, { log });
      return again && { ...again, changed: true };
    }
    const followUps = close.map((checkout): Task => ({
      payment: { orderId: checkout.order, sessionId: checkout.session },
      close: checkout.session,
      isOther: true,
    }));
    if (order && refund_due) {
      log.info({ order }, "payment to be refunded");
      const [sessionId, subscriptionId] = [facts.session?.id, facts.subscription?.id];
      followUps.push({
        payment: { orderId: order, sessionId, subscriptionId },
        refund: order,
        isOther,
      });
    }
    return { changed, followUps };
  }
  throw new PaymentBusy("The same payment is being recorded elsewhere.");
}

/** Drops unpaid bills of a running subscription whose credit its customer has. Returns whether there were any. */
const dropsBills = async ({ id, status, credit_cents }: SubscriptionFacts, log: Log) =>
  !hasEnded(status) && credit_cents > 0 && (await dropCreditedBills(id, log));

/**
 * A running subscription that was canceled in its present period and ends with it, and when that
 * period began, in seconds; null for others. If that period is not charged yet, as after a
 * cancellation on Stripe's page, its customer was promised that they won't be charged again. The
 * same is true of the period before, which the bill of a change of plan has credited.
 */
function findEnding(
  subscription: SubscriptionFacts,
): (Pick<SubscriptionFacts, "id" | "status" | "by_us"> & { from: number }) | null {
  const { id, status, by_us, ends_at, canceled_at, period_from, period_to } = subscription;
  return !hasEnded(status) &&
    ends_at !== null &&
    ends_at === period_to &&
    canceled_at !== null &&
    period_from !== null &&
    canceled_at >= period_from
    ? { id, status, by_us, from: Date.parse(period_from) / 1000 }
    : null;
}

/** The facts about a payment; null when Stripe does not know it. @throws Stripe's errors */
async function readFacts(
  target: PaymentTarget,
  { sessionId, subscriptionId }: PaymentReference,
): Promise<PaymentFacts | null> {
  // An order that was paid twice has a second subscription, which has a checkout session of its own.
  const isSecond =
    subscriptionId && target.paid && target.subscription && subscriptionId !== target.subscription;
  const session = isSecond
    ? await findSubscriptionSession(subscriptionId)
    : (sessionId ?? target.session);
  const isRecorded = target.kind === "upgrade" && target.paid && session === target.session;
  return readPaymentFacts({
    session: isRecorded ? null : session,
    subscription: subscriptionId ?? target.subscription,
    recorded: target.payments,
  });
}

/** Expires a checkout session at Stripe, unless it is over already. @throws Stripe's errors */
async function expireSession(sessionId: string): Promise<void> {
  try {
    await stripe().checkout.sessions.expire(sessionId);
  } catch (error) {
    const failure = classifyStripeError(error);
    if (failure !== "refused" && failure !== "missing") throw error;
  }
}
