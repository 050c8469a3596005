import type { World } from "./world";

/** Deletes all orders with what was paid for them, and plans, as nothing in the product can. */
export async function forgetOrders(world: Pick<World, "sql">): Promise<void> {
  // At once: a webhook that is still on its way must not record a payment in between.
  await world.sql(`do $$ begin
    lock table public.orders, public.payments, public.subscriptions, public.refunds in exclusive mode;
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
