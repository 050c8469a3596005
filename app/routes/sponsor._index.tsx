import { json } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";

import { ButtonLink } from "~/components/ui/button";
import { Callout } from "~/components/ui/callout";
import { Illustration } from "~/components/ui/illustration";
import { PageHeader } from "~/components/ui/page-header";
import { Pagination } from "~/components/ui/pagination";
import { env } from "~/env.server";
import { readField } from "~/http/form.server";
import { pageLinks, readRowPosition } from "~/http/pagination";
import { rowIdParam } from "~/http/params.server";
import { paths } from "~/http/paths";
import { routeAction, routeLoader } from "~/http/route.server";
import { CheckoutReturnCallout } from "~/modules/billing/checkout-return";
import {
  checkoutReturnHandlers,
  findCheckoutReturn,
} from "~/modules/billing/checkout-return.server";
import { getSponsorshipTerms } from "~/modules/billing/payment-terms.server";
import { Pitch } from "~/modules/billing/pitch";
import { formatDollars, SPONSORSHIP } from "~/modules/billing/prices";
import { TestimonialQuote } from "~/modules/billing/testimonials";
import { readCancellationDays } from "~/modules/sponsorships/cancellation.server";
import { describeTotal } from "~/modules/sponsorships/order-total.server";
import { payForSponsorship } from "~/modules/sponsorships/payment.server";
import { addHeldSpots, findUnavailableDates } from "~/modules/sponsorships/rules";
import { SponsorshipTable } from "~/modules/sponsorships/sponsorship-table";
import {
  findOwnSponsorship,
  listOfferedNewsletters,
  listOwnBusinesses,
  listOwnSponsorships,
  noSuchSponsorship,
  type Sponsorship,
} from "~/modules/sponsorships/sponsorship.server";

export const handle = { title: "Newsletter Features" };

export const loader = routeLoader({ access: "signed in" }, async ({ db, session, url }) => {
  const { before } = readRowPosition(url.searchParams);
  const [page, offered, returned, deadline] = await Promise.all([
    listOwnSponsorships(db, session.user.id, before),
    listOfferedNewsletters(db),
    findCheckoutReturn(db, url, session.user.id),
    readCancellationDays(db),
  ]);
  const now = new Date();
  const isUnavailable = ({ dates, heldDates }: Sponsorship) =>
    findUnavailableDates(dates, addHeldSpots(offered, heldDates), now).length > 0;
  return json({
    orders: page.rows.map((order) => ({
      ...order,
      ...describeTotal(order),
      hasUnavailableDates: !order.paid && isUnavailable(order),
    })),
    // The newest order comes first, so the next page has the orders before the last one of this page.
    pages: pageLinks(({ after }) => paths.sponsorshipsPage({ before: after }), page),
    first: before === undefined,
    returned,
    terms: getSponsorshipTerms(deadline, session.user),
    testimonial: env().testimonials[2],
    canOrder: page.rows.length > 0 || (await listOwnBusinesses(db, session.user.id)).length > 0,
  });
});

const sponsorshipId = rowIdParam(noSuchSponsorship);

export const action = routeAction(
  { access: "signed in" },
  {
    pay: async ({ db, form, session, log }) => {
      const id = sponsorshipId(readField(form, "sponsorship"));
      await findOwnSponsorship(db, session.user.id, id);
      return payForSponsorship({ db, session, log }, id);
    },
    ...checkoutReturnHandlers,
  },
);

export default function Sponsorships() {
  const { orders, pages, first, returned, terms, canOrder, testimonial } =
    useLoaderData<typeof loader>();
  const add = <ButtonLink to={paths.newSponsorship()}>Sponsor a newsletter</ButtonLink>;
  const isEmpty = first && orders.length === 0;
  return (
    <>
      <PageHeader
        title="Newsletter Features"
        subtitle="Our newsletters go out every Tuesday and Thursday, with ten spots each."
        action={isEmpty ? undefined : add}
      />
      <CheckoutReturnCallout returned={returned} />
      {terms.isRefused ? <Callout>{terms.text}</Callout> : null}
      {isEmpty ? (
        <Pitch
          kicker="Sponsor a newsletter"
          icon="newspaper"
          title="Tell your story to 100K+ subscribers."
          price={
            <>
              from <strong>{formatDollars(SPONSORSHIP.suggestedMinCents)}</strong> per newsletter
            </>
          }
          to={canOrder ? paths.newSponsorship() : paths.newListing()}
          button={canOrder ? "Choose your dates" : "Add a listing first"}
          note="You choose the price."
          proof={
            <>
              <Illustration name="letter" />
              <TestimonialQuote testimonial={testimonial} />
            </>
          }
        >
          Every Tuesday and Thursday, our newsletter features up to ten organizations. Choose your
          dates, write a few lines and see how they’ll look before you pay.
        </Pitch>
      ) : null}
      {orders.length > 0 ? <SponsorshipTable orders={orders} terms={terms} /> : null}
      <Pagination label="Your orders, pages" {...pages} />
    </>
  );
}
