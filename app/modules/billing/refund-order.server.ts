import type { Log } from "~/http/log.server";
import { stripe } from "~/integrations/stripe/client.server";
import { nullIfMissing, withIdempotencyKey } from "~/integrations/stripe/stripe-error.server";
import { createServiceClient } from "~/integrations/supabase/clients.server";
import { unwrap } from "~/integrations/supabase/data.server";

import { REFUND_MARKS } from "./paid-facts.server";
import { endSubscription } from "./subscription-end.server";
import { returnUsedCredit, takeBackRefundedCredit } from "./unpaid-credit.server";

/** Of what our team refunds, it decides about the credit, too. */
const BY_TEAM: ReadonlySet<string> = new Set(["team", "elsewhere"]);

/**
 * Makes at Stripe what the database has requested for an order: refunds of its payments, in full or in part
 * (`public.refunds`), and the end of the subscription that it paid for, when it is refunded because it should
 * not have been paid (`refund_reason`): then what credit has paid is returned, too. Each attempt has an idempotency key
 * of its own. Safe to repeat.
 * @throws DataError, Stripe's errors
 */
export async function refundOrder(orderId: string, log: Log): Promise<void> {
  const db = createServiceClient();
  const order = unwrap(await db.from("orders").select("refund_reason").eq("id", orderId).single());
  if (order.refund_reason !== null) {
    // Not after the end of the plan: without a charge, nothing else is due then, and this isn't called again.
    await returnUsedCredit(orderId, await listInvoices(orderId), log);
    await endOrderSubscription(orderId, log);
  }
  const requested = unwrap(
    await db
      .from("refunds")
      .select("id, payment_id, cents, reason, attempt, payments!inner(order_id, invoice_id)")
      .eq("payments.order_id", orderId)
      .eq("status", "requested")
      // What a bank is deciding about can't be refunded.
      .or("dispute.is.null,dispute.eq.won", { referencedTable: "payments" })
      .order("created_at"),
  );
  for (const refund of requested) {
    await makeRefund(orderId, refund);
    const { invoice_id: invoice } = refund.payments;
    // Once: later attempts return the same money.
    if (invoice && refund.attempt === 1 && !BY_TEAM.has(refund.reason))
      await takeBackRefundedCredit(invoice, refund.cents, log);
  }
}

/** The invoices of the payments of an order. @throws DataError */
async function listInvoices(order: string): Promise<string[]> {
  const payments = await createServiceClient()
    .from("payments")
    .select("invoice_id")
    .eq("order_id", order);
  return unwrap(payments).flatMap(({ invoice_id }) => invoice_id ?? []);
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
