import { useActionData, useLoaderData } from "@remix-run/react";

import { routeAction, routeLoader } from "~/http/route.server";
import { ReviewDesk } from "~/modules/moderation/review-desk";
import { deskActions, reviewDesk } from "~/modules/moderation/review-desk.server";

export const handle = { title: "New" };

export const loader = routeLoader({ access: "admin" }, (context) => reviewDesk(context, "new"));
export const action = routeAction({ access: "admin" }, deskActions("new"));

export default function AdminNew() {
  return (
    <ReviewDesk
      title="New"
      subtitle="Listings that nobody has decided on yet, the longest waiting first."
      desk={useLoaderData<typeof loader>()}
      answer={useActionData<typeof action>()}
    />
  );
}
