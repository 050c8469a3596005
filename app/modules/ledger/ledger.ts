import type { Movement } from "./ledger.server";

/** The directory's own books: what came in and went out. Pure. */

export const MOVEMENT_LABELS: Record<Movement["type"], string> = {
  payment: "Payment",
  refund: "Refund",
  "refund-failed": "Refund returned by the bank",
  dispute: "Dispute",
  "dispute-won": "Dispute won",
};

/** What a payment was made for. */
export const PAYMENT_LABELS: Record<Movement["reason"], string> = {
  purchase: "Purchase",
  renewal: "Renewal",
  "plan-change": "Change of plan",
};

/** What the team reads about the state of an order. */
export const ORDER_LABELS: Readonly<Record<string, string>> = {
  open: "Not paid yet",
  processing: "Payment on its way",
  paid: "Paid",
  canceled: "Replaced or deleted",
  expired: "Not paid yet",
  failed: "Payment failed",
  refunded: "Refunded",
  disputed: "Disputed",
};

/** What came in, what went out, and the difference, in cents. */
export function sumUp(movements: readonly Pick<Movement, "cents">[]): {
  received: number;
  returned: number;
  net: number;
} {
  const received = movements.reduce((sum, { cents }) => sum + Math.max(0, cents), 0);
  const returned = movements.reduce((sum, { cents }) => sum - Math.min(0, cents), 0);
  return { received, returned, net: received - returned };
}

/** The month in a URL, such as "2026-11"; this month (UTC) when it names none. */
export function readMonth(text: string | null, now: Date): string {
  return text !== null && /^20\d\d-(0[1-9]|1[0-2])$/.test(text)
    ? text
    : now.toISOString().slice(0, 7);
}

/** The months before and after; no later one than the current month. */
export function neighborsOf(month: string, now: Date): { before: string; after: string | null } {
  const shift = (by: number) => {
    const day = new Date(`${month}-01T00:00:00Z`);
    day.setUTCMonth(day.getUTCMonth() + by);
    return day.toISOString().slice(0, 7);
  };
  const after = shift(1);
  return { before: shift(-1), after: after <= now.toISOString().slice(0, 7) ? after : null };
}

/** Whether a subscription can still be ended. Stripe's statuses: https://docs.stripe.com/api/subscriptions/object */
export const isRunning = (subscription: { status: string } | null) =>
  subscription !== null && !["canceled", "incomplete_expired"].includes(subscription.status);
