import { Badge } from "~/components/ui/badge";
import { Icon } from "~/components/ui/icon";

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
  "Analytics: people nearby, views and saves",
  "Your updates are approved first",
  "A permanent badge, a monthly call, and an invite to our private chat server",
];

/** What a Featured listing gets. */
export function Benefits() {
  return (
    <ul className="benefits">
      {BENEFITS.map((benefit) => (
        <li key={benefit}>
          <Icon name="check" />
          {benefit}
        </li>
      ))}
    </ul>
  );
}

/** The plans side by side, with the recommended one highlighted. */
export function PlanList({ level: Heading }: { level: "h2" | "h3" }) {
  return (
    <ul className="plans">
      {FEATURED_PLANS.map((plan) => (
        <li key={plan.id} className={plan.recommended ? "plan plan-recommended" : "plan"}>
          <Heading>{plan.name}</Heading>
          {plan.recommended ? <Badge tone="featured">Recommended</Badge> : null}
          <PlanPrice plan={plan} />
        </li>
      ))}
    </ul>
  );
}

/** The amount of one bill, and how often it comes. */
function describeBilling(plan: FeaturedPlan): string {
  if (plan.firstCents !== undefined) return `Your first month is ${formatDollars(plan.firstCents)}`;
  return describeBill(plan);
}

/** The price of a plan: a month of it, one bill, and what it saves. */
export function PlanPrice({ plan }: { plan: FeaturedPlan }) {
  const free = countFreeMonths(plan);
  return (
    <>
      <p className="price">
        <strong>{formatDollars(getMonthlyCents(plan))}</strong> a month
      </p>
      <p>{describeBilling(plan)}</p>
      {free > 0 ? <p className="free">{free} months free</p> : <p>Billed every month</p>}
    </>
  );
}
