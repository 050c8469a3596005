import type Stripe from "stripe";

import { redactSecrets, type Log } from "~/http/log.server";
import { stripe } from "~/integrations/stripe/client.server";
import { classifyStripeError, nullIfMissing } from "~/integrations/stripe/stripe-error.server";
import { createServiceClient } from "~/integrations/supabase/clients.server";
import { unwrap } from "~/integrations/supabase/data.server";
import { DAY_MS } from "~/text/dates";
import { parseUuid } from "~/text/uuid";

import type { PaymentReference, RecordedPayment } from "./payment-records.server";
import { getStripeId } from "./stripe-fields";
import { previewPayment, recordPayment } from "./record-payment.server";
import { getDisputeState, getRefundState } from "./rules";
import { updateCustomerEmail } from "./stripe-customer.server";
import { endSubscription, hasEnded } from "./subscription-end.server";

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
  /** How far back payments, refunds, and disputes are compared that seem to be in order. */
  days: number;
  log: Log;
}

const PAGE_ROWS = 500;
/** How many ids fit into the address of one request. */
const IDS_PER_READ = 100;

/**
 * Compares Stripe with the database, and fixes the database: payments whose events never arrived,
 * checkouts and subscriptions that ended, refunds that are due, listings that do not match their
 * subscription, plans of deleted accounts, and customers with a former email address of their account. Safe to
 * repeat at any time.
 * @throws DataError, Stripe's errors: when one of the two can't be read at all
 */
export async function reconcilePayments({ dryRun, days, log }: Options): Promise<Reconciliation> {
  const result: Reconciliation = { compared: 0, differences: [], failures: [] };
  // A payment may be compared by several of its ids. Its difference is reported once.
  const reported = new Set<string>();
  for (const payment of await listPaymentsToCompare(days)) {
    result.compared += 1;
    try {
      const difference = await comparePayment(payment, dryRun, log, result);
      if (difference && !reported.has(difference.id)) result.differences.push(difference.sentence);
      if (difference) reported.add(difference.id);
    } catch (error) {
      const failure = `${labelOf(payment)}: ${classifyStripeError(error) ?? "failed"} (${redactSecrets(String(error))})`;
      addOnce(result.failures, failure);
    }
  }
  await endOwnerless(dryRun, log, result);
  await compareAddresses(dryRun, result);
  return result;
}

const labelOf = ({ orderId, subscriptionId, paymentIntentId }: PaymentReference) =>
  orderId
    ? `Order ${orderId}`
    : subscriptionId
      ? `Subscription ${subscriptionId}`
      : `Payment ${paymentIntentId}`;

/** Open and recent payments here, running subscriptions, and completed checkouts at Stripe. */
async function listPaymentsToCompare(days: number): Promise<PaymentReference[]> {
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
  for (const { id } of [...open, ...refunds, ...unwanted, ...recent]) add({ orderId: id });
  // A bank decides months after the payment.
  for (const { id } of disputed) add({ paymentIntentId: id });
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
 * The payments of ours of which a refund or dispute was begun at Stripe since a time that is not recorded here as it
 * is there, however old the payment is.
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
  result: Reconciliation,
): Promise<{ id: string; sentence: string } | null> {
  const preview = await previewPayment(payment);
  if (!preview) return null;
  const { changed, refund_due, refund_failed, close } = preview;
  if (!(changed || refund_due || refund_failed || close.length > 0)) return null;
  const label = labelOf(payment);
  if (!dryRun) {
    if (preview.order && refund_failed && !(await retryRefunds(preview.order)))
      addOnce(result.failures, `${label}: a refund keeps failing; please contact its customer`);
    await recordPayment(payment, { log });
  }
  return { id: preview.order ?? label, sentence: `${label}: ${describeDifference(preview)}` };
}

const addOnce = (sentences: string[], sentence: string) => {
  if (!sentences.includes(sentence)) sentences.push(sentence);
};

/** Requests the refunds of an order again that failed at the bank. @returns whether all could be */
async function retryRefunds(orderId: string): Promise<boolean> {
  const db = createServiceClient();
  const failed = unwrap(
    await db
      .from("refunds")
      .select("id, payments!inner(order_id)")
      .eq("payments.order_id", orderId)
      .eq("status", "failed"),
  );
  let all = true;
  for (const { id } of failed) all = unwrap(await db.rpc("retry_refund", { refund_id: id })) && all;
  return all;
}

function describeDifference({
  was,
  status,
  subscription,
  refund_due,
  refund_failed,
  close,
}: RecordedPayment): string {
  const parts = [
    was === status ? null : `${was ?? "unknown"} here, ${status} at Stripe`,
    subscription ? `subscription ${subscription}` : null,
    refund_due ? "to be refunded" : null,
    refund_failed ? "a refund failed and is tried again" : null,
    close.length > 0 ? "another checkout of it still open" : null,
  ].filter((part) => part !== null);
  return parts.join("; ") || "details differ";
}

/**
 * Ends the plans whose account was deleted without ending them, as by hand in the database: no one could cancel them,
 * or reads what they are charged.
 */
async function endOwnerless(dryRun: boolean, log: Log, result: Reconciliation): Promise<void> {
  const db = createServiceClient();
  const ownerless = await readAllRows((from, to) =>
    db
      .from("subscriptions")
      .select("id, status")
      .is("owner", null)
      .not("order_id", "is", null)
      .order("id")
      .range(from, to),
  );
  for (const { id, status } of ownerless) {
    if (hasEnded(status)) continue;
    result.differences.push(`Subscription ${id}: its account was deleted, and it goes on`);
    if (dryRun) continue;
    try {
      const subscription = await nullIfMissing(stripe().subscriptions.retrieve(id));
      if (subscription) await endSubscription(subscription, "us", log);
      await recordPayment({ subscriptionId: id }, { log });
    } catch (error) {
      addOnce(
        result.failures,
        `Subscription ${id}: ${classifyStripeError(error) ?? "failed"} (${redactSecrets(String(error))})`,
      );
    }
  }
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
    if (!addresses.has(customer.id)) continue;
    result.compared += 1;
    const isCurrent = (address: string | null | undefined) =>
      !address || customer.email?.toLowerCase() === address;
    if (isCurrent(addresses.get(customer.id))) continue;
    // The list took a while, in which its user may have taken the other address.
    const address = await findAddress(customer.id);
    if (!address || isCurrent(address)) continue;
    result.differences.push(`Customer ${customer.id}: at an address that the account has left`);
    if (!dryRun) await updateCustomerEmail(customer.id, address);
  }
}

/** The address of the account that a customer is of; null without one. @throws DataError */
async function findAddress(customer: string): Promise<string | null> {
  const profile = await createServiceClient()
    .from("profiles")
    .select("email")
    .eq("stripe_customer_id", customer)
    .maybeSingle();
  unwrap(profile);
  return profile.data?.email?.toLowerCase() ?? null;
}
