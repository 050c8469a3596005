import { z } from "zod";

import { callFunction } from "~/integrations/supabase/call-function.server";
import type { Db } from "~/integrations/supabase/clients.server";

const movements = z.array(
  z.object({
    at: z.string(),
    type: z.enum(["payment", "refund", "refund-failed", "dispute", "dispute-won"]),
    cents: z.number(),
    currency: z.string(),
    payment_id: z.string(),
    refund_id: z.string().nullable(),
    invoice_number: z.string().nullable(),
    order_id: z.string().nullable(),
    kind: z.enum(["job", "sponsorship", "upgrade"]),
    reason: z.enum(["purchase", "renewal", "plan-change"]),
    item_name: z.string().nullable(),
    tax_cents: z.number(),
  }),
);

/** Money that came in (positive) or went out (negative), with its ids at Stripe. */
export type Movement = z.infer<typeof movements>[number];

const PAGE_ROWS = 1000;

/**
 * Every payment, refund, and dispute of a month (UTC), oldest first, as Stripe has it. For admins.
 * @param month such as "2026-11"
 * @throws DataError
 */
export async function listMovements(db: Db, month: string): Promise<Movement[]> {
  const since = new Date(`${month}-01T00:00:00Z`);
  const until = new Date(since);
  until.setUTCMonth(until.getUTCMonth() + 1);
  const rows: Movement[] = [];
  for (;;) {
    const page = await callFunction(
      db,
      "admin_ledger",
      {
        since: since.toISOString(),
        until: until.toISOString(),
        skip: rows.length,
        max_rows: PAGE_ROWS,
      },
      movements,
    );
    rows.push(...page);
    if (page.length < PAGE_ROWS) return rows;
  }
}
