import { json, type SerializeFrom } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";

import { PostForm } from "~/components/forms/form";
import { SubmitButton } from "~/components/forms/submit-button";
import { ButtonLink } from "~/components/ui/button";
import { Callout, ProblemAlert } from "~/components/ui/callout";
import { PageHeader } from "~/components/ui/page-header";
import { rowIdParam } from "~/http/params.server";
import { paths } from "~/http/paths";
import { routeAction, routeLoader } from "~/http/route.server";
import { getListingParent } from "~/modules/listings/listing-parent";
import { ManageBillingButton } from "~/modules/billing/manage-billing-button";
import { PlanActions } from "~/modules/billing/plan-actions";
import { findListingBilling, findListingPlan, notePlan } from "~/modules/billing/plan.server";
import { explainCanceling, explainPlanApart } from "~/modules/billing/plan-apart.server";
import { PlanSummary } from "~/modules/billing/plan-summary";
import { changePlan, explainFixedPlan } from "~/modules/billing/plan-tasks.server";
import { canBeUpgraded, isCanceledAndOver } from "~/modules/billing/rules";
import { isLivePlan, summarizeSubscription } from "~/modules/billing/subscription-summary";
import { noSuchListing } from "~/modules/listings/listing.server";
import { PurchaseTable } from "~/modules/purchases/purchase-table";
import { listPurchases } from "~/modules/purchases/purchases.server";

export const handle = {
  title: "Plan and payments",
  tabTitle: ({ listing }: SerializeFrom<typeof loader>) => `Plan and payments: ${listing.name}`,
};
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
    const { id, name, status, premium, stripe_cus_id, subscription_status } = listing;
    const isCustomer = stripe_cus_id !== null;
    // As `my_dashboard` says it (`paid_by_another`).
    const paidByAnother = premium && !isCustomer && isLivePlan(subscription_status);
    return json({
      listing: {
        id,
        name,
        premium,
        isCustomer,
        isRemoved: status === "archived",
        // At Stripe there is nothing to manage about a plan that has ended.
        isManageable:
          isCustomer && premium && isLivePlan(subscription_status) && status !== "archived",
        isUpgradable:
          !premium && canBeUpgraded(listing) && !(plan?.mine && plan.status === "paused"),
      },
      plan: plan?.mine ? plan : null,
      state: plan?.mine
        ? explainPlanApart(plan, { premium, isRemoved: status === "archived" })
        : null,
      note: notePlan(plan, listing),
      fixed: plan?.mine && plan.live ? await explainFixedPlan(plan) : null,
      canceling: plan?.mine && plan.live ? explainCanceling(plan) : null,
      paidByAnother,
      // For a listing that is Featured without a plan, or by a plan that is older than the orders. (The next owner reads
      // nothing about the plan of the one before.)
      subscription:
        paidByAnother || (plan && (plan.mine || !premium)) ? null : summarizeSubscription(listing),
      payments: purchases.filter(({ kind, place_id }) => kind === "upgrade" && place_id === id),
      updated: url.searchParams.has("updated"),
    });
  },
);

export const action = routeAction({ access: "signed in", params }, changePlan);

export default function Billing() {
  const {
    listing,
    plan,
    state,
    note,
    fixed,
    canceling,
    paidByAnother,
    subscription,
    payments,
    updated,
  } = useLoaderData<typeof loader>();
  const answer = useActionData<typeof action>();
  const problem = answer && "problem" in answer ? answer.problem : null;
  // A new plan can't start before Stripe has ended this one.
  const isOver = plan?.mine === true && isCanceledAndOver(plan);
  return (
    <>
      <PageHeader
        title={<bdi>{listing.name}</bdi>}
        parent={getListingParent()}
        kicker="Plan and payments"
      />
      <ProblemAlert problem={problem} />
      {updated ? (
        <Callout tone="info" title="Thanks! We’re updating this page">
          <p>Your changes will show here within a few seconds.</p>
          <PostForm intent="check-plan">
            <SubmitButton variant="quiet">Check now</SubmitButton>
          </PostForm>
        </Callout>
      ) : null}
      {plan ? (
        <PlanSummary plan={plan} state={state} isRemoved={listing.isRemoved} note={note} />
      ) : null}
      {!plan && subscription ? (
        <Callout tone={subscription.tone} title={subscription.title}>
          {subscription.text}
        </Callout>
      ) : null}
      {paidByAnother ? (
        <Callout tone="info" title="Someone else pays for this plan">
          The account that owned this listing before still pays for its Featured plan, so there’s
          nothing for you to pay. Only that account can change or cancel it.
        </Callout>
      ) : null}
      {!plan && !subscription && !paidByAnother ? (
        <p>This listing isn’t Featured, so there’s nothing to pay for.</p>
      ) : null}
      {plan?.live && !listing.isRemoved && plan.leaves_with === null && !isOver ? (
        <PlanActions
          listing={listing}
          isCanceled={plan.ends_at !== null}
          isUnpaid={plan.mine && plan.status === "past_due"}
          fixed={fixed}
          canceling={canceling}
        />
      ) : (
        <div className="buttons">
          {plan?.leaves_with || isOver ? null : <PlanOffers listing={listing} />}
          {plan?.status === "paused" && !listing.isRemoved ? (
            <PostForm intent="cancel-plan">
              <SubmitButton variant="quiet">Cancel plan</SubmitButton>
            </PostForm>
          ) : null}
          {plan?.live && plan.leaves_with === "account" ? (
            <ButtonLink to={paths.privacy()}>Open Privacy</ButtonLink>
          ) : null}
          {plan?.live && plan.leaves_with === "listing" ? (
            <ButtonLink to={paths.listingVisibility(listing.id)}>
              See your removal request
            </ButtonLink>
          ) : null}
        </div>
      )}
      {payments.length > 0 ? (
        <PurchaseTable caption="Payments for this listing" purchases={payments} />
      ) : null}
    </>
  );
}

/** What can be done about a listing for which the user has no running plan. */
function PlanOffers({ listing }: { listing: SerializeFrom<typeof loader>["listing"] }) {
  return (
    <>
      {listing.isManageable ? <ManageBillingButton listing={listing} /> : null}
      {listing.isUpgradable ? (
        <ButtonLink to={paths.upgrade(listing.id)}>Upgrade now</ButtonLink>
      ) : null}
    </>
  );
}
