import type { World } from "./world";

/** Deletes all orders with what was paid for them, and plans, as nothing in the product can. */
export async function forgetOrders(world: Pick<World, "sql">): Promise<void> {
  for (const table of ["refunds", "payments", "subscriptions", "orders"])
    await world.sql(`delete from public.${table}`);
}

/** The same, with every spot that was held or paid for; no newsletter is blocked any more. */
export async function forgetSponsors(world: Pick<World, "sql">): Promise<void> {
  await world.sql("delete from public.sponsorship_spots");
  await forgetOrders(world);
  await world.sql("update public.sponsorship_dates set blocked = false");
}
