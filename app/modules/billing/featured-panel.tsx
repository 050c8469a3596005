import { Badge } from "~/components/ui/badge";
import { Icon } from "~/components/ui/icon";

import { BIPOC_MONTHLY, centsAMonth, dollars, FEATURED_PLANS, FIRST_MONTH_CENTS, monthsFree, type FeaturedPlan } from "./prices";

const BENEFITS = [
  "A featured pin on the map, and the top places in your area",
  "Recommended on the app’s home tab",
  "An analytics dashboard: who is near, who looks, who saves you",
  "Your updates are approved first",
  "A badge that stays, a monthly call, and an invitation to our chat server",
];

/** What one bill is, and how often it comes. */
function billing({ cents, months, firstCents }: FeaturedPlan): string {
  if (firstCents !== undefined) return `Your first month is ${dollars(firstCents)}`;
  return `${dollars(cents)} every ${months} months`;
}

function Plan({ plan }: { plan: FeaturedPlan }) {
  const free = monthsFree(plan);
  return (
    <li className={plan.recommended ? "plan plan-recommended" : "plan"}>
      <h3>{plan.name}</h3>
      {plan.recommended ? <Badge tone="featured">Recommended</Badge> : null}
      <p className="price">
        <strong>{dollars(centsAMonth(plan))}</strong> a month
      </p>
      <p>{billing(plan)}</p>
      {free > 0 ? <p className="free">{free} months free</p> : <p>Billed every month</p>}
    </li>
  );
}

/** What the Featured tier is and costs, below an owner's listings. */
export function FeaturedPanel() {
  return (
    <section className="featured-panel" aria-labelledby="featured-tier">
      <div className="offer">
        <p className="kicker">
          <Icon name="star" /> The Featured tier
        </p>
        <h2 id="featured-tier">Be the first place they see.</h2>
        <p>180K+ app users look for somewhere of their own. Featured listings stand where they look first.</p>
        <ul className="benefits">
          {BENEFITS.map((benefit) => (
            <li key={benefit}>
              <Icon name="check" />
              {benefit}
            </li>
          ))}
        </ul>
      </div>
      <ul className="plans">
        {FEATURED_PLANS.map((plan) => (
          <Plan key={plan.id} plan={plan} />
        ))}
      </ul>
      <div className="proof">
        <div>
          <h3>Become a Founding Supporter</h3>
          <p>
            Your first month costs {dollars(FIRST_MONTH_CENTS)}. Businesses owned by Black, Indigenous and other people of color pay{" "}
            {dollars(BIPOC_MONTHLY.cents)} every month, month to month.
          </p>
        </div>
        <figure>
          <blockquote>
            <p>“Half of the people at our long table found us on the map. They come in as if they had been here before.”</p>
          </blockquote>
          <figcaption>Owner of a supper club, Founding Supporter</figcaption>
        </figure>
      </div>
    </section>
  );
}
