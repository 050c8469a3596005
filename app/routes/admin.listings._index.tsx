import { useActionData, useLoaderData } from "@remix-run/react";

import { routeAction, routeLoader } from "~/http/route.server";
import { ReviewDesk } from "~/modules/moderation/review-desk";
import { deskActions, reviewDesk } from "~/modules/moderation/review-desk.server";

export const handle = { title: "All Listings" };

export const loader = routeLoader({ access: "admin" }, (context) => reviewDesk(context, "all"));
export const action = routeAction({ access: "admin" }, deskActions("all"));

export default function AdminListings() {
  return (
    <ReviewDesk
      title="All Listings"
      subtitle="Every listing of the directory, whatever its status."
      desk={useLoaderData<typeof loader>()}
      answer={useActionData<typeof action>()}
    />
  );
}
