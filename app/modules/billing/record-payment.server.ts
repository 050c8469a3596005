import { z } from "zod";

import { withoutSecrets, type Log } from "~/http/log.server";
import { stripe } from "~/integrations/stripe/client.server";
import { classifyStripeError } from "~/integrations/stripe/stripe-error.server";
import { callFunction } from "~/integrations/supabase/call-function.server";
import { serviceClient } from "~/integrations/supabase/clients.server";
import { sendSoon } from "~/modules/notices/send-waiting.server";
import { tellOfBuying } from "~/modules/privacy/tracking-consent.server";

import { PaymentBusy } from "./payment-errors.server";
import {
  findSubscriptionSession,
  readPaymentFacts,
  type PaymentFacts,
} from "./payment-facts.server";
import { refundOrder } from "./refund-order.server";

/** A payment, by the ids of it that the caller knows. The most specific one decides. */
export interface PaymentReference {
  orderId?: string | null;
  sessionId?: string | null;
  subscriptionId?: string | null;
  paymentIntentId?: string | null;
}

/** An event of Stripe's. It is stored together with its effect, so that it has its effect once. */
interface PaymentEvent {
  id: string;
  type: string;
  object: string | null;
  /** Seconds. */
  created: number;
}

/** A checkout session that can still be paid, and its order. */
export const openCheckoutSchema = z.object({ order: z.string(), session: z.string() });
export type OpenCheckout = z.infer<typeof openCheckoutSchema>;

/** What the database knows about a payment. */
const paymentTarget = z.object({
  /** Whether the event was handled already. */
  done: z.boolean(),
  order: z.string().nullable(),
  kind: z.enum(["job", "sponsorship", "upgrade"]).nullable(),
  status: z.string().nullable(),
  paid: z.boolean(),
  session: z.string().nullable(),
  subscription: z.string().nullable(),
  /** Whether it must be refunded, and whether something remains to be done for that. */
  returning: z.boolean(),
  refund_due: z.boolean(),
  /** The version of what is stored. Facts are only written over the version they were read for. */
  seen: z.number(),
});
type PaymentTarget = z.infer<typeof paymentTarget>;

/** What writing the facts changed. */
const recordedPayment = z.object({
  order: z.string().nullable(),
  /** The status before and now. */
  was: z.string().nullable(),
  status: z.string(),
  subscription: z.string().nullable(),
  changed: z.boolean(),
  /** Only for the call that made the order paid. */
  bought: z
    .object({ owner: z.string().nullable(), cents: z.number(), currency: z.string() })
    .nullable(),
  refund_due: z.boolean(),
  /** Other checkouts of the same item, which must be closed. */
  close: z.array(openCheckoutSchema),
});
export type RecordedPayment = z.infer<typeof recordedPayment>;

/** `again`: something else was recorded in the meantime, so Stripe must be asked again. */
const writeResult = z.union([z.object({ again: z.literal(true) }), recordedPayment]);

/** The order (null for a subscription that is older than the orders), and its status now. */
interface PaymentOutcome {
  order: string | null;
  status: string | null;
  changed: boolean;
}

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
  /** Whether it concerns another checkout of the same item, and not the caller's payment. */
  isOther: boolean;
}

/** How often Stripe is asked again because something else was recorded in the meantime. */
const MAX_ATTEMPTS = 8;

/**
 * Brings an order to what Stripe says about its payment. Webhook events, "Check now", and the
 * reconciliation all use this one function. It asks Stripe and writes all facts at once, so it can be
 * repeated at any time and in any order; an older answer of Stripe's never overwrites a newer one.
 * Other checkouts of the same item are closed, and a payment that can't be used is refunded.
 * @returns null when the payment is not one of ours
 * @throws PaymentBusy, DataError, Stripe's errors: then it should be tried again
 */
