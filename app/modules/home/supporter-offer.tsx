import { ButtonLink } from "~/components/ui/button";
import { Icon } from "~/components/ui/icon";
import { paths } from "~/http/paths";
import { Benefits, Pitch } from "~/modules/billing/pitch";
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

/**
 * What a Founding Supporter is, gets, and pays.
 * @param hasFirstMonth whether the first month has its lower price for the user: it is granted once
 */
export function SupporterOffer({ hasFirstMonth }: { hasFirstMonth: boolean }) {
  return (
    <Pitch
      kicker="Founding Supporter"
      icon="star"
      title="Be seen first by 250K+ people."
      price={
        <>
          <strong>
            {formatDollars(Math.min(...monthlyCents))}–{Math.max(...monthlyCents) / 100}
          </strong>{" "}
          a month.
          {hasFirstMonth
            ? ` If you pay month to month, the first one is ${formatDollars(FIRST_MONTH_CENTS)}.`
            : null}
        </>
      }
      to={paths.upgrade()}
      button="Upgrade"
      note="Cancel any time."
      proof={<Benefits benefits={BENEFITS} />}
    >
      They open the app to find a place where they can simply be themselves. Yours can be the first
      place they find.
    </Pitch>
  );
}

/** The thanks that a Founding Supporter sees in place of the offer. */
export function SupporterThanks() {
  return (
    <section className="card card-featured" aria-labelledby="supporter">
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
    </section>
  );
}
