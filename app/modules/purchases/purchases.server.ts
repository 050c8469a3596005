import { z } from "zod";

import { HttpError } from "~/http/errors.server";
import { isStripeConfigured, stripe } from "~/integrations/stripe/client.server";
import { nullIfMissing } from "~/integrations/stripe/stripe-error.server";
import { callFunction } from "~/integrations/supabase/call-function.server";
import type { Db } from "~/integrations/supabase/clients.server";
import { unwrap } from "~/integrations/supabase/data.server";
import { countPaymentPage } from "~/modules/billing/limit-payment-requests.server";
import { getExpanded } from "~/modules/billing/stripe-fields";

const purchaseRow = z.object({
  /** Stripe's id of the payment. */
  id: z.string(),
  kind: z.enum(["job", "sponsorship", "upgrade"]),
  reason: z.enum(["purchase", "renewal", "plan-change"]),
  /** The title of the job, or the name of the listing, as it was called then. */
  item_name: z.string().nullable(),
  item_dates: z.array(z.string()).nullable(),
  plan: z.string().nullable(),
  place_id: z.number().nullable(),
  cents: z.number(),
  tax_cents: z.number(),
  refunded_cents: z.number(),
  invoice_number: z.string().nullable(),
  period_from: z.string().nullable(),
  period_to: z.string().nullable(),
  paid_at: z.string(),
  dispute: z.enum(["open", "won", "lost"]).nullable(),
  refunds: z.array(
    z.object({
      cents: z.number(),
      status: z.enum(["requested", "pending", "succeeded", "failed"]),
      at: z.string(),
    }),
  ),
});

/** One payment, as its buyer sees it. */
export type Purchase = z.infer<typeof purchaseRow> & {
  /** What came back of it in all: what we refunded, and what their bank returned to them after a dispute that we lost. */
  returned_cents: number;
};

/** Every payment of the user, newest first. @throws DataError */
export async function listPurchases(db: Db): Promise<Purchase[]> {
  const purchases = await callFunction(db, "my_purchases", {}, z.array(purchaseRow));
  const lost = purchases.filter(({ dispute }) => dispute === "lost").map(({ id }) => id);
  const disputed =
    lost.length > 0
      ? unwrap(await db.from("payments").select("id, disputed_cents").in("id", lost))
      : [];
  const byBank = new Map(disputed.map(({ id, disputed_cents }) => [id, disputed_cents]));
  return purchases.map((purchase) => ({
    ...purchase,
    returned_cents: Math.min(
      purchase.cents,
      purchase.refunded_cents + (byBank.get(purchase.id) ?? 0),
    ),
  }));
}

/** The year in the URL; null when it names none. */
export function readYear(params: URLSearchParams): number | null {
  const year = Number(params.get("year"));
  return Number.isInteger(year) && year >= 2000 && year <= 9999 ? year : null;
}

/** 404 for a receipt that is not the user's. */
export const noSuchReceipt = () =>
  new HttpError(
    404,
    "Receipt not found",
    "It may belong to another account. Your receipts are under My Account, in Purchases.",
  );

/**
 * The address of the receipt of one of the user's payments, fresh from Stripe: its links expire after 30 days. It has
 * the buyer's name and address, so it is not for admins, who may read the payment itself.
 * @throws HttpError 404 when the payment is not theirs, or has no receipt, 429 after too many requests; Stripe's errors,
 *   DataError
 */
export async function findReceipt(db: Db, owner: string, payment: string): Promise<string> {
  const found = await db
    .from("payments")
    .select("id, invoice_id")
    .eq("id", payment)
    .eq("owner", owner)
    .maybeSingle();
  unwrap(found);
  if (!found.data || !isStripeConfigured()) throw noSuchReceipt();
  await countPaymentPage(owner);
  const { id, invoice_id: invoice } = found.data;
  const url = invoice
    ? (await nullIfMissing(stripe().invoices.retrieve(invoice)))?.hosted_invoice_url
    : id.startsWith("pi_")
      ? getExpanded(
          (await nullIfMissing(stripe().paymentIntents.retrieve(id, { expand: ["latest_charge"] })))
            ?.latest_charge,
        )?.receipt_url
      : null;
  if (!url) throw noSuchReceipt();
  return url;
}
