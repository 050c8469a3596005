import { ButtonLink } from "~/components/ui/button";
import { paths } from "~/http/paths";
import { BLOG_FEATURE, dollars, SOLO_EMAIL, SPONSORSHIP } from "~/modules/billing/prices";

interface WaysToBeSeenProps {
  /** Where the two offers that are sold elsewhere are paid for; null while that is not set up. */
  soloEmailUrl: string | null;
  blogFeatureUrl: string | null;
}

/** A button to a checkout that is not ours; without one, the price stands alone. */
function BuyElsewhere({ href, what }: { href: string | null; what: string }) {
  if (href === null) return null;
  return (
    <ButtonLink variant="quiet" href={href} rel="noreferrer" aria-label={`Buy Now: ${what}`}>
      Buy Now
    </ButtonLink>
  );
}

/** The three other ways to reach the directory's people. */
export function WaysToBeSeen({ soloEmailUrl, blogFeatureUrl }: WaysToBeSeenProps) {
  return (
    <section className="ways" aria-labelledby="ways">
      <h2 id="ways">More ways to be seen</h2>
      <p>100K+ people read our e-mails. Say what you would like them to know.</p>
      <ul>
        <li>
          <h3>Newsletter Feature</h3>
          <p>Sent twice weekly, on Tuesday and Thursday, with 10 organizations highlighted in each.</p>
          <p className="price">
            from <strong>{dollars(SPONSORSHIP.suggestedFromCents)}</strong> per newsletter
          </p>
          <ButtonLink variant="quiet" to={paths.newSponsorship()} aria-label="Buy Now: Newsletter Feature">
            Buy Now
          </ButtonLink>
        </li>
        <li>
          <h3>Solo Business Email Highlight</h3>
          <p>An e-mail about you and nobody else, sent on a Wednesday.</p>
          <p className="price">
            <strong>{dollars(SOLO_EMAIL.cents)}</strong> per email
          </p>
          <BuyElsewhere href={soloEmailUrl} what="Solo Business Email Highlight" />
        </li>
        <li>
          <h3>Blog Feature</h3>
          <p>Your story on our blog, to be read, found and passed on.</p>
          <p className="price">
            <strong>{dollars(BLOG_FEATURE.cents)}</strong> per post
          </p>
          <BuyElsewhere href={blogFeatureUrl} what="Blog Feature" />
        </li>
      </ul>
    </section>
  );
}
