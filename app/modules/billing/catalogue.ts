import type { ItemKind, PlanId } from "./item";
import { BIPOC_MONTHLY, FEATURED_PLANS, FIRST_MONTH_CENTS } from "./prices";

/**
 * What is for sale, by the names it has at Stripe. `npm run stripe:setup` makes it there. Nothing in it says who
 * somebody is: whoever buys the monthly plan at $29 has said so to us, and a third party need not know why.
 */

export const PRODUCTS = {
  featured: { id: "featured", name: "Featured listing" },
  job: { id: "job", name: "Job listing" },
} as const;

/** Stands on checkout pages and receipts; each has a price of its buyer's own. */
export const SPONSORSHIP_NAME = "Newsletter Sponsorship";

/** Takes the difference off the first month, so that it costs what the plan says. */
export const FIRST_MONTH_COUPON = "featured_first_month";

export interface CataloguePlan {
  id: PlanId;
  /** What is billed each time, in cents, and how many months that covers. */
  cents: number;
  months: number;
  /** The name of its price at Stripe. */
  lookupKey: string;
  /** What the first bill is lowered by, and the coupon that does it. */
  firstOff?: { cents: number; coupon: string };
}

const LOOKUP_KEYS: Record<PlanId, string> = {
  monthly: "featured_monthly",
  monthly_bipoc: "featured_monthly_reduced",
  six_months: "featured_six_months",
  twelve_months: "featured_twelve_months",
};

/** Every plan that can be bought. */
export const PLANS: readonly CataloguePlan[] = [...FEATURED_PLANS, BIPOC_MONTHLY].map((plan) => ({
  id: plan.id,
  cents: plan.cents,
  months: plan.months,
  lookupKey: LOOKUP_KEYS[plan.id],
  ...("firstCents" in plan && plan.firstCents !== undefined
    ? { firstOff: { cents: plan.cents - FIRST_MONTH_CENTS, coupon: FIRST_MONTH_COUPON } }
    : {}),
}));

/** A plan by its id, or undefined when there is none of that name. */
export function planOf(id: unknown): CataloguePlan | undefined {
  return PLANS.find((plan) => plan.id === id);
}

/** What is bought, in plain words that out nobody: for receipts and messages. */
export const NAME_OF: Record<ItemKind, string> = {
  job: "a job listing",
  sponsorship: "a newsletter sponsorship",
  upgrade: "a Featured listing",
};
