import { Badge } from "~/components/ui/badge";

import { PlanPrice } from "./plan-price";
import { FEATURED_PLANS } from "./prices";

/** The plans side by side, the recommended one lifted. */
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
