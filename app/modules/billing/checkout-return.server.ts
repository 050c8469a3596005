import { redirect, type TypedResponse } from "@remix-run/node";
import { z } from "zod";

import { redirectWithFlash } from "~/http/flash.server";
import { readField } from "~/http/form.server";
import { paths } from "~/http/paths";
import type { ActionContext } from "~/http/route.server";
import { isStripeConfigured } from "~/integrations/stripe/client.server";
import { callFunction } from "~/integrations/supabase/call-function.server";
import type { Db } from "~/integrations/supabase/clients.server";
import { unwrap } from "~/integrations/supabase/data.server";
import { isPublic } from "~/modules/listings/visibility-rules";
import { parseUuid } from "~/text/uuid";

import type { ItemKind } from "./catalog";
import { abandonCheckout } from "./checkout.server";
import { DORMANT } from "./end-subscriptions.server";
import { countPaymentRequest } from "./limit-payment-requests.server";
import { NOT_SET_UP, PaymentRefused, PaymentUnavailable } from "./payment-errors.server";
import type { AutomaticRefund } from "./refund-reasons";
import { getOrderState, type OrderState } from "./rules";
import { hasEnded } from "./subscription-end.server";
import { tryToRecord } from "./try-to-record.server";

/** The order of a customer who returns from Stripe's page, as the database has it. */
export interface CheckoutReturn {
  order: string;
  kind: ItemKind;
  /**
   * "canceled" when they left Stripe's page and can still pay for the order; "on-its-way" while a
   * bank transfers the money, which takes days.
   */
  state: OrderState | "canceled" | "on-its-way";
  paidCents: number | null;
  receiptUrl: string | null;
  /** Why the payment is refunded, when it is. */
  reason: AutomaticRefund | null;
  /** The name of the listing that was upgraded, and the plan that was chosen for it. */
  listing: string | null;
  plan: string | null;
  /**
   * Whether people see the job that was paid for. They don't while it names no business, such as
   * when its listing is hidden. Null for a job that isn't theirs anymore, such as one that has gone with its listing.
   */
  jobIsLive: boolean | null;
  /** Whether no one can find the listing that is Featured, or in newsletters, such as one hidden while its buyer paid. */
  isUnseen: boolean;
  /** Whether newsletter dates are held for an order that isn't paid. They aren't once its checkout is over. */
  isHeld: boolean;
}

const SESSION_ID = /^cs_\w{1,250}$/;
const COLUMNS =
  "id, kind, status, refund_reason, revoked_at, amount_paid_cents, plan, job_id, expires_at, places(name, premium, subscription_status, status, hidden), sponsorships(places(status, hidden)), payments(id)";

/**
 * Finds the order that the URL of a checkout return names (`paid`, `session_id`, or `cancelled`), among
 * the user's own orders: an invented URL, or someone else's, finds nothing. (Admins read every order.)
 * @returns null when the URL is not one of a checkout return, or of a plan that has ended since
 * @throws DataError
 */
export async function findCheckoutReturn(
  db: Db,
  url: URL,
  userId: string,
): Promise<CheckoutReturn | null> {
  const session = url.searchParams.get("paid") ?? url.searchParams.get("session_id");
  const canceled = parseUuid(url.searchParams.get("cancelled"));
  const own = () => db.from("orders").select(COLUMNS).eq("owner", userId);
  const query =
    session && SESSION_ID.test(session)
      ? own().eq("stripe_checkout_session_id", session)
      : canceled
        ? own().eq("id", canceled)
        : null;
  if (!query) return null;
  const answer = await query.maybeSingle();
  unwrap(answer);
  const order = answer.data;
  if (!order) return null;
  const state = getReturnState(order, session === null);
  if (state === null) return null;
  const shown = order.places ?? order.sponsorships?.places;
  return {
    order: order.id,
    kind: order.kind as ItemKind,
    state,
    paidCents: order.amount_paid_cents,
    receiptUrl: getReceiptUrl(order),
    reason: order.refund_reason as CheckoutReturn["reason"],
    listing: order.places?.name ?? null,
    plan: order.plan,
    jobIsLive: order.job_id === null ? null : await isLive(db, order.job_id),
    isUnseen: shown ? !isPublic(shown) : false,
    isHeld: order.kind === "sponsorship" && Date.parse(order.expires_at ?? "") > Date.now(),
  };
}

