import { ButtonLink } from "~/components/ui/button";
import { Icon } from "~/components/ui/icon";
import { paths } from "~/http/paths";

import { Benefits, PlanList } from "./featured-offer";
import { BIPOC_MONTHLY, FIRST_MONTH_CENTS, formatDollars } from "./prices";
import { TestimonialQuote, TESTIMONIALS } from "./testimonials";

/** What the Featured tier is and costs, below an owner's listings. */
export function FeaturedPanel() {
  return (
    <section className="featured-panel" aria-labelledby="featured-tier">
      <div className="offer">
        <p className="kicker">
          <Icon name="star" /> The Featured tier
        </p>
        <h2 id="featured-tier">Be the first place they see.</h2>
        <p>
          180K+ app users are looking for a place of their own. Featured listings show up first.
        </p>
        <Benefits />
      </div>
      <PlanList level="h3" />
      <ButtonLink variant="quiet" to={paths.upgrade()}>
        Upgrade now
      </ButtonLink>
      <div className="proof">
        <div>
          <h3>Become a Founding Supporter</h3>
          <p>
            Your first month costs {formatDollars(FIRST_MONTH_CENTS)}. Businesses owned by Black,
            Indigenous and other people of color pay {formatDollars(BIPOC_MONTHLY.cents)} every
            month, month to month.
          </p>
        </div>
        <TestimonialQuote testimonial={TESTIMONIALS[0]} />
      </div>
    </section>
  );
}
