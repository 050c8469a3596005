import { json, redirect } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";

import { PostForm } from "~/components/forms/form";
import { SubmitButton } from "~/components/forms/submit-button";
import { ButtonLink } from "~/components/ui/button";
import { Callout } from "~/components/ui/callout";
import { PageHeader } from "~/components/ui/page-header";
import { redirectWithFlash } from "~/http/flash.server";
import { readField } from "~/http/form.server";
import { rowIdParam } from "~/http/params.server";
import { paths } from "~/http/paths";
import { routeAction, routeLoader, type ActionContext } from "~/http/route.server";
import { ManageBillingButton } from "~/modules/billing/manage-billing-button";
import { PaymentRefused, PaymentUnavailable } from "~/modules/billing/payment-errors.server";
import {
  checkSubscription,
  findListingBilling,
  findListingPlan,
  setCancellation,
} from "~/modules/billing/plan.server";
import { PlanSummary } from "~/modules/billing/plan-summary";
import { openPortal, type PortalTask } from "~/modules/billing/portal.server";
import { summarizeSubscription } from "~/modules/billing/subscription-summary";
import { noSuchListing } from "~/modules/listings/listing.server";
import { PurchaseTable } from "~/modules/purchases/purchase-table";
import { listPurchases } from "~/modules/purchases/purchases.server";
import { formatLongDate } from "~/text/dates";

export const handle = { title: "Billing" };
export { revalidateAfterConflict as shouldRevalidate } from "~/http/revalidate-after-conflict";

const params = { id: rowIdParam(noSuchListing) };

export const loader = routeLoader(
  { access: "signed in", params },
  async ({ db, params, session, url }) => {
    const [listing, plan, purchases] = await Promise.all([
      findListingBilling(db, session.user.id, params.id),
      findListingPlan(db, params.id),
      listPurchases(db),
    ]);
    const { id, name, premium } = listing;
    return json({
      listing: { id, name, premium },
      plan: plan?.mine ? plan : null,
      // For a listing that is Featured without a plan, or whose plan someone else pays.
      subscription: plan?.mine ? null : summarizeSubscription(listing),
      payments: purchases.filter(({ kind, place_id }) => kind === "upgrade" && place_id === id),
      updated: url.searchParams.has("updated"),
    });
  },
);

type Context = ActionContext<"signed in", { id: number }>;
type Listing = Awaited<ReturnType<typeof findListingBilling>>;

/** Does something about the plan. What can't be done is explained on the page. */
const withListing =
  (work: (context: Context, listing: Listing) => Promise<Response>) => async (context: Context) => {
    const { db, params, session } = context;
    const listing = await findListingBilling(db, session.user.id, params.id);
    try {
      return await work(context, listing);
    } catch (error) {
      if (error instanceof PaymentRefused) return json({ problem: error.message }, { status: 409 });
      if (error instanceof PaymentUnavailable)
        return json({ problem: error.message }, { status: 503, headers: { "Retry-After": "60" } });
      throw error;
    }
  };

/** Opens Stripe's page, straight at a task. */
const open = (task?: PortalTask) =>
  withListing(async ({ session, log }, listing) => {
    const { url } = await openPortal({ owner: session.user, log }, listing, task);
    return redirect(url, { status: 303 });
  });

const cancel = (isCanceled: boolean) =>
  withListing(async ({ db, session, log }, listing) => {
    await setCancellation({ owner: session.user, log }, listing, isCanceled);
    const plan = await findListingPlan(db, listing.id);
    const end = plan?.mine ? plan.ends_at : null;
    return redirectWithFlash(
      paths.billing(listing.id),
      isCanceled
        ? `Your plan is canceled. ${listing.name} stays Featured${end ? ` until ${formatLongDate(end)}` : ""}, and we won’t charge you again.`
        : `Your plan continues. ${listing.name} stays Featured.`,
    );
  });

const check = withListing(async ({ log }, listing) => {
  await checkSubscription(listing, log);
  return redirect(paths.billing(listing.id), { status: 303 });
});

const TASKS: Readonly<Record<string, (context: Context) => Promise<Response>>> = {
  "change-plan": open("change-plan"),
  "update-card": open("update-card"),
  "cancel-plan": cancel(true),
  "keep-plan": cancel(false),
  "check-plan": check,
};
const manageBilling = open();

/** "Manage billing" names no task: Stripe’s page has them all. */
export const action = routeAction({ access: "signed in", params }, (context) =>
  (TASKS[readField(context.form, "intent") ?? ""] ?? manageBilling)(context),
);

export default function Billing() {
  const { listing, plan, subscription, payments, updated } = useLoaderData<typeof loader>();
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
      {updated ? (
        <Callout tone="info" title="Thanks! We’re updating this page">
          <p>What you changed shows here within a few seconds.</p>
          <PostForm intent="check-plan">
            <SubmitButton variant="quiet">Check now</SubmitButton>
          </PostForm>
        </Callout>
      ) : null}
      {plan ? <PlanSummary plan={plan} /> : null}
      {!plan && subscription ? (
        <Callout tone={subscription.tone} title={subscription.title}>
          {subscription.text}
        </Callout>
      ) : null}
      {!plan && !subscription ? (
        <p>This listing isn’t Featured, so there’s nothing to pay for.</p>
      ) : null}
      {plan?.live ? (
        <PlanActions listing={listing} isCanceled={plan.ends_at !== null} />
      ) : (
        <div className="buttons">
          {listing.premium ? (
            <ManageBillingButton listing={listing} />
          ) : (
            <ButtonLink to={paths.upgrade(listing.id)}>Upgrade now</ButtonLink>
          )}
        </div>
      )}
      {payments.length > 0 ? (
        <PurchaseTable caption="Payments for this listing" purchases={payments} />
      ) : null}
      <p>
        <ButtonLink variant="quiet" to={paths.listings()}>
          Back to Business Listings
        </ButtonLink>
      </p>
    </>
  );
}

function PlanActions({
  listing,
  isCanceled,
}: {
  listing: { id: number; name: string };
  isCanceled: boolean;
}) {
  return (
    <section aria-labelledby="change">
      <h2 id="change">Change it</h2>
      <div className="buttons">
        {isCanceled ? (
          <PostForm intent="keep-plan">
            <SubmitButton>Keep the plan</SubmitButton>
          </PostForm>
        ) : (
          <PostForm intent="change-plan">
            <SubmitButton>Change plan</SubmitButton>
          </PostForm>
        )}
        <PostForm intent="update-card">
          <SubmitButton variant="quiet">Update card</SubmitButton>
        </PostForm>
        {isCanceled ? null : (
          <PostForm intent="cancel-plan">
            <SubmitButton variant="quiet">Cancel the plan</SubmitButton>
          </PostForm>
        )}
        <ManageBillingButton listing={listing} asLink />
      </div>
      <p className="hint">
        Plans and cards are changed at our payment provider, Stripe, where this plan is called
        “Featured listing {listing.id}”. A new plan begins at once: what’s left of the old one is
        taken off its price. If you cancel, the listing stays Featured until the end of the time
        you’ve paid for; that time isn’t refunded.
      </p>
    </section>
  );
}
