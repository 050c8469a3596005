import type { Log } from "~/http/log.server";
import { redactSecrets } from "~/http/log.server";
import { stripe } from "~/integrations/stripe/client.server";
import { stripeFailure } from "~/integrations/stripe/failure.server";
import { createServiceClient } from "~/integrations/supabase/clients.server";
import { unwrap } from "~/integrations/supabase/data.server";
import type { Json } from "~/integrations/supabase/database.types";
import { triggerEmailDelivery } from "~/modules/emails/deliver-queue.server";
import { trackPurchase } from "~/modules/privacy/tracking-consent.server";

import { giveBack } from "./give-back.server";
import { askStripe, checkoutOf } from "./stripe-facts.server";

/** A payment, by whatever of its names is known. The most exact one decides. */
export interface PaymentName {
  orderId?: string | null;
  sessionId?: string | null;
  subscriptionId?: string | null;
  paymentIntentId?: string | null;
}

/** An event of Stripe's: written down with its effect, so that it has one. */
export interface PaymentEvent {
  id: string;
  type: string;
  object: string | null;
  /** Seconds. */
  created: number;
}

/** What we know of a payment, before Stripe is asked. */
export interface PaymentTarget {
  /** Whether this event was dealt with already. */
  done: boolean;
  order: string | null;
  kind: "job" | "sponsorship" | "upgrade" | null;
  status: string | null;
  paid: boolean;
  session: string | null;
  subscription: string | null;
  payment_intent: string | null;
  /** Whether it is one that is given back, and whether something is left to do for that. */
  returning: boolean;
  refund_due: boolean;
  seen: number;
}

/** What `settle_payment` gives. */
export interface Written {
  again?: true;
  order: string | null;
  was: string | null;
  status: string;
  subscription: string | null;
  changed: boolean;
  /** Only for the one who made it paid. */
  bought: { owner: string | null; cents: number; currency: string } | null;
  refund_due: boolean;
  close: { order: string; session: string }[];
}

/** What came of it: the order (none for a subscription that is older than the orders), and its status now. */
export interface Settled {
  order: string | null;
  status: string | null;
  changed: boolean;
}

/** Each time somebody else was faster. */
const MOST_TRIES = 8;

/** Which order or subscription of ours a payment's name means, or null. */
export async function paymentTarget(
  name: PaymentName,
  eventId?: string,
): Promise<PaymentTarget | null> {
  const target = unwrap(
    await createServiceClient().rpc("payment_target", {
      ...(eventId ? { event_id: eventId } : {}),
      ...(name.orderId ? { order_id: name.orderId } : {}),
      ...(name.sessionId ? { session_id: name.sessionId } : {}),
      ...(name.subscriptionId ? { subscription_id: name.subscriptionId } : {}),
      ...(name.paymentIntentId ? { payment_intent_id: name.paymentIntentId } : {}),
    }),
  );
  return target as unknown as PaymentTarget | null;
}

/** What Stripe says of a payment now; null when it knows nothing of it. @throws Stripe's failures */
export async function factsOf(target: PaymentTarget, name: PaymentName) {
  let session = name.sessionId ?? target.session;
  const stranger =
    name.subscriptionId &&
    target.paid &&
    target.subscription &&
    name.subscriptionId !== target.subscription;
  // An order that was paid twice has a second subscription, which is known by its own checkout.
  if (stranger) session = await checkoutOf(name.subscriptionId!);
  const known = target.kind === "upgrade" && target.paid && session === target.session;
  return askStripe({
    session: known ? null : session,
    subscription: name.subscriptionId ?? target.subscription,
    withPayments: target.returning,
  });
}

/**
 * The one function by which payments come to have effects: for events, for "Check now" and for the
 * reconciliation alike. It asks Stripe how things stand and writes that down whole, so it can be repeated, at
 * any time and in any order; an older answer of Stripe's never overwrites a newer one.
 * @returns null when it is nothing of ours
 * @throws DataError, Stripe's failures; then it is to be tried again
 */
export async function settle(
  name: PaymentName,
  { event, log }: { event?: PaymentEvent; log: Log },
): Promise<Settled | null> {
  let changed = false;
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const target = await paymentTarget(name, event?.id);
    if (!target) return null;
    if (target.done && !target.refund_due)
      return { order: target.order, status: target.status, changed };

    const facts = await factsOf(target, name);
    if (!facts) {
      log.warn({ order: target.order, event: event?.id }, "payment unknown at the provider");
      return null;
    }
    const written = unwrap(
      await createServiceClient().rpc("settle_payment", {
        // The types know no nulls in arguments.
        order_id: target.order!,
        subscription_id: target.subscription!,
        seen: target.seen,
        facts: facts as unknown as Json,
        ...(event ? { event: { ...event } } : {}),
      }),
    ) as unknown as Written;
    if (written.again) continue;

    changed ||= written.changed;
    if (written.changed) {
      log.info(
        { order: written.order, status: written.status, event: event?.id },
        "payment settled",
      );
      triggerEmailDelivery();
    }
    if (written.bought?.owner) {
      const { owner, cents, currency } = written.bought;
      trackPurchase(owner, { name: "Purchase", orderId: written.order!, cents, currency }, log);
    }
    for (const { order, session } of written.close) await closeCheckout(order, session, log);
    if (!written.refund_due || !written.order)
      return { order: written.order, status: written.status, changed };
    log.info({ order: written.order }, "payment given back");
    await giveBack(written.order);
    // Once more, for what has come of that. From now on it is the order that is meant.
    name = {
      orderId: written.order,
      sessionId: facts.session?.id,
      subscriptionId: facts.subscription?.id,
    };
  }
  throw new PaymentBusy("Others settle the same payment.");
}

/** Too many at once: to be tried again. */
export class PaymentBusy extends Error {
  override name = "PaymentBusy";
}

/**
 * Closes a checkout, so that it can't be paid any more.
 * @returns false when it could not be closed because it is paid, or over: how that stands is settled then
 * @throws nothing for a Stripe that does not answer; the reconciliation closes it later
 */
async function closeCheckout(orderId: string, sessionId: string, log: Log): Promise<boolean> {
  try {
    await expireCheckout(orderId, sessionId, log);
    return true;
  } catch (error) {
    if (stripeFailure(error) === null) throw error;
    log.warn({ order: orderId, reason: redactSecrets(String(error)) }, "checkout not closed");
    return false;
  }
}

/** Closes a checkout and settles how it then stands. @throws Stripe's failures */
export async function expireCheckout(orderId: string, sessionId: string, log: Log): Promise<void> {
  try {
    await stripe().checkout.sessions.expire(sessionId);
  } catch (error) {
    const failure = stripeFailure(error);
    // It is over already: how, is for Stripe to say.
    if (failure !== "refused" && failure !== "missing") throw error;
  }
  await settle({ orderId, sessionId }, { log });
}
