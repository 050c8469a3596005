import { json, redirect } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";

import { ButtonLink } from "~/components/ui/button";
import { Callout } from "~/components/ui/callout";
import { PageHeader } from "~/components/ui/page-header";
import { paths } from "~/http/paths";
import { routeAction, routeLoader } from "~/http/route.server";
import { parseRowId } from "~/text/row-id";
import { ManageBillingButton } from "~/modules/billing/manage-billing-button";
import { PaymentRefused, PaymentUnavailable } from "~/modules/billing/payment-refusals.server";
import { billingOf, openPortal } from "~/modules/billing/portal.server";
import { subscriptionInWords } from "~/modules/billing/subscription-words";
import { noSuchListing } from "~/modules/listings/listing.server";

export const handle = { title: "Billing" };
export { revalidateAfterConflict as shouldRevalidate } from "~/http/revalidate-after-conflict";

export const loader = routeLoader({ access: "signed in" }, async ({ db, params, session }) => {
  const listing = await billingOf(db, session.user.id, parseRowId(params.id));
  if (!listing) throw noSuchListing();
  const { id, name, premium } = listing;
  return json({ listing: { id, name, premium }, words: subscriptionInWords(listing) });
});

/** Opens the payment provider's page; what is in the way is told on this one. */
export const action = routeAction({ access: "signed in" }, async ({ db, params, session, log }) => {
  const listing = await billingOf(db, session.user.id, parseRowId(params.id));
  if (!listing) throw noSuchListing();
  try {
    const { url } = await openPortal({ owner: session.user, log }, listing);
    return redirect(url, { status: 303 });
  } catch (error) {
    if (error instanceof PaymentRefused) return json({ problem: error.message }, { status: 409 });
    if (error instanceof PaymentUnavailable)
      return json({ problem: error.message }, { status: 503, headers: { "Retry-After": "60" } });
    throw error;
  }
});

export default function Billing() {
  const { listing, words } = useLoaderData<typeof loader>();
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
      {words ? (
        <Callout tone={words.tone} title={words.title}>
          {words.text}
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
