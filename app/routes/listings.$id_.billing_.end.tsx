import { json, redirect, type SerializeFrom } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";

import { rowIdParam } from "~/http/params.server";
import { paths } from "~/http/paths";
import { routeLoader } from "~/http/route.server";
import { EndPlanQuestion } from "~/modules/billing/end-plan-question";
import { findListingBilling, findListingPlan } from "~/modules/billing/plan.server";
import { canBeUpgraded } from "~/modules/billing/rules";
import { noSuchListing } from "~/modules/listings/listing.server";

export const handle = {
  title: "End a plan",
  tabTitle: ({ listing }: SerializeFrom<typeof loader>) => `End the plan for ${listing.name}`,
};

/** Asks before a plan that isn't paid up ends at once. The billing page does it. */
export const loader = routeLoader(
  { access: "signed in", params: { id: rowIdParam(noSuchListing) } },
  async ({ db, params, session }) => {
    const [listing, plan] = await Promise.all([
      findListingBilling(db, session.user.id, params.id),
      findListingPlan(db, params.id),
    ]);
    if (!plan?.mine || !(plan.live || plan.status === "paused"))
      return redirect(paths.billing(params.id));
    const { id, name } = listing;
    const { status, awaits_payment } = plan;
    return json({
      listing: { id, name, isUpgradable: canBeUpgraded(listing) },
      plan: { status, awaits_payment },
    });
  },
);

export default function EndPlan() {
  const { listing, plan } = useLoaderData<typeof loader>();
  return (
    <EndPlanQuestion
      listing={listing.name}
      plan={plan}
      billingPage={paths.billing(listing.id)}
      canBuyAgain={listing.isUpgradable}
    />
  );
}
