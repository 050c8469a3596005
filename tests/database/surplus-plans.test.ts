/** Two plans of one order: a second checkout was begun after the first payment of the first plan had failed. */
import { expect, it } from "vitest";

import { startDatabase } from "./support/data-api";

const database = await startDatabase();
const { sql, person, place } = database;

interface Order {
  id: string;
  attempt: number;
}

/** An owner with a listing, who opens checkouts of one order; and what Stripe says of them. */
async function ownerAtCheckout() {
  const owner = await person();
  const listing = await place({ owner: owner.id, owner_email: owner.email });
  return {
    listing,
    /** Opens a checkout, after Stripe was asked about the earlier ones. @returns the id of its order */
    openCheckout: async (session: string): Promise<string> => {
      const [opened] = await sql(
        `select public.open_order($1, 'upgrade', $2, 'monthly', 4900, null, true, null,
           array(select stripe_checkout_session_id from public.orders where stripe_checkout_session_id is not null))
           -> 'order' as order`,
        [owner.id, listing],
      );
      const { id, attempt } = opened!["order"] as Order;
      await sql("select public.record_checkout_session($1, $2, $3, $4)", [
        id,
        attempt,
        session,
        `cus_${owner.id}`,
      ]);
      return id;
    },
    /** Records a checkout's state, and the status of its plan. */
    record: async (order: string, session: string, state: string, status: string) => {
      const [found] = await sql("select public.payment_target(null, $1, $2, $3) as target", [
        order,
        session,
        `sub_${session}`,
      ]);
      const at = new Date().toISOString();
      const customer = `cus_${owner.id}`;
      const price = { currency: "usd", payment_intent: null, customer };
      const facts = {
        session: { id: session, state, subtotal_cents: 4900, paid_cents: 4900, ...price },
        subscription: { id: `sub_${session}`, status, customer, started_at: at },
        payments: [],
      };
      const { seen } = found!["target"] as { seen: number };
      await sql("select public.record_payment($1, $2, $3, $4::text::jsonb, null)", [
        order,
        `sub_${session}`,
        seen,
        JSON.stringify(facts),
      ]);
    },
    isFeatured: async () => (await database.row("places", listing))?.["premium"],
  };
}

it("a plan doesn’t become surplus because the payment of another plan of the same order is refunded", async () => {
  const { listing, openCheckout, record, isFeatured } = await ownerAtCheckout();
  const order = await openCheckout("cs_1");
  await record(order, "cs_1", "processing", "active");
  await record(order, "cs_1", "failed", "past_due");
  expect(await openCheckout("cs_2")).toBe(order);
  await record(order, "cs_2", "paid", "active");
  expect(await database.row("orders", order)).toMatchObject({ refund_reason: "paid-twice" });
  await record(order, "cs_1", "failed", "past_due");
  expect(
    await sql("select id from public.subscriptions where surplus and place_id = $1", [listing]),
  ).toEqual([{ id: "sub_cs_2" }]);
  await record(order, "cs_1", "failed", "canceled");
  expect(await isFeatured()).toBe(false);
});

it("a plan doesn’t count as paid for because another plan of the same order is", async () => {
  const { openCheckout, record, isFeatured } = await ownerAtCheckout();
  const order = await openCheckout("cs_3");
  await record(order, "cs_3", "processing", "incomplete");
  await record(order, "cs_3", "failed", "incomplete");
  expect(await openCheckout("cs_4")).toBe(order);
  await record(order, "cs_4", "paid", "active");
  expect(await isFeatured()).toBe(true);
  // Stripe tries the first one again.
  await record(order, "cs_3", "failed", "active");
  await record(order, "cs_4", "paid", "canceled");
  expect(await isFeatured()).toBe(false);
});
