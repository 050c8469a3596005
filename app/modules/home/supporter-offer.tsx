import { ButtonLink } from "~/components/ui/button";
import { Icon } from "~/components/ui/icon";
import { paths } from "~/http/paths";
import {
  getMonthlyCents,
  formatDollars,
  FEATURED_PLANS,
  FIRST_MONTH_CENTS,
} from "~/modules/billing/prices";

const BENEFITS = [
  "A featured pin on the map",
  "Top placement in your area",
  "Recommendations on the app’s home tab",
  "An analytics dashboard",
  "Access to our private community server",
  "A permanent badge",
  "Your listing changes are approved first",
];

const monthlyCents = FEATURED_PLANS.map(getMonthlyCents);

/** What a Founding Supporter is, gets, and pays. */
export function SupporterOffer() {
  return (
    <section className="night supporter-offer" aria-labelledby="supporter">
      <div>
        <p className="kicker">
          <Icon name="star" /> Founding Supporter
        </p>
        <h2 id="supporter">Be seen first by 250K+ people.</h2>
        <p>
          They open the app to find a place where they can simply be themselves. Yours can be the
          first place they find.
        </p>
        <p className="price">
          <strong>
            {formatDollars(Math.min(...monthlyCents))}–{Math.max(...monthlyCents) / 100}
          </strong>{" "}
          a month, the first month {formatDollars(FIRST_MONTH_CENTS)}
        </p>
        <ButtonLink className="btn-gold" to={paths.upgrade()}>
          Upgrade
        </ButtonLink>
      </div>
      <ul className="benefits">
        {BENEFITS.map((benefit) => (
          <li key={benefit}>
            <Icon name="check" />
            {benefit}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The thanks that a Founding Supporter sees in place of the offer. */
export function SupporterThanks() {
  return (
    <section className="card-featured supporter-offer" aria-labelledby="supporter">
      <div>
        <p className="kicker">
          <Icon name="star" /> Thank you
        </p>
        <h2 id="supporter">You’re a Founding Supporter!</h2>
        <p>
          Thanks to you, someone just found the place they were looking for. See how your Featured
          listing is doing.
        </p>
        <ButtonLink variant="quiet" to={paths.listings()}>
          See your numbers
        </ButtonLink>
      </div>
    </section>
  );
}
