import { env } from "~/env.server";
import { redactSecrets, type Log } from "~/http/log.server";
import { stripe } from "~/integrations/stripe/client.server";
import { classifyStripeError, nullIfMissing } from "~/integrations/stripe/stripe-error.server";
import { createServiceClient } from "~/integrations/supabase/clients.server";
import { unwrap } from "~/integrations/supabase/data.server";

import { readPaymentFacts } from "./payment-facts.server";
import {
  findPaymentTarget,
  type PaymentReference,
  type RecordedPayment,
} from "./payment-records.server";
import { listPaymentsToCompare } from "./payments-to-compare.server";
import { readAllRows } from "./read-all-rows.server";
import { previewPayment, recordPayment } from "./record-payment.server";
import { updateCustomerEmail } from "./stripe-customer.server";
import { endSubscription, hasEnded } from "./subscription-end.server";

interface Reconciliation {
  /** How many payments and customers were compared. */
  compared: number;
  /** What differed, one sentence for each. */
  differences: string[];
  /** What could not be compared or fixed, one sentence for each. */
  failures: string[];
  /** What seems to be another installation’s that sells on the same Stripe account, one sentence for each. */
  notes: string[];
}

interface Options {
  /** Report what differs, and change nothing. */
  dryRun: boolean;
  /** How far back payments, refunds, and disputes are compared that seem to be in order. */
  days: number;
  log: Log;
}

/**
 * Compares Stripe with the database, and fixes the database: payments whose events never arrived,
 * checkouts and subscriptions that ended, refunds that are due, listings that do not match their
 * subscription, plans of deleted accounts, and customers with a former email address of their account. Safe to
 * repeat at any time.
 * @throws DataError, Stripe's errors: when one of the two can't be read at all
 */
export async function reconcilePayments({ dryRun, days, log }: Options): Promise<Reconciliation> {
  const result: Reconciliation = { compared: 0, differences: [], failures: [], notes: [] };
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
  const label = labelOf(payment);
  if (!preview) {
    const lost = await findLost(payment);
    const address = lost.length > 0 ? await findOtherAddress(payment) : null;
    if (lost.length > 0)
      addOnce(
        address === null ? result.failures : result.notes,
        `${label}: not in this database, ${
          address === null
            ? "as after a restore"
            : `and bought at ${address}. If that isn’t another installation, it was lost in a restore`
        }; please refund or end at Stripe: ${lost.join(", ")}`,
      );
    return null;
  }
  const { changed, refund_due, refund_failed, close } = preview;
  if (!(changed || refund_due || refund_failed || close.length > 0)) return null;
  if (!dryRun) {
    if (preview.order && refund_failed && !(await retryRefunds(preview.order)))
      addOnce(result.failures, `${label}: a refund keeps failing; please contact its customer`);
    await recordPayment(payment, { log });
  }
  return { id: preview.order ?? label, sentence: `${label}: ${describeDifference(preview)}` };
}

/**
 * For a completed checkout of ours whose order isn't here: the ids at Stripe of what was paid and
 * not refunded, and of its plan, if that goes on. None for others.
 */
async function findLost({ orderId, sessionId }: PaymentReference): Promise<string[]> {
  if (!sessionId || (await findPaymentTarget({ orderId, sessionId }))) return [];
  const query = { session: sessionId, subscription: null, recorded: [] };
  const { subscription, payments = [] } = (await readPaymentFacts(query)) ?? {};
  const kept = payments.filter(({ cents, refunds }) => {
    const returned = (refunds ?? []).filter(({ status }) => RETURNED.has(status));
    return cents > returned.reduce((sum, refund) => sum + refund.cents, 0);
  });
  const running = subscription && !hasEnded(subscription.status) ? [subscription] : [];
  return [...kept, ...running].map(({ id }) => id);
}

/** Where a checkout of ours returns to, if it isn’t here: another installation may sell on the same Stripe account. */
async function findOtherAddress({ sessionId }: PaymentReference): Promise<string | null> {
  const { success_url: url } = await stripe().checkout.sessions.retrieve(sessionId!);
  return !url || url.startsWith(`${env().appUrl}/`) ? null : new URL(url).origin;
}

/** The states of a refund whose money is returned, or about to be. */
const RETURNED: ReadonlySet<string> = new Set(["pending", "succeeded"]);

const addOnce = (sentences: string[], sentence: string) => {
  if (!sentences.includes(sentence)) sentences.push(sentence);
};

/**
 * Requests an order's refunds that failed at the bank again. @returns whether all of them could be
 * requested
 */
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
 * Ends the plans whose account was deleted without ending them, as by hand in the database: no one
 * could cancel such a plan, or would know that it is charged.
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
    result.differences.push(`Subscription ${id}: its account was deleted, but it’s still running`);
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
    result.differences.push(
      `Customer ${customer.id}: still has an email address that the account has left`,
    );
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
