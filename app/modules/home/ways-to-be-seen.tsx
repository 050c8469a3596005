import { useApp } from "~/components/layout/app-context";
import { ButtonLink } from "~/components/ui/button";
import { Icon } from "~/components/ui/icon";
import { paths } from "~/http/paths";
import { PaymentTerms } from "~/modules/billing/payment-terms";
import type { PaymentTerms as Terms } from "~/modules/billing/payment-terms.server";
import { BLOG_FEATURE, formatDollars, SOLO_EMAIL, SPONSORSHIP } from "~/modules/billing/prices";

interface WaysToBeSeenProps {
  /** The checkout pages of the two offers that are sold elsewhere; null if not configured. */
  soloEmailUrl: string | null;
  blogFeatureUrl: string | null;
  /** The terms of those two. */
  terms: Terms;
}

/** A button to an external checkout; if none is configured, to the team's contact page, if there is one. */
function BuyElsewhere({ href, what }: { href: string | null; what: string }) {
  const { contactUrl } = useApp();
  const target = href ?? contactUrl;
  if (target === null) return null;
  const label = href === null ? "Get in touch" : "Buy Now";
  return (
    <ButtonLink variant="quiet" href={target} rel="noreferrer" aria-label={`${label}: ${what}`}>
      {label}
    </ButtonLink>
  );
}

/** The other three offers: newsletter, solo email, and blog post. */
export function WaysToBeSeen({ soloEmailUrl, blogFeatureUrl, terms }: WaysToBeSeenProps) {
  return (
    <section className="ways" aria-labelledby="ways">
      <div className="list-head">
        <h2 id="ways">More ways to be seen</h2>{" "}
        <p>Reach 100K+ email subscribers with your story.</p>
      </div>
      <ul>
        <li>
          <Icon name="newspaper" />
          <div>
            <h3>Newsletter Feature</h3>
            <p>
              Sent twice weekly, on Tuesday and Thursday, with 10 organizations highlighted in each.
            </p>
          </div>
          <p className="price">
            from <strong>{formatDollars(SPONSORSHIP.suggestedMinCents)}</strong> per newsletter
          </p>
          <ButtonLink
            variant="quiet"
            to={paths.newSponsorship()}
            aria-label="Buy Now: Newsletter Feature"
          >
            Buy Now
          </ButtonLink>
        </li>
        <li>
          <Icon name="mail" />
          <div>
            <h3>Solo Business Email Highlight</h3>
            <p>A dedicated email about your business, sent on a Wednesday.</p>
          </div>
          <p className="price">
            <strong>{formatDollars(SOLO_EMAIL.cents)}</strong> per email
          </p>
          <BuyElsewhere href={soloEmailUrl} what="Solo Business Email Highlight" />
        </li>
        <li>
          <Icon name="pencil" />
          <div>
            <h3>Blog Feature</h3>
            <p>Your story on our blog, easy to find and share.</p>
          </div>
          <p className="price">
            <strong>{formatDollars(BLOG_FEATURE.cents)}</strong> per post
          </p>
          <BuyElsewhere href={blogFeatureUrl} what="Blog Feature" />
        </li>
      </ul>
      {soloEmailUrl === null && blogFeatureUrl === null ? null : <PaymentTerms terms={terms} />}
    </section>
  );
}
