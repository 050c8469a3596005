import { json, redirect, type SerializeFrom } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";

import { ConfirmationPage } from "~/components/layout/confirmation-page";
import { uuidParam } from "~/http/params.server";
import { paths } from "~/http/paths";
import { routeLoader } from "~/http/route.server";
import { isRunning } from "~/modules/ledger/ledger";
import { findOrder } from "~/modules/ledger/order.server";
import { isolate } from "~/text/isolate";

export const handle = {
  title: "End a plan",
  tabTitle: ({ item_name }: SerializeFrom<typeof loader>) =>
    item_name === null ? "End a plan" : `End the plan for ${item_name}`,
};

/** Asks an admin before a customer’s subscription ends at once. The order’s page does it. */
export const loader = routeLoader(
  { access: "admin", params: { order: uuidParam() } },
  async ({ db, params }) => {
    const { id, item_name, owner_name, subscription } = await findOrder(db, params.order);
    if (!isRunning(subscription)) return redirect(paths.adminOrder(id));
    return json({ id, item_name, owner_name });
  },
);

export default function EndSubscription() {
  const { id, item_name, owner_name } = useLoaderData<typeof loader>();
  return (
    <ConfirmationPage
      title={`End ${item_name === null ? "this plan" : `the plan for “${isolate(item_name)}”`} now?`}
      action={paths.adminOrder(id)}
      intent="end-subscription"
      confirmLabel="End plan now"
      tone="danger"
      cancelHref={paths.adminOrder(id)}
      cancelLabel="Go back"
    >
      <p>
        The listing won’t be Featured anymore, and nothing is refunded.
        {owner_name === null
          ? null
          : ` We’ll email ${isolate(owner_name)} that our team has ended the plan.`}
      </p>
      <p>You can’t undo this.</p>
    </ConfirmationPage>
  );
}
