import { ButtonLink } from "~/components/ui/button";
import { Icon } from "~/components/ui/icon";
import { paths } from "~/http/paths";
import type { Testimonial } from "~/text/testimonials.server";

import { FeaturedBenefits } from "./featured-offer";
import {
  BIPOC_MONTHLY,
  countFreeMonths,
  describeBill,
  FEATURED_PLANS,
  FIRST_MONTH_CENTS,
  formatDollars,
  getMonthlyCents,
  type FeaturedPlan,
} from "./prices";
import { TestimonialQuote } from "./testimonials";

/** One bill of a plan, and what it saves: "$216 every 6 months, 1.5 months free". */
function describePlan(plan: FeaturedPlan, hasFirstMonth: boolean): string {
  if (plan.months === 1)
    return hasFirstMonth && plan.firstCents !== undefined
      ? `First month ${formatDollars(plan.firstCents)}`
      : "Billed every month";
  const free = countFreeMonths(plan);
  return free > 0 ? `${describeBill(plan)}, ${free} months free` : describeBill(plan);
}

/**
 * What the Featured tier is and costs, below an owner's listings.
 * @param hasFirstMonth whether the first month has its lower price for one of them: it is granted once
 */
export function FeaturedPanel({
  hasFirstMonth,
  testimonial,
}: {
  hasFirstMonth: boolean;
  testimonial: Testimonial | undefined;
}) {
  return (
    <section className="night featured-panel screen-only" aria-labelledby="tier">
      <div>
        <p className="kicker">
          <Icon name="star" /> Featured
        </p>
        <h2 id="tier">Be the first place they see.</h2>
        <p>
          180K+ app users are looking for a place of their own. Featured listings show up first.
        </p>
        <div className="buttons">
          <ButtonLink className="btn-gold" to={paths.upgrade()}>
            Upgrade now
          </ButtonLink>
          {/* It opens what is below; see featured-panel.css. */}
          <details>
            <summary>
              What you get <Icon name="chevron-down" />
            </summary>
          </details>
        </div>
      </div>
      <div>
        <ul className="night-plans">
          {FEATURED_PLANS.map((plan) => (
            <li key={plan.id} className={plan.recommended ? "recommended" : undefined}>
              {plan.recommended ? <span className="badge badge-featured">Recommended</span> : null}
              <h3>{plan.name}</h3>
              <p className="price">
                <strong>{formatDollars(getMonthlyCents(plan))}</strong> a month
              </p>
              <p>{describePlan(plan, hasFirstMonth)}</p>
            </li>
          ))}
        </ul>
        <p className="founding">
          <b>Become a Founding Supporter.</b>
          {hasFirstMonth
            ? ` Pay month to month and your first month costs ${formatDollars(FIRST_MONTH_CENTS)}.`
            : null}
          {` Businesses owned by Black, Indigenous and other people of color pay ${formatDollars(BIPOC_MONTHLY.cents)} every month.`}
        </p>
      </div>
      <div className="details">
        <FeaturedBenefits />
        <TestimonialQuote testimonial={testimonial} />
      </div>
    </section>
  );
}
