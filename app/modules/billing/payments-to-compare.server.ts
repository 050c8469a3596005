import type Stripe from "stripe";

import { stripe } from "~/integrations/stripe/client.server";
import { createServiceClient } from "~/integrations/supabase/clients.server";
import { unwrap } from "~/integrations/supabase/data.server";
import { DAY_MS } from "~/text/dates";
import { parseUuid } from "~/text/uuid";

import type { PaymentReference } from "./payment-records.server";
import { readAllRows } from "./read-all-rows.server";
import { getDisputeState, getRefundState } from "./rules";
import { getStripeId } from "./stripe-fields";
import { hasEnded } from "./subscription-end.server";

/** How many ids fit into the address of one request. */
const IDS_PER_READ = 100;

/**
 * What the reconciliation compares: open and recent payments here, running subscriptions, completed checkouts at Stripe,
 * and what is recorded otherwise than Stripe has it.
 * @param days how far back payments, refunds, and disputes are compared that seem to be in order
 * @throws DataError, Stripe's errors
 */
export async function listPaymentsToCompare(days: number): Promise<PaymentReference[]> {
  const db = createServiceClient();
  const since = new Date(Date.now() - days * DAY_MS);
  const payments = new Map<string, PaymentReference>();
  const add = (payment: PaymentReference) => payments.set(JSON.stringify(payment), payment);

  const [open, refunds, unwanted, recent, disputed, subscriptions, listings] = await Promise.all([
    readAllRows((from, to) =>
      db
        .from("orders")
        .select("id")
        .is("paid_at", null)
        .not("stripe_checkout_session_id", "is", null)
        .or("expires_at.not.is.null,status.eq.processing")
        .order("id")
        .range(from, to),
    ),
    readAllRows((from, to) =>
      db
        .from("orders")
        .select("id, payments!inner(refunds!inner(status))")
        .in("payments.refunds.status", ["requested", "pending", "failed"])
        .order("id")
        .range(from, to),
    ),
    readAllRows((from, to) =>
      db
        .from("orders")
        .select("id")
        .not("refund_reason", "is", null)
        .neq("status", "refunded")
        .order("id")
        .range(from, to),
    ),
    readAllRows((from, to) =>
      db
        .from("orders")
        .select("id")
        .gte("paid_at", since.toISOString())
        .not("stripe_checkout_session_id", "is", null)
        .order("id")
        .range(from, to),
    ),
    readAllRows((from, to) =>
      db.from("payments").select("id").eq("dispute", "open").order("id").range(from, to),
    ),
    readAllRows((from, to) =>
      db
        .from("subscriptions")
        .select("id, status, credit_cents, awaits_payment")
        .order("id")
        .range(from, to),
    ),
    readAllRows((from, to) =>
      db
        .from("places")
        .select("id, stripe_subscription_id")
        .not("stripe_subscription_id", "is", null)
        .order("id")
        .range(from, to),
    ),
  ]);
  for (const { id } of [...open, ...refunds, ...unwanted, ...recent]) add({ orderId: id });
  // A bank decides months after the payment.
  for (const { id } of disputed) add({ paymentIntentId: id });
  const known = new Set(subscriptions.map(({ id }) => id));
  // The page of a plan that has ended shows credit, and a payment on its way. No event says that
  // the team has returned credit.
  for (const { id, status, credit_cents, awaits_payment } of subscriptions)
    if (!hasEnded(status) || credit_cents > 0 || awaits_payment) add({ subscriptionId: id });
  for (const { stripe_subscription_id: id } of listings)
    if (id && !known.has(id)) add({ subscriptionId: id });

  // What is paid according to Stripe, but not recorded as paid here.
  const paidSessions = new Set<string>();
  for (const row of await readAllRows((from, to) =>
    db
      .from("orders")
      .select("stripe_checkout_session_id")
      .not("paid_at", "is", null)
      .not("stripe_checkout_session_id", "is", null)
      .order("id")
      .range(from, to),
  )) {
    paidSessions.add(row.stripe_checkout_session_id!);
  }
  for await (const session of stripe().checkout.sessions.list({
    status: "complete",
    created: { gte: Math.floor(since.getTime() / 1000) },
    limit: 100,
  })) {
    const order = parseUuid(session.metadata?.["order"]);
    if (order && !paidSessions.has(session.id)) add({ orderId: order, sessionId: session.id });
  }
  for (const payment of await listDifferentCharges(since)) add(payment);
  for (const id of await listDifferentReturns(since)) add({ paymentIntentId: id });
  return [...payments.values()];
}

