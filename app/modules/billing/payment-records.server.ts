import { z } from "zod";

import { callFunction } from "~/integrations/supabase/call-function.server";
import { createServiceClient } from "~/integrations/supabase/clients.server";

import type { KnownPayment, PaymentFacts } from "./payment-facts.server";

/** The database's side of a payment: which order it belongs to, and what Stripe's facts change. */

/** A payment, by the ids of it that the caller knows. The most specific one decides. */
export interface PaymentReference {
  orderId?: string | null;
  sessionId?: string | null;
  subscriptionId?: string | null;
  paymentIntentId?: string | null;
}

/**
 * An event of Stripe's. It is stored in one transaction with its effect, so that it takes effect
 * once.
 */
export interface PaymentEvent {
  id: string;
  type: string;
  object: string | null;
  /** Seconds. */
  created: number;
}

/** A checkout session that can still be paid, and its order. */
export const openCheckoutSchema = z.object({ order: z.string(), session: z.string() });
export type OpenCheckout = z.infer<typeof openCheckoutSchema>;

const knownPayment: z.ZodType<KnownPayment> = z.object({
  id: z.string(),
  invoice: z.string().nullable(),
  read: z.boolean(),
});

/** What the database knows about a payment. */
const paymentTarget = z.object({
  /** Whether the event was handled already. */
  done: z.boolean(),
  order: z.string().nullable(),
  kind: z.enum(["job", "sponsorship", "upgrade"]).nullable(),
  paid: z.boolean(),
  session: z.string().nullable(),
  subscription: z.string().nullable(),
  /** The payments that are recorded, by their ids; `read` when their refunds may have changed. */
  payments: z.array(knownPayment),
  /** Whether something remains to be refunded. */
  refund_due: z.boolean(),
  /** The version of what is stored. Facts are only written over the version they were read for. */
  seen: z.number(),
});
export type PaymentTarget = z.infer<typeof paymentTarget>;

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
  /** Whether a refund of it failed at Stripe, and has to be tried again. */
  refund_failed: z.boolean(),
  /** Other checkouts of the same item, which must be closed. */
  close: z.array(openCheckoutSchema),
  /**
   * Payments for bills whose dispute this call found lost, and until when they paid for the plan. (Absent from a database
   * of the previous release.)
   */
  lost: z
    .array(
      z.object({
        invoice: z.string(),
        cents: z.number(),
        period_to: z.iso.datetime({ offset: true }).nullable(),
      }),
    )
    .default([]),
});
export type RecordedPayment = z.infer<typeof recordedPayment>;

/** `again`: something else was recorded in the meantime, so Stripe must be asked again. */
const writeResult = z.union([z.object({ again: z.literal(true) }), recordedPayment]);

/** Finds the order or subscription that a payment belongs to; null when it is not one of ours. */
export function findPaymentTarget(
  { orderId, sessionId, subscriptionId, paymentIntentId }: PaymentReference,
  eventId?: string,
): Promise<PaymentTarget | null> {
  return callFunction(
    createServiceClient(),
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

/**
 * Writes facts about a payment with everything that follows from them, in one transaction, unless what
 * is stored changed since the target was read.
 * @param name `preview_payment` changes nothing and returns the same
 * @throws DataError
 */
export function writeFacts(
  name: "record_payment" | "preview_payment",
  target: PaymentTarget,
  facts: PaymentFacts,
  event?: PaymentEvent,
): Promise<z.infer<typeof writeResult>> {
  return callFunction(
    createServiceClient(),
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
