import { useActionData, useLoaderData } from "@remix-run/react";

import { routeAction, routeLoader } from "~/http/route.server";
import { ReviewDesk } from "~/modules/moderation/review-desk";
import { deskActions, reviewDesk } from "~/modules/moderation/review-desk.server";

export const handle = { title: "Premium" };

export const loader = routeLoader({ access: "admin" }, (context) => reviewDesk(context, "premium"));
export const action = routeAction({ access: "admin" }, deskActions("premium"));

export default function AdminPremium() {
  return (
    <ReviewDesk
      title="Premium"
      subtitle="Featured listings, by when they became Featured."
      desk={useLoaderData<typeof loader>()}
      answer={useActionData<typeof action>()}
    />
  );
}
