import { BIPOC_MONTHLY, FEATURED_PLANS, FIRST_MONTH_CENTS, type FeaturedPlan } from "./prices";

/**
 * The things that can be bought, with their names at Stripe. `npm run stripe:setup` creates them there.
 * No name says anything about a buyer's identity: a buyer of the monthly plan at $29 told us why, and
 * a third party need not know.
 */

/** A plan of a Featured listing. */
export type PlanId = FeaturedPlan["id"] | (typeof BIPOC_MONTHLY)["id"];

/**
 * What an order is for. A job that is already paid for is sold again only with `renew`: a "Pay"
 * button on a page that was left open must not buy it twice.
 */
export type Item =
  | { kind: "job"; jobId: number; renew?: true }
  | { kind: "sponsorship"; sponsorshipId: number }
  | { kind: "upgrade"; placeId: number; plan: PlanId };

export type ItemKind = Item["kind"];

export const PRODUCTS = {
  featured: { id: "featured", name: "Featured listing" },
  job: { id: "job", name: "Job listing" },
} as const;

/** The name on checkout pages and receipts. Sponsors choose their price, so there is no product. */
export const SPONSORSHIP_NAME = "Newsletter Sponsorship";

/** Lowers the first bill of the monthly plan to the price of the first month. */
export const FIRST_MONTH_COUPON = "featured_first_month";

export interface CatalogPlan {
  id: PlanId;
  /** The amount of each bill, in cents, and how many months it covers. */
  cents: number;
  months: number;
  /** The name of its price at Stripe. */
  lookupKey: string;
  /** The discount on the first bill, and the coupon for it. */
  firstOff?: { cents: number; coupon: string };
}

const LOOKUP_KEYS: Record<PlanId, string> = {
  monthly: "featured_monthly",
  monthly_bipoc: "featured_monthly_reduced",
  six_months: "featured_six_months",
  twelve_months: "featured_twelve_months",
};

/** Every plan that can be bought. */
export const PLANS: readonly CatalogPlan[] = [...FEATURED_PLANS, BIPOC_MONTHLY].map((plan) => ({
  id: plan.id,
  cents: plan.cents,
  months: plan.months,
  lookupKey: LOOKUP_KEYS[plan.id],
  ...("firstCents" in plan && plan.firstCents !== undefined
    ? { firstOff: { cents: plan.cents - FIRST_MONTH_CENTS, coupon: FIRST_MONTH_COUPON } }
    : {}),
}));

/** The plan with an id, or undefined when there is none. */
export function findPlan(id: unknown): CatalogPlan | undefined {
  return PLANS.find((plan) => plan.id === id);
}

/** What was bought, for receipts and emails. The words out no one. */
export const ITEM_LABELS: Record<ItemKind, string> = {
  job: "a job listing",
  sponsorship: "a newsletter feature",
  upgrade: "a Featured listing",
};
