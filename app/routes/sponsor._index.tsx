import { json } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";

import { ButtonLink } from "~/components/ui/button";
import { EmptyState } from "~/components/ui/empty-state";
import { PageHeader } from "~/components/ui/page-header";
import { Pagination } from "~/components/ui/pagination";
import { readField } from "~/http/form.server";
import { paths } from "~/http/paths";
import { routeAction, routeLoader } from "~/http/route.server";
import { parseRowId } from "~/text/row-id";
import { CheckoutReturnCallout } from "~/modules/billing/checkout-return";
import {
  checkoutReturnHandlers,
  findCheckoutReturn,
} from "~/modules/billing/checkout-return.server";
import { leadToPayment } from "~/modules/sponsorships/payment.server";
import { goneDates, withHeld } from "~/modules/sponsorships/rules";
import { SponsorshipTable } from "~/modules/sponsorships/sponsorship-table";
import {
  newsletterDates,
  ownSponsorship,
  sponsorshipsOf,
} from "~/modules/sponsorships/sponsorship.server";

export const handle = { title: "Newsletter Features" };

export const loader = routeLoader({ access: "signed in" }, async ({ db, session, url }) => {
  const before = parseRowId(url.searchParams.get("before")) ?? undefined;
  const [{ orders, more }, offered, returned] = await Promise.all([
    sponsorshipsOf(db, session.user.id, before),
    newsletterDates(db),
    findCheckoutReturn(db, url),
  ]);
  const now = new Date();
  const listed = orders.map((order) => ({
    ...order,
    gone: !order.paid && goneDates(order.dates, withHeld(offered, order.holding), now).length > 0,
  }));
  return json({
    orders: listed,
    next: more ? orders.at(-1)!.id : null,
    first: before === undefined,
    returned,
  });
});

export const action = routeAction(
  { access: "signed in" },
  {
    pay: async ({ db, form, session, log }) => {
      const { id } = await ownSponsorship(db, session.user.id, readField(form, "sponsorship"));
      return leadToPayment({ db, session, log }, id);
    },
    ...checkoutReturnHandlers,
  },
);

export default function Sponsorships() {
  const { orders, next, first, returned } = useLoaderData<typeof loader>();
  const add = <ButtonLink to={paths.newSponsorship()}>Sponsor a newsletter</ButtonLink>;
  const nothing = first && orders.length === 0;
  return (
    <>
      <PageHeader
        title="Newsletter Features"
        subtitle="Sent each Tuesday and Thursday, with ten organizations in it."
        action={nothing ? undefined : add}
      />
      <CheckoutReturnCallout returned={returned} />
      {nothing ? (
        <EmptyState title="No features yet" illustration="letter" action={add}>
          Tell 100K+ subscribers about your business or organization, from $30 per newsletter.
        </EmptyState>
      ) : null}
      {orders.length > 0 ? <SponsorshipTable orders={orders} /> : null}
      <Pagination
        label="Your orders, pages"
        next={next === null ? undefined : paths.sponsorshipsPage({ before: next })}
      />
    </>
  );
}
