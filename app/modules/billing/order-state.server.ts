import type { Db } from "~/integrations/supabase/clients.server";
import { unwrap } from "~/integrations/supabase/data.server";

import type { ItemKind } from "./item";
import { orderState as stateOf, type OrderState } from "./rules";

/** An order as its buyer sees it. */
export interface OrderSummary {
  id: string;
  state: OrderState;
  /** What was paid, in cents; null until then. */
  paidCents: number | null;
  /** The receipt's page; it needs no sign-in. */
  receiptUrl: string | null;
}

const COLUMN = { job: "job_id", sponsorship: "sponsorship_id", upgrade: "place_id" } as const;
const COLUMNS =
  "id, status, refund_reason, amount_paid_cents, receipt_url, created_at, job_id, sponsorship_id, place_id" as const;

/**
 * The newest order of each of these things, by the thing's id, as far as the person may see orders. A thing
 * that nobody tried to pay for is not in it.
 */
export async function ordersOf(
  db: Db,
  kind: ItemKind,
  ids: readonly number[],
): Promise<Map<number, OrderSummary>> {
  if (ids.length === 0) return new Map();
  return byThing(kind, unwrap(await telling(db).in(COLUMN[kind], ids).order("created_at")));
}

/**
 * The same for a page of a list of somebody's things that is read at the same time, so that its ids are not known yet:
 * the things with the highest ids, or with those below `before`.
 * @param most how many orders are read at most; a thing has several when it was paid for again
 */
export async function ordersBefore(
  db: Db,
  kind: ItemKind,
  { owner, before, most }: { owner: string; before?: number; most: number },
): Promise<Map<number, OrderSummary>> {
  const column = COLUMN[kind];
  const all = telling(db).eq("owner", owner).not(column, "is", null);
  const page = before === undefined ? all : all.lt(column, before);
  const rows = unwrap(
    await page
      .order(column, { ascending: false })
      .order("created_at", { ascending: false })
      .limit(most),
  );
  return byThing(kind, rows.reverse());
}

/** The orders that say something of their thing: not one that was given up, nor what was paid a second time. */
const telling = (db: Db) =>
  db
    .from("orders")
    .select(COLUMNS)
    .neq("status", "canceled")
    .or("refund_reason.is.null,refund_reason.neq.paid-twice");

type Row = NonNullable<Awaited<ReturnType<typeof telling>>["data"]>[number];

/** The last order of each thing. */
function byThing(kind: ItemKind, rows: readonly Row[]): Map<number, OrderSummary> {
  return new Map(
    rows.map((row) => [
      row[COLUMN[kind]]!,
      {
        id: row.id,
        state: stateOf(row),
        paidCents: row.amount_paid_cents,
        receiptUrl: row.receipt_url,
      },
    ]),
  );
}

/** How the newest order of one thing stands; "none" when there is none. */
export async function orderState(
  db: Db,
  thing: { kind: ItemKind; id: number },
): Promise<OrderState | "none"> {
  return (await ordersOf(db, thing.kind, [thing.id])).get(thing.id)?.state ?? "none";
}