/**
 * The payments of ours at Stripe that are not recorded here as they are there: unknown ones, and those that
 * were refunded or disputed in part, such as a renewal.
 */
async function listDifferentCharges(since: Date): Promise<PaymentReference[]> {
  const db = createServiceClient();
  const recorded = new Map(
    (
      await readAllRows((from, to) =>
        db
          .from("payments")
          .select("id, cents, refunded_cents, dispute")
          .gte("paid_at", new Date(since.getTime() - DAY_MS).toISOString())
          .order("id")
          .range(from, to),
      )
    ).map((payment) => [payment.id, payment]),
  );
  const plans = await findPlansByCustomer();
  const different: PaymentReference[] = [];
  for await (const charge of stripe().charges.list({
    created: { gte: Math.floor(since.getTime() / 1000) },
    limit: 100,
  })) {
    const id = getStripeId(charge.payment_intent);
    if (!id || !charge.paid || !charge.captured) continue;
    const known = recorded.get(id);
    const order = parseUuid(charge.metadata["order"]);
    if (!known && order) different.push({ orderId: order, paymentIntentId: id });
    // The charge of an invoice names no order. It may be for a plan that has ended, as a late debit is.
    if (!known && !order)
      for (const plan of plans.get(getStripeId(charge.customer) ?? "") ?? [])
        different.push({ subscriptionId: plan });
    if (
      known &&
      (known.cents !== charge.amount_captured ||
        known.refunded_cents !== charge.amount_refunded ||
        (known.dispute !== null) !== charge.disputed)
    )
      different.push({ paymentIntentId: id });
  }
  return different;
}

/** All subscriptions that are recorded, also ended ones, by who pays them at Stripe. */
async function findPlansByCustomer(): Promise<Map<string, string[]>> {
  const plans = new Map<string, string[]>();
  const rows = await readAllRows((from, to) =>
    createServiceClient()
      .from("subscriptions")
      .select("id, stripe_customer_id")
      .order("id")
      .range(from, to),
  );
  for (const { id, stripe_customer_id: customer } of rows)
    plans.set(customer, [...(plans.get(customer) ?? []), id]);
  return plans;
}

/**
 * Our payments, however old, that have a refund or dispute which began at Stripe since a given time
 * and is not recorded here as it is there.
 */
async function listDifferentReturns(since: Date): Promise<Set<string>> {
  const began = { created: { gte: Math.floor(since.getTime() / 1000) }, limit: 100 };
  const seen = new Map<string, { refunds: Stripe.Refund[]; disputes: Stripe.Dispute[] }>();
  const of = (one: Stripe.Refund | Stripe.Dispute) => {
    const id = getStripeId(one.payment_intent) ?? "";
    const found = seen.get(id) ?? { refunds: [], disputes: [] };
    seen.set(id, found);
    return found;
  };
  for await (const refund of stripe().refunds.list(began)) of(refund).refunds.push(refund);
  for await (const dispute of stripe().disputes.list(began)) of(dispute).disputes.push(dispute);

  const ids = [...seen.keys()];
  const different = new Set<string>();
  for (let at = 0; at < ids.length; at += IDS_PER_READ) {
    const rows = unwrap(
      await createServiceClient()
        .from("payments")
        .select("id, dispute, refunds(stripe_id, status)")
        .in("id", ids.slice(at, at + IDS_PER_READ)),
    );
    for (const { id, dispute, refunds: recorded } of rows) {
      const { refunds, disputes } = seen.get(id)!;
      const isKnown = (refund: Stripe.Refund) =>
        recorded.some(
          ({ stripe_id, status }) =>
            stripe_id === refund.id && status === getRefundState(refund.status),
        );
      const state = getDisputeState(disputes);
      if (!refunds.every(isKnown) || (state !== null && state !== dispute)) different.add(id);
    }
  }
  return different;
}
