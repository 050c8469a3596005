import type { Db } from "~/integrations/supabase/clients.server";
import { unwrap } from "~/integrations/supabase/data.server";

import type { ItemKind } from "./item";
import { orderState, type OrderState } from "./rules";

/** Somebody is back from the payment page: what has come of their order, as the database has it. */
export interface PaymentReturned {
  order: string;
  kind: ItemKind;
  /** "cancelled" when they left the payment page, and the order can still be paid. */
  state: OrderState | "cancelled";
  paidCents: number | null;
  receiptUrl: string | null;
  /** Why it is given back, when it is. */
  reason: "paid-twice" | "dates-gone" | "changed" | null;
  /** The name of the listing that was upgraded, and the plan that was chosen for it. */
  listing: string | null;
  plan: string | null;
}

const SESSION = /^cs_\w{1,250}$/;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const COLUMNS =
  "id, kind, status, refund_reason, amount_paid_cents, receipt_url, plan, places(name, premium)";

/**
 * What the address that somebody came back to says (`paid`, `session_id` or `cancelled`), held against their own orders:
 * an address that is made up, or somebody else's, says nothing.
 * @returns null when nobody comes back from paying
 * @throws DataError
 */
export async function paymentReturned(db: Db, url: URL): Promise<PaymentReturned | null> {
  const session = url.searchParams.get("paid") ?? url.searchParams.get("session_id");
  const left = url.searchParams.get("cancelled");
  const byName =
    session && SESSION.test(session)
      ? db.from("orders").select(COLUMNS).eq("stripe_checkout_session_id", session)
      : left && UUID.test(left)
        ? db.from("orders").select(COLUMNS).eq("id", left)
        : null;
  if (!byName) return null;
  const found = await byName.maybeSingle();
  unwrap(found);
  const order = found.data;
  if (!order) return null;
  return {
    order: order.id,
    kind: order.kind as ItemKind,
    state: stateOf(order, session === null),
    paidCents: order.amount_paid_cents,
    receiptUrl: order.receipt_url,
    reason: order.refund_reason as PaymentReturned["reason"],
    listing: order.places?.name ?? null,
    plan: order.plan,
  };
}

function stateOf(
  order: { status: string; refund_reason: string | null; places: { premium: boolean } | null },
  left: boolean,
): PaymentReturned["state"] {
  const state = orderState(order);
  if (state === "open" || state === "failed")
    return left ? "cancelled" : state === "open" ? "confirming" : "failed";
  // Nobody is congratulated on a listing that is not featured.
  if (state === "paid" && order.places?.premium === false) return "confirming";
  return state;
}
