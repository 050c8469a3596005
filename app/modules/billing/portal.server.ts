import type Stripe from "stripe";

import { env } from "~/env.server";
import { paths } from "~/http/paths";
import type { Log } from "~/http/log.server";
import { isStripeConfigured, stripe } from "~/integrations/stripe/client.server";
import { createServiceClient } from "~/integrations/supabase/clients.server";
import { unwrap } from "~/integrations/supabase/data.server";

import { countPaymentRequest } from "./limit-payment-requests.server";
import {
  NOT_SET_UP,
  PaymentRefused,
  PaymentUnavailable,
  toPaymentError,
} from "./payment-errors.server";
import { isPaymentReturned } from "./returned-payment.server";
import { updateCustomerEmail, type Buyer } from "./stripe-customer.server";
import { findPortal } from "./stripe-setup.server";
import { hasEnded } from "./subscription-end.server";

export const NO_SUBSCRIPTION =
  "This listing is Featured without a plan, so there’s nothing to manage.";
export const PAID_BY_ANOTHER =
  "Someone else’s account pays for this listing, so only they can manage its billing. Need to change that? Please get in touch.";
const PORTAL_FAILURE = {
  unavailable:
    "We can’t reach our payment provider right now, so we can’t open your billing. Nothing has changed. Please try again in a few minutes.",
  slow: "We can’t open your billing right now. Nothing has changed. Please try again in a few minutes.",
  ourFault:
    "We can’t open your billing right now, and it’s our fault. Nothing has changed. We’ve made a note of it. Please try again later.",
};

/** What the portal opens for, on exactly one subscription; left out, its first page opens. */
export type PortalTask = "change-plan" | "update-card";

/**
 * Opens Stripe's page on which the payer of a subscription manages it. The page shows cards, bills, and everything
 * else of its customer, so it opens only for the customer's own account.
 * @param page the path to come back to after a task
 * @returns its address, to redirect to
 * @throws PaymentRefused, PaymentUnavailable (their messages are for the user), DataError
 */
export async function openPortal(
  { owner, log }: { owner: Buyer; log: Log },
  plan: { stripe_cus_id: string | null; stripe_subscription_id: string | null },
  page: string,
  task?: PortalTask,
): Promise<{ url: string }> {
  const { stripe_cus_id: customer, stripe_subscription_id: subscription } = plan;
  // The subscription of a previous owner goes on with the listing, without its customer.
  if (!customer) throw new PaymentRefused(subscription ? PAID_BY_ANOTHER : NO_SUBSCRIPTION);
  if (!isStripeConfigured()) throw new PaymentUnavailable(NOT_SET_UP);
  await countPaymentRequest(owner.id);
  await requirePayer(customer, owner.id);
  try {
    if (!(await updateCustomerEmail(customer, owner.email)))
      throw new PaymentRefused(NO_SUBSCRIPTION);
    const configuration = await choosePortal(customer, owner.id, task);
    const { url } = await stripe().billingPortal.sessions.create({
      customer,
      return_url: `${env().appUrl}${task ? page : paths.home()}`,
      ...(configuration ? { configuration: configuration.id } : {}),
      ...(task ? { flow_data: buildFlow(task, subscription, page) } : {}),
    });
    return { url };
  } catch (error) {
    throw toPaymentError(error, log, PORTAL_FAILURE);
  }
}

/**
 * A subscription that is older than the orders has no owner. When its customer also has a
 * subscription of this account, it belongs to the account, too.
 * @throws PaymentRefused when a customer is another account's
 */
export async function requirePayer(customer: string, owner: string): Promise<void> {
  const payers = await findPayers(customer);
  const isOwn = payers.length === 0 || payers.includes(owner);
  if (!isOwn || payers.some((id) => id !== null && id !== owner))
    throw new PaymentRefused(PAID_BY_ANOTHER);
}

/** Leads straight to a task at Stripe, and back to the page. */
function buildFlow(
  task: PortalTask,
  subscription: string | null,
  page: string,
): Stripe.BillingPortal.SessionCreateParams.FlowData {
  const afterwards = {
    type: "redirect",
    redirect: { return_url: `${env().appUrl}${page}?updated=yes` },
  } as const;
  return task === "update-card" || !subscription
    ? { type: "payment_method_update", after_completion: afterwards }
    : {
        type: "subscription_update",
        subscription_update: { subscription },
        after_completion: afterwards,
      };
}

/**
 * The accounts that a customer belongs to: the one that it was created for, and those whose
 * subscriptions it pays. None for a customer who is older than the orders, is in no profile, and
 * has had no event yet. Such a customer belongs to the listing's owner, because a listing loses its
 * customer when its owner changes.
 */
async function findPayers(customer: string): Promise<(string | null)[]> {
  const db = createServiceClient();
  const [profiles, subscriptions] = await Promise.all([
    db.from("profiles").select("id").eq("stripe_customer_id", customer),
    db.from("subscriptions").select("owner").eq("stripe_customer_id", customer),
  ]);
  return [
    ...unwrap(profiles).map(({ id }) => id),
    ...unwrap(subscriptions).map(({ owner }) => owner),
  ];
}

/**
 * The configuration for a task; undefined when the account's default is used. The first page shows every plan of the
 * customer: while one of their listings was removed, or is about to be, none can be changed there, because a change is
 * charged at once. Nor while a payment is on its way, because a change credits it, whether or not it arrives, or once a
 * payment was returned. (The plan of another listing can be changed by the task for it.)
 */
async function choosePortal(
  customer: string,
  owner: string,
  task?: PortalTask,
): Promise<Stripe.BillingPortal.Configuration | undefined> {
  const limited =
    !task && (await hasFixedPlan(customer, owner))
      ? await findPortal(stripe(), "without plan changes")
      : undefined;
  return limited ?? (await findPortal(stripe(), "full"));
}

/** Whether one of a customer's running plans can't be changed now. */
async function hasFixedPlan(customer: string, owner: string): Promise<boolean> {
  const plans = await createServiceClient()
    .from("subscriptions")
    .select("id, status, awaits_payment, places!inner(status, archive_requested, owner)")
    .eq("stripe_customer_id", customer);
  const running = unwrap(plans).filter(({ status }) => !hasEnded(status));
  return (
    running.some(
      ({ awaits_payment, places }) =>
        awaits_payment ||
        places.status === "archived" ||
        (places.archive_requested && places.owner === owner),
    ) || (await isPaymentReturned(running.map(({ id }) => id)))
  );
}
