import { FEATURED_PLANS } from "~/modules/billing/prices";
import { formatDate, formatShortDate } from "~/text/dates";
import { isolate } from "~/text/isolate";
import { keepTogether } from "~/text/keep-together";
import { listWords } from "~/text/list-words";

import type { Purchase } from "./purchases.server";

/** What someone paid for, and what happened to the payment. Pure. */

type Described = Pick<
  Purchase,
  "kind" | "reason" | "item_name" | "item_dates" | "plan" | "period_from" | "period_to"
>;

const LABELS: Record<Purchase["kind"], string> = {
  job: "Job listing",
  sponsorship: "Newsletter feature",
  upgrade: "Featured listing",
};

const REASONS: Record<Purchase["reason"], string | null> = {
  purchase: null,
  renewal: "renewal",
  "plan-change": "change of plan",
};

/**
 * What a plan is called beside a payment; null for the reduced plan, whose name would say something
 * about its buyer.
 */
export const describePlan = (plan: string | null): string | null =>
  FEATURED_PLANS.find(({ id }) => id === plan)?.name.toLowerCase() ?? null;

/** What a payment was for: "Newsletter feature: Fern & Flour, Nov 3 and Nov 5, 2026". */
export function describePurchase(purchase: Described): string {
  const details = describeDetails(purchase);
  return `${describeItem(purchase)}${details && (purchase.item_name ? ", " : ": ")}${details}`;
}

/** What it was for, without its details: "Newsletter feature: Fern & Flour". */
export function describeItem({ kind, item_name }: Pick<Described, "kind" | "item_name">): string {
  const name = isolate(item_name ?? "");
  return name ? `${LABELS[kind]}: ${name}` : LABELS[kind];
}

/** Its dates, or its plan with the period: "Nov 3 and Nov 5, 2026". Empty when nothing is known. */
export function describeDetails({
  kind,
  reason,
  item_dates,
  plan,
  period_from,
  period_to,
}: Described): string {
  const details =
    kind === "upgrade"
      ? [
          keepTogether(describePlan(plan) ?? ""),
          REASONS[reason],
          period_from && period_to && `${formatDay(period_from)} to ${formatDay(period_to)}`,
        ]
      : [listDates(item_dates ?? [])];
  return details.filter(Boolean).join(", ");
}

/** It stays on one line, because it is in titles, and in names that wrap. */
const formatDay = (day: string) => keepTogether(formatDate(day));

/** Lists days in their order, with each year once: "Nov 3, Nov 5, and Dec 1, 2026". */
function listDates(days: readonly string[]): string {
  const isLastOfYear = (at: number) => days[at]?.slice(0, 4) !== days[at + 1]?.slice(0, 4);
  return listWords(
    days.map((day, at) => (isLastOfYear(at) ? formatDay(day) : keepTogether(formatShortDate(day)))),
  );
}

/**
 * The state of a payment, as a badge shows it.
 * @param lost what a dispute that we lost is called: its buyer has won it
 */
export function getPurchaseState(
  {
    cents,
    refunded_cents,
    dispute,
    refunds,
  }: Pick<Purchase, "cents" | "refunded_cents" | "dispute" | "refunds">,
  lost = "Returned by your bank",
): {
  label: string;
  tone: "published" | "waiting" | "wrong" | "plain";
} {
  if (dispute === "open") return { label: "Disputed", tone: "wrong" };
  if (dispute === "lost") return { label: lost, tone: "plain" };
  if (refunds.some(({ status }) => status === "failed"))
    return { label: "Refund delayed", tone: "wrong" };
  if (refunds.some(({ status }) => status === "requested"))
    return { label: "Refund on its way", tone: "waiting" };
  if (cents > 0 && refunded_cents >= cents) return { label: "Refunded", tone: "plain" };
  if (refunded_cents > 0) return { label: "Partly refunded", tone: "plain" };
  return { label: "Paid", tone: "published" };
}

/** When the latest refund of a payment was made: "Nov 3, 2026", on one line; null when there is none. */
export function describeLatestRefund(refunds: Purchase["refunds"]): string | null {
  const made = refunds.filter(({ status }) => status === "pending" || status === "succeeded");
  const latest = made.at(-1);
  return latest ? formatDay(latest.at) : null;
}

/** The years in which something was paid, the latest first. */
export function listYears(purchases: readonly Pick<Purchase, "paid_at">[]): number[] {
  const years = new Set(purchases.map(({ paid_at }) => new Date(paid_at).getUTCFullYear()));
  return [...years].sort((one, other) => other - one);
}

/** The purchases of one year (UTC), or all. */
export function selectYear<P extends Pick<Purchase, "paid_at">>(
  purchases: readonly P[],
  year: number | null,
): P[] {
  return purchases.filter(
    ({ paid_at }) => year === null || new Date(paid_at).getUTCFullYear() === year,
  );
}

/** What was paid, and what came back of it, in all, in cents. */
export function addUp(purchases: readonly Pick<Purchase, "cents" | "returned_cents">[]): {
  paid: number;
  returned: number;
} {
  return {
    paid: purchases.reduce((sum, { cents }) => sum + cents, 0),
    returned: purchases.reduce((sum, { returned_cents }) => sum + returned_cents, 0),
  };
}
