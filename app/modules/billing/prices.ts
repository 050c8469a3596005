import { LOCALE } from "~/text/locale";

/**
 * Every price of the product in whole cents of a US dollar, and how long a purchase lasts. Pages show
 * these prices, and Stripe charges them.
 */

export const CURRENCY = "usd";

export interface FeaturedPlan {
  id: "monthly" | "six_months" | "twelve_months";
  name: string;
  /** The amount of each bill. */
  cents: number;
  /** How many months one bill covers. */
  months: number;
  /** The amount of the first bill, where it differs. */
  firstCents?: number;
  recommended?: true;
}

/** The founding-supporter offer: the price of the first month of the monthly plan. */
export const FIRST_MONTH_CENTS = 2900;

/** The ways to pay for a Featured listing. */
export const FEATURED_PLANS: readonly FeaturedPlan[] = [
  { id: "monthly", name: "Month to month", cents: 4900, months: 1, firstCents: FIRST_MONTH_CENTS },
  { id: "six_months", name: "6 months", cents: 21600, months: 6, recommended: true },
  { id: "twelve_months", name: "12 months", cents: 40800, months: 12 },
];

/** The monthly plan for businesses owned by Black, Indigenous and other people of color. */
export const BIPOC_MONTHLY = { id: "monthly_bipoc", cents: 2900, months: 1 } as const;

/** One job: its price, the regular price (shown struck through), and the days that it is live. */
export const JOB = { cents: 500, regularCents: 4900, liveDays: 45 } as const;

/** One spot in a newsletter. Sponsors choose their price; the scale is a suggestion. */
export const SPONSORSHIP = {
  defaultCents: 4500,
  suggestedMinCents: 3000,
  suggestedMaxCents: 30000,
} as const;

/** How long the reason of a refund may be, in characters. */
export const MAX_REFUND_NOTE = 500;

/** An email about one business, sent on a Wednesday, and a post on the blog. Both are sold elsewhere. */
export const SOLO_EMAIL = { cents: 50000 } as const;
export const BLOG_FEATURE = { cents: 30000 } as const;

/** Formats an amount: "$49", "$1,234.50". Zero cents are not shown. */
export function formatDollars(cents: number): string {
  const whole = cents % 100 === 0;
  return (cents / 100).toLocaleString(LOCALE, {
    style: "currency",
    currency: CURRENCY,
    minimumFractionDigits: whole ? 0 : 2,
    maximumFractionDigits: whole ? 0 : 2,
  });
}

/** An amount to be charged: "$216", or "$216 plus tax", of which only Stripe knows how much it will be. */
export const describeCharge = (cents: number, plusTax: boolean): string =>
  `${formatDollars(cents)}${plusTax ? " plus tax" : ""}`;

/** What one bill of a plan is, and how often it comes: "$216 every 6 months". */
export const describeBill = ({
  cents,
  months,
  plus_tax: plusTax = false,
}: Pick<FeaturedPlan, "cents" | "months"> & { plus_tax?: boolean }): string =>
  `${describeCharge(cents, plusTax)} ${months === 1 ? "a month" : `every\u00a0${months}\u00a0months`}`;

/** An amount in dollars, for a spreadsheet: 49, -1234.5. */
export function toDollars(cents: number): number {
  return cents / 100;
}

/** The price of one month of a plan, in cents. */
export function getMonthlyCents({ cents, months }: Pick<FeaturedPlan, "cents" | "months">): number {
  return Math.round(cents / months);
}

/** How many months of a plan are free, compared with the monthly plan: in halves, rounded down. */
export function countFreeMonths({ cents, months }: Pick<FeaturedPlan, "cents" | "months">): number {
  const monthlyCents = FEATURED_PLANS.find((plan) => plan.months === 1)!.cents;
  return Math.floor((2 * (monthlyCents * months - cents)) / monthlyCents) / 2;
}
