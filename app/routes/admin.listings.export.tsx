import { json } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";

import { paths } from "~/http/paths";
import { routeLoader } from "~/http/route.server";
import { ExportConfirmation } from "~/modules/exports/export-confirmation";
import { parseFilter, queuePath } from "~/modules/moderation/queue/filter";
import { listListings } from "~/modules/moderation/queue/listings.server";

export const handle = { title: "Download listings" };

export const loader = routeLoader({ access: "admin" }, async ({ db, url }) => {
  const filter = parseFilter(url.searchParams);
  const { totalLabel } = await listListings(db, filter, { size: 1, after: null, before: null });
  return json({ filter, totalLabel });
});

export default function ExportListings() {
  const { filter, totalLabel } = useLoaderData<typeof loader>();
  return (
    <ExportConfirmation
      title={`Download ${totalLabel} with owner emails?`}
      contents="The file has everything in each listing, plus what isn’t public: its owner’s email address, its mailing address, and its exact address if the map shows only an approximate location."
      csv={paths.adminListingsCsv(filter)}
      list={queuePath(filter)}
    />
  );
}
