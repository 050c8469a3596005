import { useActionData, useLoaderData } from "@remix-run/react";

import { routeAction, routeLoader } from "~/http/route.server";
import { ReviewDesk } from "~/modules/moderation/review-desk";
import { deskActions, reviewDesk } from "~/modules/moderation/review-desk.server";

export const handle = { title: "Pending Updates" };

export const loader = routeLoader({ access: "admin" }, (context) => reviewDesk(context, "pending"));
export const action = routeAction({ access: "admin" }, deskActions("pending"));

export default function AdminPending() {
  return (
    <ReviewDesk
      title="Pending Updates"
      subtitle="Edits of published listings. What the public sees stays as it was until you approve."
      desk={useLoaderData<typeof loader>()}
      answer={useActionData<typeof action>()}
    />
  );
}
