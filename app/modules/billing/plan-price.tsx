import { centsAMonth, dollars, monthsFree, type FeaturedPlan } from "./prices";

/** What one bill is, and how often it comes. */
function billing({ cents, months, firstCents }: FeaturedPlan): string {
  if (firstCents !== undefined) return `Your first month is ${dollars(firstCents)}`;
  return `${dollars(cents)} every ${months} months`;
}

/** What a plan costs: a month of it, one bill, and what it saves. */
export function PlanPrice({ plan }: { plan: FeaturedPlan }) {
  const free = monthsFree(plan);
  return (
    <>
      <p className="price">
        <strong>{dollars(centsAMonth(plan))}</strong> a month
      </p>
      <p>{billing(plan)}</p>
      {free > 0 ? <p className="free">{free} months free</p> : <p>Billed every month</p>}
    </>
  );
}
