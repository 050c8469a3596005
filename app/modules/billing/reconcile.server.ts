import { redactSecrets, type Log } from "~/http/log.server";
import { stripe } from "~/integrations/stripe/client.server";
import { classifyStripeError } from "~/integrations/stripe/stripe-error.server";
import { createServiceClient } from "~/integrations/supabase/clients.server";
import { unwrap } from "~/integrations/supabase/data.server";
import { DAY_MS } from "~/text/dates";
import { parseUuid } from "~/text/uuid";

import type { PaymentReference, RecordedPayment } from "./payment-records.server";
import { previewPayment, recordPayment } from "./record-payment.server";
import { hasEnded } from "./refund-order.server";
import { updateCustomerEmail } from "./stripe-customer.server";

interface Reconciliation {
  /** How many payments and customers were compared. */
  compared: number;
  /** What differed, one sentence for each. */
  differences: string[];
  /** What could not be compared or fixed, one sentence for each. */
  failures: string[];
}

interface Options {
  /** Report what differs, and change nothing. */
  dryRun: boolean;
  /** How far back payments are compared that seem to be in order. */
  days: number;
  log: Log;
}

const PAGE_ROWS = 500;

/**
 * Compares Stripe with the database, and fixes the database: payments whose events never arrived,
 * checkouts and subscriptions that ended, refunds that are due, listings that do not match their
 * subscription, and customers with a former email address of their account. Safe to repeat at any time.
 * @throws DataError, Stripe's errors: when one of the two can't be read at all
 */
export async function reconcilePayments({ dryRun, days, log }: Options): Promise<Reconciliation> {
  const result: Reconciliation = { compared: 0, differences: [], failures: [] };
  // A payment may be compared by several of its ids. Its difference is reported once.
  const reported = new Set<string>();
  for (const payment of await listPaymentsToCompare(days)) {
    result.compared += 1;
    try {
      const difference = await comparePayment(payment, dryRun, log);
      if (difference && !reported.has(difference.id)) result.differences.push(difference.sentence);
      if (difference) reported.add(difference.id);
    } catch (error) {
      const failure = `${labelOf(payment)}: ${classifyStripeError(error) ?? "failed"} (${redactSecrets(String(error))})`;
      if (!result.failures.includes(failure)) result.failures.push(failure);
    }
  }
  await compareAddresses(dryRun, result);
  return result;
}

const labelOf = ({ orderId, subscriptionId }: PaymentReference) =>
  orderId ? `Order ${orderId}` : `Subscription ${subscriptionId}`;

/** Open and recent payments here, running subscriptions, and completed checkouts at Stripe. */
async function listPaymentsToCompare(days: number): Promise<PaymentReference[]> {
  const db = createServiceClient();
  const since = new Date(Date.now() - days * DAY_MS);
  const payments = new Map<string, PaymentReference>();
  const add = (payment: PaymentReference) => payments.set(JSON.stringify(payment), payment);

  const [open, refunds, recent, subscriptions, listings] = await Promise.all([
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
      db.from("subscriptions").select("id, status").order("id").range(from, to),
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
  for (const { id } of [...open, ...refunds, ...recent]) add({ orderId: id });
  const known = new Set(subscriptions.map(({ id }) => id));
  for (const { id, status } of subscriptions) if (!hasEnded(status)) add({ subscriptionId: id });
  for (const { stripe_subscription_id: id } of listings)
    if (id && !known.has(id)) add({ subscriptionId: id });

  // What was paid according to Stripe, and is not recorded as paid here.
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
    const order = parseUuid(session.client_reference_id);
    if (order && !paidSessions.has(session.id)) add({ orderId: order, sessionId: session.id });
  }
  return [...payments.values()];
}

interface Page<Row> {
  data: Row[] | null;
  error: { message: string; code?: string; details?: string | null } | null;
  status: number;
}

async function readAllRows<Row>(
  readPage: (from: number, to: number) => PromiseLike<Page<Row>>,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (;;) {
    const page = unwrap<Row[] | null>(await readPage(rows.length, rows.length + PAGE_ROWS - 1));
    rows.push(...page);
    if (page.length < PAGE_ROWS) return rows;
  }
}

/**
 * Compares one payment, and fixes it unless it is a dry run.
 * @returns what differs, with an id of the payment; null when nothing does
 */
async function comparePayment(
  payment: PaymentReference,
  dryRun: boolean,
  log: Log,
): Promise<{ id: string; sentence: string } | null> {
  const preview = await previewPayment(payment);
  if (!preview || !(preview.changed || preview.refund_due || preview.close.length > 0)) return null;
  if (!dryRun) await recordPayment(payment, { log });
  const label = labelOf(payment);
  return { id: preview.order ?? label, sentence: `${label}: ${describeDifference(preview)}` };
}

function describeDifference({
  was,
  status,
  subscription,
  refund_due,
  close,
}: RecordedPayment): string {
  const parts = [
    was === status ? null : `${was ?? "unknown"} here, ${status} at Stripe`,
    subscription ? `subscription ${subscription}` : null,
    refund_due ? "to be given back" : null,
    close.length > 0 ? "another checkout of it still open" : null,
  ].filter((part) => part !== null);
  return parts.join("; ") || "details differ";
}

/** Stripe sends email to its customers, so each must have the current address of its account. */
async function compareAddresses(dryRun: boolean, result: Reconciliation): Promise<void> {
  const db = createServiceClient();
  const profiles = await readAllRows((from, to) =>
    db
      .from("profiles")
      .select("stripe_customer_id, email")
      .not("stripe_customer_id", "is", null)
      .order("id")
      .range(from, to),
  );
  const addresses = new Map(
    profiles.map(({ stripe_customer_id: customer, email }) => [customer!, email?.toLowerCase()]),
  );
  if (addresses.size === 0) return;
  for await (const customer of stripe().customers.list({ limit: 100 })) {
    const address = addresses.get(customer.id);
    if (!address) continue;
    result.compared += 1;
    if (customer.email?.toLowerCase() === address) continue;
    result.differences.push(`Customer ${customer.id}: at an address that the account has left`);
    if (!dryRun) await updateCustomerEmail(customer.id, address);
  }
}
