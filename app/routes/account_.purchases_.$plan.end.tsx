import { json, redirect, type SerializeFrom } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";

import { textParam } from "~/http/params.server";
import { paths } from "~/http/paths";
import { routeLoader } from "~/http/route.server";
import { EndPlanQuestion } from "~/modules/billing/end-plan-question";
import { listPlansOfOthers, noSuchPlan } from "~/modules/billing/plans-of-others.server";

export const handle = {
  title: "End a plan",
  tabTitle: ({ listing }: SerializeFrom<typeof loader>) => `End the plan for ${listing}`,
};

const params = { plan: textParam(/^sub_\w{1,250}$/, noSuchPlan) };

/** Asks before a plan for someone else's listing ends at once, because it isn't paid up. The purchases page does it. */
export const loader = routeLoader({ access: "signed in", params }, async ({ db, params }) => {
  const plans = await listPlansOfOthers(db);
  const plan = plans.find(({ subscription }) => subscription === params.plan);
  if (!plan) return redirect(paths.purchases());
  const { subscription, listing, status, awaits_payment } = plan;
  return json({ subscription, listing, plan: { status, awaits_payment } });
});

export default function EndPlanOfOther() {
  const { subscription, listing, plan } = useLoaderData<typeof loader>();
  return (
    <EndPlanQuestion
      listing={listing}
      plan={plan}
      billingPage={paths.purchases()}
      subscription={subscription}
    />
  );
}
