/** Every price of the product, in whole cents of a US dollar. Pages format from here; so does what is charged. */

export const CURRENCY = "usd";

export interface FeaturedPlan {
  id: "monthly" | "six_months" | "twelve_months";
  name: string;
  /** What is billed each time. */
  cents: number;
  /** How many months one bill covers. */
  months: number;
  /** What the first bill is, where that differs. */
  firstCents?: number;
  recommended?: true;
}

/** The founding-supporter offer: what the first month costs, month to month. */
export const FIRST_MONTH_CENTS = 2900;

/** The ways to pay for a Featured listing. */
export const FEATURED_PLANS: readonly FeaturedPlan[] = [
  { id: "monthly", name: "Month to month", cents: 4900, months: 1, firstCents: FIRST_MONTH_CENTS },
  { id: "six_months", name: "6 months", cents: 21600, months: 6, recommended: true },
  { id: "twelve_months", name: "12 months", cents: 40800, months: 12 },
];

/** The monthly plan for businesses owned by Black, Indigenous and other people of color; the others have no discount. */
export const BIPOC_MONTHLY = { id: "monthly_bipoc", cents: 2900, months: 1 } as const;

/** One job, live for so many days. The struck-through price stands beside it. */
export const JOB = { cents: 500, insteadOfCents: 4900, liveDays: 45 } as const;

/** One sending of the newsletter. The person names the price; the scale is a suggestion. */
export const SPONSORSHIP = {
  defaultCents: 4500,
  suggestedFromCents: 3000,
  suggestedToCents: 30000,
} as const;

/** An e-mail about one business alone, sent on a Wednesday; and a post on the blog. Both are paid for elsewhere. */
export const SOLO_EMAIL = { cents: 50000 } as const;
export const BLOG_FEATURE = { cents: 30000 } as const;

/** "$49", "$1,234.50": without cents where there are none. */
export function dollars(cents: number): string {
  const whole = cents % 100 === 0;
  return (cents / 100).toLocaleString("en-US", {
    style: "currency",
    currency: CURRENCY,
    minimumFractionDigits: whole ? 0 : 2,
    maximumFractionDigits: whole ? 0 : 2,
  });
}

/** What a month of a plan comes to, in cents. */
export function centsAMonth({ cents, months }: Pick<FeaturedPlan, "cents" | "months">): number {
  return Math.round(cents / months);
}

/** How many months a plan gives for nothing, as against paying by the month; in halves, rounded down. */
export function monthsFree({ cents, months }: Pick<FeaturedPlan, "cents" | "months">): number {
  const byTheMonth = FEATURED_PLANS.find((plan) => plan.months === 1)!.cents;
  return Math.floor((2 * (byTheMonth * months - cents)) / byTheMonth) / 2;
}
