import { Badge } from "~/components/ui/badge";

import { Benefits } from "./pitch";
import {
  countFreeMonths,
  describeBill,
  FEATURED_PLANS,
  formatDollars,
  getMonthlyCents,
  type FeaturedPlan,
} from "./prices";

const BENEFITS = [
  "A featured pin on the map and top placement in your area",
  "Recommendations on the app’s home tab",
  "An analytics dashboard: nearby users, views and favorites",
  "Your listing changes are approved first",
  "A permanent badge, a monthly call and an invite to our private community server",
];

/** What a Featured listing gets. */
export function FeaturedBenefits() {
  return <Benefits benefits={BENEFITS} />;
}

/** The plans, with the recommended one highlighted. */
export function PlanList() {
  return (
    <ul className="plans">
      {FEATURED_PLANS.map((plan) => (
        <li key={plan.id} className="plan">
          <span />
          <div>
            <h2>{plan.name}</h2>
            {plan.recommended ? <Badge tone="featured">Recommended</Badge> : null}
          </div>
          <PlanPrice plan={plan} />
        </li>
      ))}
    </ul>
  );
}

/** The amount of one bill, and how often it comes; null when that is the price of a month. */
function describeBilling(plan: FeaturedPlan): string | null {
  if (plan.firstCents !== undefined)
    return `Your first month is ${formatDollars(plan.firstCents)}, then ${formatDollars(plan.cents)} every month`;
  return plan.months === 1 ? null : describeBill(plan);
}

/** The price of a plan: a month of it, one bill, and what it saves. */
export function PlanPrice({ plan }: { plan: FeaturedPlan }) {
  const billing = describeBilling(plan);
  const free = countFreeMonths(plan);
  return (
    <>
      <p className="price">
        <strong>{formatDollars(getMonthlyCents(plan))}</strong> a month
      </p>
      {billing === null ? null : (
        <p>
          {billing}
          {free > 0 ? (
            <>
              , <span className="free">{free} months free</span>
            </>
          ) : null}
        </p>
      )}
    </>
  );
}
