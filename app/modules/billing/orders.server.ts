import { paths } from "~/http/paths";
import type { Db } from "~/integrations/supabase/clients.server";
import { unwrap } from "~/integrations/supabase/data.server";

import type { ItemKind } from "./catalog";
import { getOrderState, type OrderState } from "./rules";

/** An order, as its buyer sees it. */
export interface OrderSummary {
  id: string;
  state: OrderState;
  /** What was paid, in cents; null until then. */
  paidCents: number | null;
  /** What of it was refunded, in cents. */
  refundedCents: number;
  /** The buyer's dispute at their bank: it is open, or the bank returned money to them. */
  dispute: "open" | "lost" | null;
  /** The address of the receipt, which is fetched when it is opened; null when there is none. */
  receiptUrl: string | null;
}

/** The column of an order that names what it is for. */
export const ITEM_COLUMN = {
  job: "job_id",
  sponsorship: "sponsorship_id",
  upgrade: "place_id",
} as const;
const COLUMNS =
  "id, status, refund_reason, amount_paid_cents, stripe_payment_intent_id, created_at, job_id, sponsorship_id, place_id, payments(refunded_cents, dispute)" as const;

/**
 * The latest order of each item, by the item's id, as far as the user may see orders. Items that no
 * one tried to pay for are not included.
 * @throws DataError
 */
export async function listLatestOrders(
  db: Db,
  kind: ItemKind,
  ids: readonly number[],
): Promise<Map<number, OrderSummary>> {
  if (ids.length === 0) return new Map();
  const rows = unwrap(
    await selectRelevantOrders(db).in(ITEM_COLUMN[kind], ids).order("created_at"),
  );
  return toLatestByItem(kind, rows);
}

/**
 * The same for one page of an owner's items, when the page is read at the same time and its ids are
 * not known yet: the items with the highest ids, or with the highest ids below `below`.
 * @param maxOrders how many orders to read; an item has several when it was paid for again
 * @throws DataError
 */
export async function listLatestOrdersOfPage(
  db: Db,
  kind: ItemKind,
  { owner, below, maxOrders }: { owner: string; below?: number; maxOrders: number },
): Promise<Map<number, OrderSummary>> {
  const column = ITEM_COLUMN[kind];
  const all = selectRelevantOrders(db).eq("owner", owner).not(column, "is", null);
  const page = below === undefined ? all : all.lt(column, below);
  const rows = unwrap(
    await page
      .order(column, { ascending: false })
      .order("created_at", { ascending: false })
      .limit(maxOrders),
  );
  return toLatestByItem(kind, rows.reverse());
}

/**
 * Who has returned what was last paid for a job, as far as the user may see orders: whether or not someone has begun to
 * pay for it again.
 * @throws DataError
 */
export async function findReturnedPayment(
  db: Db,
  job: number,
): Promise<"by us" | "by a bank" | undefined> {
  const paid = await selectRelevantOrders(db)
    .eq("job_id", job)
    .not("paid_at", "is", null)
    .order("paid_at", { ascending: false })
    .limit(1);
  const order = toLatestByItem("job", unwrap(paid)).get(job);
  if (order?.state === "refunded") return "by us";
  return order?.dispute === "lost" ? "by a bank" : undefined;
}

/** Without abandoned orders, and without those that were paid a second time. */
const selectRelevantOrders = (db: Db) =>
  db
    .from("orders")
    .select(COLUMNS)
    .neq("status", "canceled")
    .or("refund_reason.is.null,refund_reason.neq.paid-twice");

type Row = NonNullable<Awaited<ReturnType<typeof selectRelevantOrders>>["data"]>[number];

function getDispute(payments: readonly Pick<Row["payments"][number], "dispute">[]) {
  const disputes = new Set(payments.map(({ dispute }) => dispute));
  if (disputes.has("lost")) return "lost" as const;
  return disputes.has("open") ? ("open" as const) : null;
}

/** @param rows the oldest first */
function toLatestByItem(kind: ItemKind, rows: readonly Row[]): Map<number, OrderSummary> {
  return new Map(
    rows.map((row) => [
      row[ITEM_COLUMN[kind]]!,
      {
        id: row.id,
        state: getOrderState(row),
        paidCents: row.amount_paid_cents,
        refundedCents: row.payments.reduce((sum, { refunded_cents }) => sum + refunded_cents, 0),
        dispute: getDispute(row.payments),
        receiptUrl: row.stripe_payment_intent_id && paths.receipt(row.stripe_payment_intent_id),
      },
    ]),
  );
}
