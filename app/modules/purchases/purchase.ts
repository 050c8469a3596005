import { ITEM_LABELS } from "~/modules/billing/catalog";
import type { ItemKind } from "~/modules/billing/catalog";
import { FEATURED_PLANS } from "~/modules/billing/prices";
import { formatDate, formatLongDate } from "~/text/dates";

/** What someone paid for, and what became of the payment. Pure. */

/** A refund of a payment, in full or in part. */
export interface Refund {
  cents: number;
  status: "requested" | "pending" | "succeeded" | "failed";
  at: string;
}

/** One payment, as its buyer sees it. */
export interface Purchase {
  /** Stripe's id of the payment. */
  id: string;
  kind: ItemKind;
  reason: "purchase" | "renewal" | "plan-change";
  /** The title of the job, or the name of the listing, as it was called then. */
  item_name: string | null;
  item_dates: string[] | null;
  plan: string | null;
  place_id: number | null;
  cents: number;
  tax_cents: number;
  refunded_cents: number;
  invoice_number: string | null;
  period_from: string | null;
  period_to: string | null;
  paid_at: string;
  dispute: "open" | "won" | "lost" | null;
  refunds: Refund[];
}

type Described = Pick<
  Purchase,
  "kind" | "reason" | "item_name" | "item_dates" | "plan" | "period_from" | "period_to"
>;

const capitalize = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

const REASONS: Record<Purchase["reason"], string | null> = {
  purchase: null,
  renewal: "renewal",
  "plan-change": "change of plan",
};

/** What a payment was for: "Newsletter sponsorship: Fern & Flour, Nov 3 and Nov 5, 2026". */
export function describePurchase(purchase: Described): string {
  const { kind, reason, item_name, item_dates, plan, period_from, period_to } = purchase;
  const label = capitalize(ITEM_LABELS[kind].replace(/^an? /, ""));
  const name = item_name ?? "";
  const details =
    kind === "upgrade"
      ? [
          FEATURED_PLANS.find(({ id }) => id === plan)?.name.toLowerCase(),
          REASONS[reason],
          period_from && period_to && `${formatDate(period_from)} to ${formatDate(period_to)}`,
        ]
      : (item_dates ?? []).map((date) => formatDate(date));
  const text = [name, ...details.filter(Boolean)].filter(Boolean).join(", ");
  return text ? `${label}: ${text}` : label;
}

/** The state of a payment, as a badge shows it. */
export function getPurchaseState({
  cents,
  refunded_cents,
  dispute,
  refunds,
}: Pick<Purchase, "cents" | "refunded_cents" | "dispute" | "refunds">): {
  label: string;
  tone: "published" | "waiting" | "wrong" | "plain";
} {
  if (dispute === "open") return { label: "Disputed", tone: "wrong" };
  if (dispute === "lost") return { label: "Dispute lost", tone: "plain" };
  if (refunds.some(({ status }) => status === "failed"))
    return { label: "Refund delayed", tone: "wrong" };
  if (refunds.some(({ status }) => status === "requested"))
    return { label: "Refund on its way", tone: "waiting" };
  if (cents > 0 && refunded_cents >= cents) return { label: "Refunded", tone: "plain" };
  if (refunded_cents > 0) return { label: "Partly refunded", tone: "plain" };
  return { label: "Paid", tone: "published" };
}

/** When the latest refund of a payment was made: "November 3, 2026"; null when there is none. */
export function describeLatestRefund(refunds: readonly Refund[]): string | null {
  const made = refunds.filter(({ status }) => status === "pending" || status === "succeeded");
  const latest = made.at(-1);
  return latest ? formatLongDate(latest.at) : null;
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

/** What was paid and refunded in all, in cents. */
export function addUp(purchases: readonly Pick<Purchase, "cents" | "refunded_cents">[]): {
  paid: number;
  refunded: number;
} {
  return {
    paid: purchases.reduce((sum, { cents }) => sum + cents, 0),
    refunded: purchases.reduce((sum, { refunded_cents }) => sum + refunded_cents, 0),
  };
}