/** Whether people see one of the user's own jobs; null for one that isn't theirs. */
async function isLive(db: Db, jobId: number): Promise<boolean | null> {
  const shown = z.object({ live: z.boolean() }).nullable();
  return (await callFunction(db, "preview_job", { job_id: jobId }, shown))?.live ?? null;
}

/** Null where nothing was paid, or the payment isn't recorded yet. */
function getReceiptUrl(order: {
  amount_paid_cents: number | null;
  payments: { id: string }[];
}): string | null {
  const [payment] = order.payments;
  return payment && order.amount_paid_cents ? paths.receipt(payment.id) : null;
}

interface ReturnedOrder {
  status: string;
  refund_reason: string | null;
  /** When what was paid for was taken back. */
  revoked_at: string | null;
  places: { premium: boolean; subscription_status: string | null } | null;
}

/** Null when there is nothing to say anymore. */
function getReturnState(order: ReturnedOrder, isCanceled: boolean): CheckoutReturn["state"] | null {
  if (order.status === "processing") return "on-its-way";
  // It was changed or deleted since they left: what is saved is another order, or none.
  if (order.status === "canceled" && isCanceled) return null;
  const state = getOrderState(order);
  // What was paid for was taken back, or may be.
  if (order.revoked_at !== null || state === "disputed") return null;
  if (state === "open" || state === "failed")
    return isCanceled ? "canceled" : state === "open" ? "confirming" : "failed";
  // No one is congratulated on a listing that is not Featured yet.
  if (state === "paid" && order.places?.premium === false) {
    const plan = order.places.subscription_status ?? "";
    return hasEnded(plan) || DORMANT.has(plan) ? null : "confirming";
  }
  return state;
}

type Context = Pick<ActionContext<"signed in">, "db" | "form" | "log" | "session" | "url">;

const NO_ANSWER =
  "We can’t reach our payment provider right now. Nothing is lost. You’ll see your payment here as soon as it’s confirmed.";

/** Whether an order is the user's own. Admins read those of others as well. */
async function isOwnOrder({ db, session }: Pick<Context, "db" | "session">, id: string) {
  const own = await db
    .from("orders")
    .select("id")
    .eq("id", id)
    .eq("owner", session.user.id)
    .maybeSingle();
  unwrap(own);
  return own.data !== null;
}

/** Asks Stripe about the payment of the user's own order, and shows the page again. */
async function checkPayment({
  db,
  form,
  log,
  session,
  url,
}: Context): Promise<TypedResponse<never>> {
  const orderId = parseUuid(readField(form, "order"));
  const page = `${url.pathname}${url.search}`;
  if (!orderId) return redirect(page, { status: 303 });
  if (!(await isOwnOrder({ db, session }, orderId))) return redirect(page, { status: 303 });
  if (!isStripeConfigured()) return redirectWithFlash(page, { tone: "problem", text: NOT_SET_UP });
  try {
    await countPaymentRequest(session.user.id);
  } catch (error) {
    if (!(error instanceof PaymentRefused)) throw error;
    return redirectWithFlash(page, { tone: "problem", text: error.message });
  }
  return (await tryToRecord({ orderId }, log))
    ? redirect(page, { status: 303 })
    : redirectWithFlash(page, { tone: "problem", text: NO_ANSWER });
}

/** Closes the checkout of the user's own order that they left, which releases what was held for it. */
async function abandonPayment({
  db,
  form,
  log,
  session,
  url,
}: Context): Promise<TypedResponse<never>> {
  const orderId = parseUuid(readField(form, "order"));
  if (!orderId || !(await isOwnOrder({ db, session }, orderId)))
    return redirect(url.pathname, { status: 303 });
  try {
    if (isStripeConfigured()) {
      await countPaymentRequest(session.user.id);
      await abandonCheckout({ db, log }, orderId);
    }
  } catch (error) {
    if (error instanceof PaymentRefused)
      return redirectWithFlash(url.pathname, { tone: "info", text: error.message });
    if (!(error instanceof PaymentUnavailable)) throw error;
    return redirectWithFlash(`${url.pathname}${url.search}`, { tone: "problem", text: NO_ANSWER });
  }
  return redirectWithFlash(url.pathname, {
    tone: "info",
    text: "Your order is saved. You can pay for it later.",
  });
}

/** The handlers for the forms of CheckoutReturnCallout, by intent. */
export const checkoutReturnHandlers = {
  "check-payment": checkPayment,
  "abandon-checkout": abandonPayment,
};
