import { z } from "zod";

import { notFound } from "~/http/errors.server";
import { formErrorResponse, parseForm } from "~/http/form.server";
import { requiredText } from "~/http/form-fields.server";
import { redirectWithFlash } from "~/http/flash.server";
import { toFormErrors } from "~/http/refusals.server";
import type { ActionContext } from "~/http/route.server";
import { callFunction } from "~/integrations/supabase/call-function.server";
import type { Db } from "~/integrations/supabase/clients.server";
import { DataError, unwrap } from "~/integrations/supabase/data.server";
import { CURRENCY, formatDollars, MAX_REFUND_NOTE } from "~/modules/billing/prices";
import { BILLING_REFUSALS } from "~/modules/billing/refusals";
import { endOrderSubscription } from "~/modules/billing/refund-order.server";
import { tryToRecord } from "~/modules/billing/try-to-record.server";
import { parseDollars } from "~/text/dollars";

const refund = z.object({
  id: z.string(),
  cents: z.number(),
  status: z.enum(["requested", "pending", "succeeded", "failed", "canceled"]),
  reason: z.string(),
  note: z.string().nullable(),
  attempt: z.number(),
  at: z.string(),
  by: z.string().nullable(),
});

const orderSchema = z.object({
  id: z.string(),
  kind: z.enum(["job", "sponsorship", "upgrade"]),
  status: z.string(),
  item_name: z.string().nullable(),
  item_dates: z.array(z.string()).nullable(),
  plan: z.string().nullable(),
  quantity: z.number(),
  price_cents: z.number(),
  coupon: z.string().nullable(),
  created_at: z.string(),
  paid_at: z.string().nullable(),
  refund_reason: z.string().nullable(),
  owner: z.string().nullable(),
  owner_name: z.string().nullable(),
  subscription: z
    .object({
      status: z.string(),
      ends_at: z.string().nullable(),
      /** What its customer has in credit at Stripe. */
      credit_cents: z.number().default(0),
    })
    .nullable(),
  payments: z.array(
    z.object({
      id: z.string(),
      reason: z.enum(["purchase", "renewal", "plan-change"]),
      /** The plan that it paid for, which may have changed since the order. Null for what is no plan. */
      plan: z.string().nullable(),
      cents: z.number(),
      tax_cents: z.number(),
      refunded_cents: z.number(),
      /** What can still be refunded. */
      left_cents: z.number(),
      paid_at: z.string(),
      dispute: z.enum(["open", "won", "lost"]).nullable(),
      invoice_number: z.string().nullable(),
      refunds: z.array(refund),
    }),
  ),
});

/** An order with its payments and refunds, as the team sees it. */
export type LedgerOrder = z.infer<typeof orderSchema>;

/** Finds an order, for admins. @throws HttpError 404 when there is none; DataError */
export async function findOrder(db: Db, id: string): Promise<LedgerOrder> {
  const order = await callFunction(db, "admin_order", { order_id: id }, orderSchema.nullable());
  if (!order) throw notFound();
  return order;
}

const AMOUNT = "Enter an amount in dollars, like 45 or 45.50.";
const refundSchema = z.object({
  /** Created with the page, so that a form that is sent twice refunds once. */
  refund: z.uuid("Please reload the page and submit the form again."),
  payment: z.string({ error: "Choose a payment." }),
  amount: z
    .string({ error: AMOUNT })
    .transform(parseDollars)
    .pipe(z.number({ error: AMOUNT }).positive(AMOUNT)),
  note: requiredText(MAX_REFUND_NOTE, "Enter a reason for the team."),
  /** What was left of all payments on the page. A form from the previous release has none. */
  left: z.coerce.number().int().optional(),
});

type Context = ActionContext<"admin", { order: string }>;

/**
 * Refunds a payment of an order, in full or in part. The database decides whether it can be, and keeps the
 * refund until Stripe has made it.
 */
export async function refundPayment({ db, form, params, log, url }: Context) {
  const submission = parseForm(form, refundSchema);
  if (submission.status !== "success") return formErrorResponse(submission);
  const { refund: id, payment, amount, note, left } = submission.value;
  const requested = await db.rpc("request_refund", {
    order_id: params.order,
    payment_id: payment,
    cents: amount,
    currency: CURRENCY,
    note,
    refund_id: id,
    ...(left === undefined ? {} : { left_cents: left }),
  });
  try {
    unwrap(requested);
  } catch (error) {
    if (!(error instanceof DataError) || error.reason === null) throw error;
    return formErrorResponse(submission, {
      errors: toFormErrors(error, BILLING_REFUSALS),
      status: 409,
    });
  }
  await tryToRecord({ orderId: params.order }, log);
  return redirectWithFlash(
    url.pathname,
    (await isMade(db, id))
      ? `${formatDollars(amount)} refunded. ${
          (await hasBuyer(db, payment))
            ? "The customer gets an email."
            : "The customer’s account was deleted, so they don’t get an email."
        }`
      : {
          tone: "info",
          text: `The refund of ${formatDollars(amount)} is saved, but Stripe hasn’t confirmed it yet. We’ll try again tonight, or you can choose “Check with Stripe”.`,
        },
  );
}

/** Whether Stripe has a refund, which may still be on its way: not when it failed, or Stripe hasn't answered. */
async function isMade(db: Db, refundId: string): Promise<boolean> {
  const { status } = unwrap(await db.from("refunds").select("status").eq("id", refundId).single());
  return status === "pending" || status === "succeeded";
}

/** Whether the account that made a payment still exists. */
async function hasBuyer(db: Db, payment: string): Promise<boolean> {
  return (
    unwrap(await db.from("payments").select("owner").eq("id", payment).single()).owner !== null
  );
}

/** Tries a refund again that the customer's bank sent back. The audit log has the admin's name. */
export async function retryRefund({ db, form, params, log, url }: Context) {
  const refundId = z.uuid().safeParse(form.get("refund"));
  const again =
    refundId.success && unwrap(await db.rpc("retry_refund", { refund_id: refundId.data }));
  if (!again)
    return redirectWithFlash(url.pathname, {
      tone: "info",
      text: "This refund can’t be retried. It may already have gone through.",
    });
  await tryToRecord({ orderId: params.order }, log);
  return redirectWithFlash(
    url.pathname,
    (await isMade(db, refundId.data))
      ? "We’ve asked Stripe for the refund again."
      : {
          tone: "info",
          text: "The refund hasn’t gone through yet. We’ll try again tonight, or you can choose “Check with Stripe”.",
        },
  );
}

/**
 * Ends the subscription of an order now. Its listing is no longer Featured; nothing is refunded by
 * that. The audit log gets the admin's name first, since Stripe's answer is recorded without one.
 */
export async function endSubscriptionNow({ db, params, log, url }: Context) {
  const done = await tryToRecord({ orderId: params.order }, log, async () => {
    unwrap(await db.rpc("log_plan_end", { order_id: params.order }));
    await endOrderSubscription(params.order, log);
  });
  return redirectWithFlash(
    url.pathname,
    done
      ? "The plan has ended."
      : {
          tone: "info",
          text: "Stripe hasn’t confirmed it, so the plan may still be running, and we won’t try again by ourselves. Choose “Check with Stripe”, and if it’s still running, end it again.",
        },
  );
}

/** Updates the order to what Stripe says now. */
export async function checkOrder({ params, log, url }: Context) {
  const done = await tryToRecord({ orderId: params.order }, log);
  return redirectWithFlash(
    url.pathname,
    done
      ? "Updated from Stripe."
      : {
          tone: "problem",
          text: "Stripe isn’t responding right now. Please try again in a minute.",
        },
  );
}
