import { json, redirect } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";

import { ButtonLink } from "~/components/ui/button";
import { Callout } from "~/components/ui/callout";
import { PageHeader } from "~/components/ui/page-header";
import { rowIdParam } from "~/http/params.server";
import { paths } from "~/http/paths";
import { routeAction, routeLoader } from "~/http/route.server";
import { ManageBillingButton } from "~/modules/billing/manage-billing-button";
import { PaymentRefused, PaymentUnavailable } from "~/modules/billing/payment-errors.server";
import { findListingBilling, openPortal } from "~/modules/billing/portal.server";
import { summarizeSubscription } from "~/modules/billing/subscription-summary";
import { noSuchListing } from "~/modules/listings/listing.server";

export const handle = { title: "Billing" };
export { revalidateAfterConflict as shouldRevalidate } from "~/http/revalidate-after-conflict";

const params = { id: rowIdParam(noSuchListing) };

export const loader = routeLoader(
  { access: "signed in", params },
  async ({ db, params, session }) => {
    const listing = await findListingBilling(db, session.user.id, params.id);
    const { id, name, premium } = listing;
    return json({ listing: { id, name, premium }, subscription: summarizeSubscription(listing) });
  },
);

/** Opens Stripe's page; if that is not possible, this page says why. */
export const action = routeAction(
  { access: "signed in", params },
  async ({ db, params, session, log }) => {
    const listing = await findListingBilling(db, session.user.id, params.id);
    try {
      const { url } = await openPortal({ owner: session.user, log }, listing);
      return redirect(url, { status: 303 });
    } catch (error) {
      if (error instanceof PaymentRefused) return json({ problem: error.message }, { status: 409 });
      if (error instanceof PaymentUnavailable)
        return json({ problem: error.message }, { status: 503, headers: { "Retry-After": "60" } });
      throw error;
    }
  },
);

export default function Billing() {
  const { listing, subscription } = useLoaderData<typeof loader>();
  const answer = useActionData<typeof action>();
  const problem = answer && "problem" in answer ? answer.problem : null;
  return (
    <>
      <PageHeader title={listing.name} kicker="Billing" />
      {problem ? (
        <div role="alert">
          <Callout tone="problem" title="That didn’t work">
            {problem}
          </Callout>
        </div>
      ) : null}
      {subscription ? (
        <Callout tone={subscription.tone} title={subscription.title}>
          {subscription.text}
        </Callout>
      ) : (
        <p>This listing is not Featured, so there is nothing to pay for.</p>
      )}
      <div className="buttons">
        {listing.premium ? (
          <ManageBillingButton listing={listing} />
        ) : (
          <ButtonLink to={paths.upgrade(listing.id)}>Upgrade now</ButtonLink>
        )}
        <ButtonLink variant="quiet" to={paths.listings()}>
          Back to Business Listings
        </ButtonLink>
      </div>
    </>
  );
}
