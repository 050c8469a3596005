import type Stripe from "stripe";

import { redactSecrets, type Log } from "~/http/log.server";
import { stripe } from "~/integrations/stripe/client.server";
import {
  classifyStripeError,
  nullIfMissing,
  withIdempotencyKey,
} from "~/integrations/stripe/stripe-error.server";
import { createServiceClient } from "~/integrations/supabase/clients.server";
import { unwrap } from "~/integrations/supabase/data.server";

import { REFUND_MARKS } from "./paid-facts.server";

/**
 * Makes at Stripe what the database has requested for an order: refunds of its payments, in full or in part
 * (`public.refunds`), and the end of the subscription that it paid for, when it is refunded because it should
 * not have been paid (`refund_reason`). Each attempt has an idempotency key of its own. Safe to repeat.
 * @throws DataError, Stripe's errors
 */
export async function refundOrder(orderId: string, log: Log): Promise<void> {
  const db = createServiceClient();
  const order = unwrap(await db.from("orders").select("refund_reason").eq("id", orderId).single());
  if (order.refund_reason !== null) await endOrderSubscription(orderId, log);
  const requested = unwrap(
    await db
      .from("refunds")
      .select("id, payment_id, cents, reason, attempt, payments!inner(order_id)")
      .eq("payments.order_id", orderId)
      .eq("status", "requested")
      // What a bank is deciding about can't be refunded.
      .or("dispute.is.null,dispute.eq.won", { referencedTable: "payments" })
      .order("created_at"),
  );
  for (const refund of requested) await makeRefund(orderId, refund);
}

interface RequestedRefund {
  id: string;
  payment_id: string;
  cents: number;
  reason: string;
  attempt: number;
}

async function makeRefund(
  order: string,
  { id, payment_id: payment, cents, reason, attempt }: RequestedRefund,
): Promise<void> {
  try {
    await withIdempotencyKey(`refund-${id}-${attempt}`, (options) =>
      stripe().refunds.create(
        {
          payment_intent: payment,
          amount: cents,
          reason: reason === "paid-twice" ? "duplicate" : "requested_by_customer",
          metadata: {
            order,
            [REFUND_MARKS.refund]: id,
            [REFUND_MARKS.attempt]: String(attempt),
          },
        },
        options,
      ),
    );
  } catch (error) {
    // It was refunded at Stripe in the meantime; what it says now is recorded next.
    if ((error as { code?: string }).code !== "charge_already_refunded") throw error;
  }
}

/** Ends the subscription that an order paid for, now: our team does, not its customer. @throws DataError, Stripe's errors */
export async function endOrderSubscription(orderId: string, log: Log): Promise<void> {
  const order = await createServiceClient()
    .from("orders")
    .select("stripe_subscription_id")
    .eq("id", orderId)
    .maybeSingle();
  unwrap(order);
  const id = order.data?.stripe_subscription_id;
  const subscription = id && (await nullIfMissing(stripe().subscriptions.retrieve(id)));
  if (subscription) await endSubscription(subscription, "us", log);
}

/** Stripe gives the same reason for each cancellation through its API, so what we end has this comment. */
export const ENDED_BY_US = "Ended by the directory’s team.";

/** Who ended a subscription: its customer, us, or neither (its payments failed). */
export function endedBy({
  cancellation_details: details,
}: Pick<Stripe.Subscription, "cancellation_details">): "customer" | "us" | null {
  if (details?.reason !== "cancellation_requested") return null;
  return details.comment === ENDED_BY_US ? "us" : "customer";
}

const ENDED = new Set(["canceled", "incomplete_expired"]);

/** Whether a subscription with this status has ended for good. */
export function hasEnded(status: string): boolean {
  return ENDED.has(status);
}

/** Whether nothing is paid anymore for a subscription that has ended, or a bank debit can't be called back. */
export type SubscriptionEnd = "ended" | "ended, debit on its way";

/** With one of these statuses, what a subscription has charged is paid, or on its way for the first time. */
const PAID: ReadonlySet<string> = new Set(["active", "trialing"]);

/**
 * Ends a subscription now, unless it has ended, at the customer's wish or ours. Stripe stops collecting what it owes
 * then. Its open invoices are voided as well, so that no link in an older email leads to paying for what has ended.
 * @throws Stripe's errors
 */
export async function endSubscription(
  { id, status }: { id: string; status: string },
  by: "customer" | "us",
  log: Log,
): Promise<SubscriptionEnd> {
  if (hasEnded(status)) return "ended";
  // Missing when someone else ended it in the meantime.
  await nullIfMissing(
    stripe().subscriptions.cancel(
      id,
      by === "us" ? { cancellation_details: { comment: ENDED_BY_US } } : {},
    ),
  );
  return PAID.has(status) ? "ended" : voidOpenInvoices(id, log);
}

/** Voids what a subscription that has ended still owes, whoever ended it. @throws Stripe's errors */
export async function voidOpenInvoices(subscription: string, log: Log): Promise<SubscriptionEnd> {
  const open = stripe().invoices.list({ subscription, status: "open", limit: 100 });
  let end: SubscriptionEnd = "ended";
  for await (const { id } of open) {
    try {
      await stripe().invoices.voidInvoice(id);
    } catch (error) {
      // Stripe doesn't void an invoice while a bank debit for it is on its way.
      if (classifyStripeError(error) !== "refused") throw error;
      log.warn({ invoice: id, reason: redactSecrets(String(error)) }, "invoice not voided");
      end = "ended, debit on its way";
    }
  }
  return end;
}
