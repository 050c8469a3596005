import { useActionData, useLoaderData } from "@remix-run/react";

import { routeAction, routeLoader } from "~/http/route.server";
import { ReviewDesk } from "~/modules/moderation/review-desk";
import { deskActions, reviewDesk } from "~/modules/moderation/review-desk.server";

export const handle = { title: "Flagged" };

export const loader = routeLoader({ access: "admin" }, (context) => reviewDesk(context, "flagged"));
export const action = routeAction({ access: "admin" }, deskActions("flagged"));

export default function AdminFlagged() {
  return (
    <ReviewDesk
      title="Flagged"
      subtitle="Listings that the team has set aside."
      desk={useLoaderData<typeof loader>()}
      answer={useActionData<typeof action>()}
    />
  );
}
