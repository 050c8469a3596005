import type { Log } from "~/http/log.server";
import { isStripeConfigured, stripe } from "~/integrations/stripe/client.server";
import { nullIfMissing } from "~/integrations/stripe/stripe-error.server";
import { createServiceClient } from "~/integrations/supabase/clients.server";
import { unwrap } from "~/integrations/supabase/data.server";

import { NOT_SET_UP, PaymentUnavailable, toPaymentError } from "./payment-errors.server";
import { closeCheckout, recordPayment } from "./record-payment.server";
import { endSubscription, hasEnded } from "./subscription-end.server";

/** These neither feature nor charge anything, but would do both again: once a card is fixed, or our team resumes them. */
export const DORMANT: ReadonlySet<string> = new Set(["unpaid", "paused"]);

/**
 * Before a listing is upgraded again: ends its subscriptions whose last bill wasn't paid, so that none becomes active
 * beside the new one and both are charged. (While one is paused, open_order refuses another.) Safe to repeat.
 * @param buyer who upgrades it; for a former owner's plan, its email doesn't say that they asked for its end
 * @throws DataError, Stripe's errors
 */
export async function endUnpaidSubscriptions(
  placeId: number,
  buyer: string,
  log: Log,
): Promise<void> {
  const db = createServiceClient();
  const [recorded, listing] = await Promise.all([
    db.from("subscriptions").select("id, status, owner").eq("place_id", placeId),
    // A subscription that is older than the orders is stored with its listing only.
    db
      .from("places")
      .select("premium, stripe_subscription_id, subscription_status")
      .eq("id", placeId)
      .maybeSingle(),
  ]);
  unwrap(listing);
  const subscriptions = unwrap(recorded);
  const older = listing.data?.stripe_subscription_id;
  if (older && !subscriptions.some(({ id }) => id === older))
    subscriptions.push({
      id: older,
      status: listing.data?.subscription_status ?? "",
      owner: buyer,
    });
  // A subscription that is past due features its listing, unless its first payment has failed.
  const isUnpaid = (status: string) =>
    status === "unpaid" || (status === "past_due" && listing.data?.premium === false);
  for (const { id, status, owner } of subscriptions) {
    // One that is paused may have been resumed, or isn't recorded yet.
    if (status === "paused") await recordPayment({ subscriptionId: id }, { log });
    if (!isUnpaid(status)) continue;
    // It may have become active at Stripe. Then it stays, and the listing that it features is
    // recorded.
    const subscription = await nullIfMissing(stripe().subscriptions.retrieve(id));
    if (subscription && isUnpaid(subscription.status))
      await endSubscription(subscription, owner === buyer ? "customer" : "us", log);
    await recordPayment({ subscriptionId: id }, { log });
  }
}

/**
 * Before an account is deleted: ends its subscriptions, so that no one is charged for a deleted
 * account, closes its open checkouts, and deletes its customer at Stripe. Listings that it paid for are
 * no longer Featured. Nothing is refunded, except a renewal that was charged after its payer had asked for the deletion: we
 * had said that nothing more would be charged, and the plan may not have been stopped in time. Safe to repeat.
 * @param by who deletes the account: its owner, or our team
 * @param beforeEnd called before each subscription is ended: what is recorded of that names no one
 * @throws PaymentUnavailable when Stripe does not answer: then the account must not be deleted yet
 * @throws DataError
 */
export async function endUserSubscriptions(
  userId: string,
  by: "customer" | "us",
  log: Log,
  beforeEnd?: (subscription: string) => Promise<void>,
): Promise<void> {
  const db = createServiceClient();
  const [profile, recorded, listings, orders, checkouts] = await Promise.all([
    db.from("profiles").select("stripe_customer_id, email").eq("id", userId).maybeSingle(),
    db.from("subscriptions").select("id, status").eq("owner", userId),
    // Subscriptions that are older than the orders are stored with their listings only.
    db
      .from("places")
      .select("stripe_subscription_id, subscription_status")
      .eq("owner", userId)
      .not("stripe_subscription_id", "is", null),
    db
      .from("orders")
      .select("id, stripe_checkout_session_id")
      .eq("owner", userId)
      .is("paid_at", null)
      .not("stripe_checkout_session_id", "is", null)
      .gt("expires_at", new Date().toISOString()),
    db.from("orders").select("id").eq("owner", userId).limit(1),
  ]);
  unwrap(profile);
  const customer = profile.data?.stripe_customer_id ?? null;
  const running = new Set<string>();
  for (const { id, status } of unwrap(recorded)) if (!hasEnded(status)) running.add(id);
  const listed = unwrap(listings).flatMap(
    ({ stripe_subscription_id: id, subscription_status: status }) =>
      id && !hasEnded(status ?? "") ? [id] : [],
  );
  // A subscription that someone else pays for continues.
  const paidByOthers =
    listed.length > 0
      ? unwrap(await db.from("subscriptions").select("id").in("id", listed).neq("owner", userId))
      : [];
  for (const id of listed) if (!paidByOthers.some((other) => other.id === id)) running.add(id);
  const open = unwrap(orders);
  const hasTried = unwrap(checkouts).length > 0;
  if (!customer && running.size === 0 && open.length === 0 && !(hasTried && isStripeConfigured()))
    return;
  if (!isStripeConfigured()) throw new PaymentUnavailable(NOT_SET_UP);

  try {
    for (const { id, stripe_checkout_session_id: session } of open)
      await closeCheckout({ order: id, session: session! }, log);
    const customers = new Set(hasTried ? await findCustomers(userId, profile.data?.email) : []);
    if (customer) customers.add(customer);
    // Including those that no event reported yet.
    for (const one of customers) for (const id of await listRunning(one)) running.add(id);
    for (const id of running) {
      await beforeEnd?.(id);
      unwrap(await db.rpc("refund_late_renewals", { subscription: id }));
      const subscription = await nullIfMissing(stripe().subscriptions.retrieve(id));
      if (subscription) await endSubscription(subscription, by, log);
      await recordPayment({ subscriptionId: id }, { log });
    }
    for (const one of customers) await nullIfMissing(stripe().customers.del(one));
    if (customer)
      unwrap(await db.from("profiles").update({ stripe_customer_id: null }).eq("id", userId));
  } catch (error) {
    throw toPaymentError(error, log);
  }
  log.info({ user: userId, subscriptions: running.size }, "subscriptions ended");
}

/**
 * The customers at Stripe that were made for an account: also one that isn't stored here, because Stripe's answer was
 * lost, or we stopped before we stored it.
 */
async function findCustomers(userId: string, email: string | null | undefined): Promise<string[]> {
  if (!email) return [];
  const { data } = await stripe().customers.list({ email, limit: 100 });
  return data.filter(({ metadata }) => metadata["user"] === userId).map(({ id }) => id);
}

/** The subscriptions of a customer that have not ended. None of one that Stripe doesn't know, as of another account of ours. */
async function listRunning(customer: string): Promise<string[]> {
  const list = stripe().subscriptions.list({ customer, status: "all", limit: 100 });
  const all = await nullIfMissing(list.autoPagingToArray({ limit: 1000 }));
  return (all ?? []).filter(({ status }) => !hasEnded(status)).map(({ id }) => id);
}
