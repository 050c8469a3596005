import type { RecordType } from "../../local/stripe/records";

import type { World } from "./world";

/** Deletes all orders with what was paid for them, and plans, as nothing in the product can. */
export async function forgetOrders(world: Pick<World, "sql">): Promise<void> {
  // At once: a webhook that is still on its way must not record a payment in between.
  await world.sql(`do $$ begin
    lock table public.orders, public.payments, public.subscriptions, public.refunds in exclusive mode;
    delete from private.returned_refunds;
    delete from public.refunds;
    delete from public.payments;
    delete from public.subscriptions;
    delete from public.orders;
  end $$`);
}

/** The same, with every spot that was held or paid for; no newsletter is blocked anymore. */
export async function forgetSponsors(world: Pick<World, "sql">): Promise<void> {
  await world.sql("delete from public.sponsorship_spots");
  await forgetOrders(world);
  await world.sql("update public.sponsorship_dates set blocked = false");
}

const OF_PURCHASES: RecordType[] = [
  "checkout.session",
  "payment_intent",
  "charge",
  "refund",
  "dispute",
  "subscription",
  "invoice",
  "event",
  "delivery",
];

/**
 * The same, here and at Stripe, with the listings that have a plan. What compares all payments, or delivers all events
 * again, then has those of one test only.
 */
export async function forgetPurchases(world: Pick<World, "sql" | "stripe">): Promise<void> {
  await forgetSponsors(world);
  await world.sql(`do $$ begin
    delete from public.sponsorships s using public.places p
      where p.id = s.place_id and p.stripe_subscription_id is not null;
    delete from public.places where stripe_subscription_id is not null;
  end $$`);
  const { store } = world.stripe.account;
  store.transaction(() => {
    for (const type of OF_PURCHASES)
      for (const { id } of store.all(type) as { id: string }[]) store.remove(type, id);
  });
}
