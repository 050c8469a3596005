import { json } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";

import { routeAction, routeLoader } from "~/http/route.server";
import { approveListings, chosenListings, statusOf } from "~/modules/moderation/approve.server";
import { ReviewQueue } from "~/modules/moderation/review-queue";
import { waitingListings } from "~/modules/moderation/review-queue.server";

export const handle = { title: "Pending Updates" };

export const loader = routeLoader({ access: "admin" }, async ({ db }) => json(await waitingListings(db, "pending-update")));

export const action = routeAction({ access: "admin" }, {
  approve: async ({ db, form }) => {
    const decisions = await approveListings(db, chosenListings(form));
    return json({ decisions }, { status: statusOf(decisions) });
  },
});

export default function AdminPending() {
  const { rows, total } = useLoaderData<typeof loader>();
  const sent = useActionData<typeof action>();
  return (
    <ReviewQueue
      title="Pending Updates"
      subtitle="Edits of published listings. What the public sees stays as it was until you approve."
      rows={rows}
      total={total}
      sent={sent}
    />
  );
}
