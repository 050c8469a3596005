import { z } from "zod";

import { redirectWithFlash } from "~/http/flash.server";
import { paths } from "~/http/paths";
import type { ActionContext } from "~/http/route.server";
import type { Db } from "~/integrations/supabase/clients.server";
import { DataError, unwrap } from "~/integrations/supabase/data.server";
import { listLatestOrders } from "~/modules/billing/orders.server";
import { tryToRecord } from "~/modules/billing/try-to-record.server";
import { formatCount } from "~/text/counts";
import { isCalendarDay } from "~/text/dates";

import { describeCopied } from "./feature-deadline";
import { SPONSORSHIP_REFUSALS } from "./refusals";
import type { Sponsorship } from "./sponsorship.server";

const DAYS = "Enter a number of days from 1 to 60.";

/** The team's form for the deadline of cancellations. */
export const deadlineSchema = z.object({
  days: z
    .string({ error: DAYS })
    .regex(/^\d{1,2}$/, DAYS)
    .transform(Number)
    .pipe(z.number().min(1, DAYS).max(60, DAYS)),
});

/**
 * Until how many days before a newsletter its sponsors can cancel it.
 * @param sponsorship an order of the user's: once it is paid, at least what was promised at its checkout
 * @throws DataError
 */
export async function readCancellationDays(db: Db, sponsorship?: number): Promise<number> {
  const order = sponsorship === undefined ? {} : { sponsorship_id: sponsorship };
  return unwrap(await db.rpc("cancellation_days", order));
}

/** Sets that deadline, for admins. @throws DataError */
export async function setCancellationDays(db: Db, days: number): Promise<void> {
  unwrap(await db.rpc("set_cancellation_days", { days }));
}

/** Why no newsletter of an order can be canceled because of a dispute; null when there is none. */
export function explainDispute(dispute: Sponsorship["dispute"]): string | null {
  if (dispute === "open") return SPONSORSHIP_REFUSALS.cancellation_disputed;
  return dispute === "lost"
    ? "Your bank has returned money for this order to you, so you can’t cancel newsletters for a refund."
    : null;
}

/**
 * What its buyer reads about an order that isn't paid: that its payment is on its way, or that a bank has returned it,
 * and which of its dates can't be booked. Null when there is none of these, and for a paid one.
 * @param unavailable sentences about those dates
 */
export function describeUnpaid(
  { paid, dispute, payment }: Pick<Sponsorship, "paid" | "dispute" | "payment">,
  unavailable: readonly string[],
) {
  if (!paid && payment === "confirming")
    return {
      tone: "waiting" as const,
      title: "Payment on its way",
      sentences: [
        "We’ll email you when it arrives. You don’t need to pay again.",
        "Until then, you can’t delete this order or change its dates, price or business.",
        ...unavailable,
      ],
    };
  if (!paid && dispute === "lost" && payment === "disputed")
    return {
      tone: "problem" as const,
      title: "Your payment was returned",
      sentences: [
        "After a dispute, your bank returned your payment to you, so this feature isn’t in the newsletters that were still to come.",
        ...unavailable,
      ],
    };
  return unavailable.length > 0
    ? {
        tone: "problem" as const,
        title: "Some of your dates can’t be booked",
        sentences: unavailable,
      }
    : null;
}

/**
 * What the database says about newsletters that the order no longer has; the second code, when it
 * has none left.
 */
const CANCELED_BEFORE: ReadonlySet<string> = new Set(["dates_not_booked", "sponsorship_not_paid"]);

/** Some of the chosen newsletters were canceled since the page was opened, such as in another tab. */
const SOME_CANCELED_BEFORE = {
  tone: "problem",
  text: "One of these newsletters was already canceled, so nothing was changed. Please choose again which ones to cancel.",
} as const;

/** Said on the order's page: an error's own page would lead away from it, and offer to send the same again. */
const NONE_SELECTED = {
  tone: "problem",
  text: `${SPONSORSHIP_REFUSALS.dates_not_booked} Nothing was changed.`,
} as const;

/**
 * Cancels the chosen newsletters of a paid order. The database frees their spots at once and requests the
 * refund, which Stripe makes now or, if it does not answer, the next night. Safe to repeat after the response
 * was lost.
 * @throws DataError with the reason when they can't be canceled
 */
export async function cancelDates(
  { db, form, log }: Pick<ActionContext<"signed in">, "db" | "form" | "log">,
  sponsorship: Pick<Sponsorship, "id" | "dates">,
) {
  const dates = [
    ...new Set(form.getAll("date").filter((one) => typeof one === "string" && isCalendarDay(one))),
  ] as string[];
  const page = paths.sponsorship(sponsorship.id);
  if (dates.length === 0) return redirectWithFlash(page, NONE_SELECTED);
  const gone = dates.filter((date) => !sponsorship.dates.includes(date)).length;
  if (gone > 0 && gone < dates.length) return redirectWithFlash(page, SOME_CANCELED_BEFORE);
  const order = await requestCancellation(db, sponsorship.id, dates, gone > 0);
  const copied = describeCopied(dates, new Date());
  const canceled = `${formatCount(dates.length, "newsletter")} canceled.${copied === null ? "" : ` ${copied}`}`;
  const isAnswered = await tryToRecord({ orderId: order }, log);
  // Nothing was charged because of a coupon for the whole amount, or our team has refunded it.
  if (!(await hasCanceled(db, order))) return redirectWithFlash(page, canceled);
  return redirectWithFlash(
    page,
    isAnswered
      ? `${canceled} Your refund is on its way. We’ll email you about it.`
      : {
          tone: "info",
          text: `${canceled} We can’t reach our payment provider right now, so your refund will start tonight. We’ll email you about it.`,
        },
  );
}

/**
 * @param isGone whether all of these newsletters had been canceled before
 * @returns the order that is refunded, also then
 */
async function requestCancellation(
  db: Db,
  id: Sponsorship["id"],
  dates: string[],
  isGone: boolean,
): Promise<string> {
  try {
    return unwrap(await db.rpc("cancel_sponsorship_dates", { sponsorship_id: id, dates }));
  } catch (error) {
    if (!(error instanceof DataError) || !CANCELED_BEFORE.has(error.reason ?? "") || !isGone)
      throw error;
    const order = (await listLatestOrders(db, "sponsorship", [id])).get(id);
    if (!order || !(await hasCanceled(db, order.id))) throw error;
    return order.id;
  }
}

/** Whether newsletters of this order were canceled for a refund. */
async function hasCanceled(db: Db, orderId: string): Promise<boolean> {
  const refunds = await db
    .from("refunds")
    .select("payment_id, payments!inner(order_id)")
    .eq("payments.order_id", orderId)
    .eq("reason", "canceled")
    .limit(1);
  return unwrap(refunds).length > 0;
}
