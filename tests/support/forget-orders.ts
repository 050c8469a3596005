import type { World } from "./world";

/** Deletes all orders with what was paid for them, as nothing in the product can. */
export async function forgetOrders(world: Pick<World, "sql">): Promise<void> {
  for (const table of ["refunds", "payments", "orders"])
    await world.sql(`delete from public.${table}`);
}