export async function recordPayment(
  payment: PaymentReference,
  { event, log }: RecordOptions,
): Promise<PaymentOutcome | null> {
  let outcome: PaymentOutcome | null = null;
  const tasks: Task[] = [{ payment, isOther: false }];
  for (let task = tasks.shift(); task; task = tasks.shift()) {
    const { close, refund, isOther } = task;
    try {
      if (close) await expireSession(close);
      if (refund) await refundOrder(refund);
      const recorded = await recordFacts(task, { event: isOther ? undefined : event, log });
      if (!isOther) outcome = recorded && addOutcome(outcome, recorded.outcome);
      if (recorded?.outcome.changed) sendSoon();
      const followUps = recorded?.followUps ?? [];
      if (refund && followUps.some((next) => next.refund === refund))
        throw new PaymentBusy("The refund is not complete at Stripe yet.");
      tasks.unshift(...followUps);
    } catch (error) {
      // The reconciliation closes the checkout later.
      if (!isOther || classifyStripeError(error) === null) throw error;
      log.warn(
        { order: task.payment.orderId, reason: withoutSecrets(String(error)) },
        "checkout not closed",
      );
    }
  }
  return outcome;
}

const addOutcome = (before: PaymentOutcome | null, now: PaymentOutcome): PaymentOutcome => ({
  ...now,
  changed: now.changed || (before?.changed ?? false),
});

/**
 * Closes a checkout session, so that it can't be paid any more, and records what it came to.
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
  const result = await writeFacts("try_settle_payment", target, facts);
  return "again" in result ? null : result;
}

/** Asks Stripe about a payment and writes what it says. Null when the payment is not one of ours. */
async function recordFacts(
  { payment, isOther }: Task,
  { event, log }: RecordOptions,
): Promise<{ outcome: PaymentOutcome; followUps: Task[] } | null> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const target = await findPaymentTarget(payment, event?.id);
    if (!target) return null;
    if (target.done && !target.refund_due) {
      const { order, status } = target;
      return { outcome: { order, status, changed: false }, followUps: [] };
    }
    const facts = await readFacts(target, payment);
    if (!facts) {
      log.warn({ order: target.order, event: event?.id }, "payment unknown at the provider");
      return null;
    }
    const result = await writeFacts("settle_payment", target, facts, event);
    if ("again" in result) continue;

    const { order, status, changed, bought, refund_due, close } = result;
    if (changed) log.info({ order, status, event: event?.id }, "payment recorded");
    if (order && bought?.owner) {
      const { owner, cents, currency } = bought;
      tellOfBuying(owner, { name: "Purchase", orderId: order, cents, currency }, log);
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
    return { outcome: { order, status, changed }, followUps };
  }
  throw new PaymentBusy("The same payment is being recorded elsewhere.");
}

/** Finds the order or subscription that a payment belongs to; null when it is not one of ours. */
function findPaymentTarget(
  { orderId, sessionId, subscriptionId, paymentIntentId }: PaymentReference,
  eventId?: string,
): Promise<PaymentTarget | null> {
  return callFunction(
    serviceClient(),
    "payment_target",
    {
      ...(eventId ? { event_id: eventId } : {}),
      ...(orderId ? { order_id: orderId } : {}),
      ...(sessionId ? { session_id: sessionId } : {}),
      ...(subscriptionId ? { subscription_id: subscriptionId } : {}),
      ...(paymentIntentId ? { payment_intent_id: paymentIntentId } : {}),
    },
    paymentTarget.nullable(),
  );
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
    withPayments: target.returning,
  });
}

/** Writes the facts, unless what is stored changed since the target was read. */
function writeFacts(
  name: "settle_payment" | "try_settle_payment",
  target: PaymentTarget,
  facts: PaymentFacts,
  event?: PaymentEvent,
): Promise<z.infer<typeof writeResult>> {
  return callFunction(
    serviceClient(),
    name,
    {
      order_id: target.order,
      subscription_id: target.subscription,
      seen: target.seen,
      facts,
      ...(event ? { event: { ...event } } : {}),
    },
    writeResult,
  );
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
