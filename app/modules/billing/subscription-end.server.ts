import type Stripe from "stripe";

import { redactSecrets, type Log } from "~/http/log.server";
import { stripe } from "~/integrations/stripe/client.server";
import { classifyStripeError, nullIfMissing } from "~/integrations/stripe/stripe-error.server";

import { getExpanded, getStripeId } from "./stripe-fields";
import { isCreditedSince, takeBackCredit } from "./unpaid-credit.server";

/** Stripe gives the same reason for each cancellation through its API, so what we end has this comment. */
export const ENDED_BY_US = "Ended by the directory’s team.";

/**
 * Who ended a subscription: its customer, us, or neither (its payments failed). Only we can delete a customer, with which
 * Stripe ends the subscriptions for the same reason.
 */
export function endedBy({
  cancellation_details: details,
  customer,
}: Pick<Stripe.Subscription, "cancellation_details" | "customer">): "customer" | "us" | null {
  if (details?.reason !== "cancellation_requested") return null;
  return details.comment === ENDED_BY_US || getExpanded(customer)?.deleted ? "us" : "customer";
}

const ENDED = new Set(["canceled", "incomplete_expired"]);

/** Whether a subscription with this status has ended for good. */
export function hasEnded(status: string): boolean {
  return ENDED.has(status);
}

/** A subscription; null when Stripe does not know it. @throws Stripe's errors */
export const findSubscription = (id: string): Promise<Stripe.Subscription | null> =>
  nullIfMissing(stripe().subscriptions.retrieve(id));

/**
 * Which period of a subscription has begun and is not charged yet: Stripe charges a renewal about an hour after it has
 * made the draft of its invoice, also when the subscription is to end with that period. (The drafts of a plan that was
 * unpaid for a while stay, and are never charged.)
 * @param periodFrom when the present period began, in seconds
 * @returns `former` when the plan was changed in that hour: a bill of its own is for the period that began then. Null
 *   when nothing is about to be charged.
 * @throws Stripe's errors
 */
export async function findUnchargedPeriod(
  subscription: string,
  periodFrom: number,
): Promise<"present" | "former" | null> {
  const drafts = await stripe().invoices.list({ subscription, status: "draft", limit: 100 });
  const renewals = drafts.data.filter(
    (draft) => draft.auto_advance && draft.billing_reason === "subscription_cycle",
  );
  if (renewals.length === 0) return null;
  return renewals.some(({ created }) => created >= periodFrom) ? "present" : "former";
}

/** When the present period of a subscription began, in seconds. */
export const getPeriodStart = ({ items }: Pick<Stripe.Subscription, "items">): number =>
  items.data[0]?.current_period_start ?? 0;

/**
 * How a subscription ended: nothing is paid for it anymore, or a bank debit is on its way and can't
 * be called back.
 */
export type SubscriptionEnd = "ended" | "ended, debit on its way";

/**
 * Changes when a subscription is set to end. Stripe takes no such change while our team has scheduled another one in its
 * dashboard, such as a new price from the next period on: the schedule is removed first, with what it would change.
 * @throws Stripe's errors
 */
export async function changeScheduledEnd(
  { id, schedule }: Pick<Stripe.Subscription, "id" | "schedule">,
  change: Stripe.SubscriptionUpdateParams,
): Promise<Stripe.Subscription> {
  const scheduled = getStripeId(schedule);
  if (scheduled) await stripe().subscriptionSchedules.release(scheduled);
  return stripe().subscriptions.update(id, change);
}

/** Whether nothing is owed for a subscription with this status: what it charged is paid, or on its way for the first time. */
export const isPaidUp = (status: string): boolean => status === "active" || status === "trialing";

/**
 * Ends a subscription now, unless it has ended already, at the customer's request or ours. Stripe
 * then stops collecting what it owes. Drafts are stopped as well, because Stripe's documentation
 * doesn't promise that for them. Open invoices are voided, so that no one can pay for what has
 * ended by a link in an older email.
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
  // Not before, so that no plan goes on while its bill is stopped. Recording its end repeats this.
  await stopDrafts(id, log);
  return isPaidUp(status) ? "ended" : voidOpenInvoices(id, log);
}

/**
 * Stops the collection of whatever a subscription that has ended still owes, no matter who ended it.
 * @throws Stripe's errors
 */
export async function stopCollection(subscription: string, log: Log): Promise<SubscriptionEnd> {
  await stopDrafts(subscription, log);
  return voidOpenInvoices(subscription, log);
}

/**
 * Drops the unpaid bills of a running subscription that a change to a cheaper plan has credited since, and that credit:
 * until such a bill was paid, the credit would pay for other plans.
 * @returns whether there were any
 * @throws Stripe's errors
 */
export async function dropCreditedBills(subscription: string, log: Log): Promise<boolean> {
  let found = false;
  const isDropped = async (bill: Stripe.Invoice) => {
    const isCredited = await isCreditedSince(bill);
    found ||= isCredited;
    return isCredited;
  };
  await stopDrafts(subscription, log, isDropped);
  await voidOpenInvoices(subscription, log, isDropped);
  return found;
}

type Choice = (bill: Stripe.Invoice) => boolean | Promise<boolean>;
const all: Choice = () => true;

/** Keeps Stripe from charging what it has drafted. The draft of a subscription's invoice can't be deleted there. */
export async function stopDrafts(subscription: string, log: Log, isChosen = all): Promise<void> {
  const drafts = stripe().invoices.list({ subscription, status: "draft", limit: 100 });
  for await (const draft of drafts) {
    if (!draft.auto_advance || !(await isChosen(draft))) continue;
    await stripe().invoices.update(draft.id, { auto_advance: false });
    await takeBackCredit(draft, log);
  }
}

async function voidOpenInvoices(
  subscription: string,
  log: Log,
  isChosen = all,
): Promise<SubscriptionEnd> {
  const open = stripe().invoices.list({ subscription, status: "open", limit: 100 });
  let end: SubscriptionEnd = "ended";
  for await (const bill of open) {
    if (!(await isChosen(bill))) continue;
    try {
      await stripe().invoices.voidInvoice(bill.id);
    } catch (error) {
      // Stripe doesn't void an invoice while a bank debit for it is on its way.
      if (classifyStripeError(error) !== "refused") throw error;
      log.warn({ invoice: bill.id, reason: redactSecrets(String(error)) }, "invoice not voided");
      end = "ended, debit on its way";
      continue;
    }
    await takeBackCredit(bill, log);
  }
  return end;
}
