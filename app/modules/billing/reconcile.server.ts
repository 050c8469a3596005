import { redactSecrets, type Log } from "~/http/log.server";
import { stripe } from "~/integrations/stripe/client.server";
import { stripeFailure } from "~/integrations/stripe/failure.server";
import { createServiceClient } from "~/integrations/supabase/clients.server";
import { unwrap } from "~/integrations/supabase/data.server";
import type { Json } from "~/integrations/supabase/database.types";

import { keepAddress } from "./customer.server";
import { hasEnded } from "./give-back.server";
import { factsOf, paymentTarget, settle, type PaymentName, type Written } from "./settle.server";
import { orderIn } from "./stripe-events.server";

export interface Reconciliation {
  /** How many payments and customers were compared. */
  compared: number;
  /** What differed, a sentence each. */
  differences: string[];
  /** What could not be compared or mended, a sentence each. */
  failures: string[];
}

interface Options {
  /** Say what differs, and change nothing. */
  dryRun: boolean;
  /** How far back payments are compared that seem to be in order. */
  days: number;
  log: Log;
}

const PAGE = 500;

/**
 * Compares what Stripe has with what the database has, and mends the database: payments whose events never came,
 * checkouts and subscriptions that ended, refunds that are due, listings that are not as their subscription is, and
 * customers at an address that the account has left. Safe to repeat, at any time.
 * @throws DataError, Stripe's failures, when neither can be asked at all
 */
export async function reconcile({ dryRun, days, log }: Options): Promise<Reconciliation> {
  const result: Reconciliation = { compared: 0, differences: [], failures: [] };
  // A payment has several names, by which it may be compared: what differs about it is told once.
  const told = new Set<string>();
  for (const name of await paymentsToCompare(days)) {
    result.compared += 1;
    try {
      const difference = await compare(name, dryRun, log);
      if (difference && !told.has(difference.payment)) result.differences.push(difference.words);
      if (difference) told.add(difference.payment);
    } catch (error) {
      const failure = `${nameInWords(name)}: ${stripeFailure(error) ?? "failed"} (${redactSecrets(String(error))})`;
      if (!result.failures.includes(failure)) result.failures.push(failure);
    }
  }
  await compareAddresses(dryRun, result);
  return result;
}

const nameInWords = ({ orderId, subscriptionId }: PaymentName) =>
  orderId ? `Order ${orderId}` : `Subscription ${subscriptionId}`;

/** All that may differ: what is under way here, what ended well at Stripe's, and what was paid lately. */
async function paymentsToCompare(days: number): Promise<PaymentName[]> {
  const db = createServiceClient();
  const since = new Date(Date.now() - days * 86_400_000);
  const names = new Map<string, PaymentName>();
  const add = (name: PaymentName) =>
    names.set(`${name.orderId ?? ""} ${name.sessionId ?? ""} ${name.subscriptionId ?? ""}`, name);

  const [running, returning, lately, subscriptions, older] = await Promise.all([
    everyRow((from, to) =>
      db
        .from("orders")
        .select("id")
        .is("paid_at", null)
        .not("stripe_checkout_session_id", "is", null)
        .or("expires_at.not.is.null,status.eq.processing")
        .order("id")
        .range(from, to),
    ),
    everyRow((from, to) =>
      db
        .from("orders")
        .select("id")
        .not("refund_reason", "is", null)
        .neq("status", "refunded")
        .order("id")
        .range(from, to),
    ),
    everyRow((from, to) =>
      db
        .from("orders")
        .select("id")
        .gte("paid_at", since.toISOString())
        .not("stripe_checkout_session_id", "is", null)
        .order("id")
        .range(from, to),
    ),
    everyRow((from, to) =>
      db.from("subscriptions").select("id, status").order("id").range(from, to),
    ),
    everyRow((from, to) =>
      db
        .from("places")
        .select("id, stripe_subscription_id")
        .not("stripe_subscription_id", "is", null)
        .order("id")
        .range(from, to),
    ),
  ]);
  for (const { id } of [...running, ...returning, ...lately]) add({ orderId: id });
  const known = new Set(subscriptions.map(({ id }) => id));
  for (const { id, status } of subscriptions) if (!hasEnded(status)) add({ subscriptionId: id });
  for (const { stripe_subscription_id: id } of older)
    if (id && !known.has(id)) add({ subscriptionId: id });

  // What was paid, by Stripe's own account of it.
  const settled = new Set<string>();
  for (const row of await everyRow((from, to) =>
    db
      .from("orders")
      .select("stripe_checkout_session_id")
      .not("paid_at", "is", null)
      .not("stripe_checkout_session_id", "is", null)
      .order("id")
      .range(from, to),
  )) {
    settled.add(row.stripe_checkout_session_id!);
  }
  for await (const session of stripe().checkout.sessions.list({
    status: "complete",
    created: { gte: Math.floor(since.getTime() / 1000) },
    limit: 100,
  })) {
    const order = orderIn(session.client_reference_id);
    if (order && !settled.has(session.id)) add({ orderId: order, sessionId: session.id });
  }
  return [...names.values()];
}

interface Page<Row> {
  data: Row[] | null;
  error: { message: string; code?: string; details?: string | null } | null;
  status: number;
}

async function everyRow<Row>(
  ask: (from: number, to: number) => PromiseLike<Page<Row>>,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (;;) {
    const page = unwrap<Row[] | null>(await ask(rows.length, rows.length + PAGE - 1));
    rows.push(...page);
    if (page.length < PAGE) return rows;
  }
}

/** What differs about one payment, in words, and which that is, mended unless told otherwise; null when nothing does. */
async function compare(
  name: PaymentName,
  dryRun: boolean,
  log: Log,
): Promise<{ payment: string; words: string } | null> {
  const target = await paymentTarget(name);
  const facts = target && (await factsOf(target, name));
  if (!target || !facts) return null;
  const found = unwrap(
    await createServiceClient().rpc("try_settle_payment", {
      order_id: target.order!,
      subscription_id: target.subscription!,
      seen: target.seen,
      facts: facts as unknown as Json,
    }),
  ) as unknown as Written;
  if (found.again || !(found.changed || found.refund_due || found.close.length > 0)) return null;
  if (!dryRun) await settle(name, { log });
  return { payment: found.order ?? nameInWords(name), words: differenceInWords(name, found) };
}

function differenceInWords(
  name: PaymentName,
  { was, status, subscription, refund_due, close }: Written,
): string {
  const parts = [
    was === status ? null : `${was ?? "unknown"} here, ${status} at Stripe`,
    subscription ? `subscription ${subscription}` : null,
    refund_due ? "to be given back" : null,
    close.length > 0 ? "another checkout of it still open" : null,
  ].filter((part) => part !== null);
  return `${nameInWords(name)}: ${parts.join("; ") || "details differ"}`;
}

/** Stripe writes to its customers: to the address the account has now, and no other. */
async function compareAddresses(dryRun: boolean, result: Reconciliation): Promise<void> {
  const db = createServiceClient();
  const people = await everyRow((from, to) =>
    db
      .from("profiles")
      .select("stripe_customer_id, email")
      .not("stripe_customer_id", "is", null)
      .order("id")
      .range(from, to),
  );
  const addresses = new Map(
    people.map(({ stripe_customer_id: customer, email }) => [customer!, email?.toLowerCase()]),
  );
  if (addresses.size === 0) return;
  for await (const customer of stripe().customers.list({ limit: 100 })) {
    const address = addresses.get(customer.id);
    if (!address) continue;
    result.compared += 1;
    if (customer.email?.toLowerCase() === address) continue;
    result.differences.push(`Customer ${customer.id}: at an address that the account has left`);
    if (!dryRun) await keepAddress(customer.id, address);
  }
}
