import { json } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";

import { paths } from "~/http/paths";
import { routeLoader } from "~/http/route.server";
import { ExportConfirmation } from "~/modules/exports/export-confirmation";
import { listUsers, parseUserFilter } from "~/modules/users/users.server";
import { formatCount } from "~/text/counts";

export const handle = { title: "Download users" };

export const loader = routeLoader({ access: "admin" }, async ({ db, url }) => {
  const filter = parseUserFilter(url.searchParams);
  const { total } = await listUsers(db, filter, {}, 1);
  return json({ filter, total });
});

export default function ExportUsers() {
  const { filter, total } = useLoaderData<typeof loader>();
  return (
    <ExportConfirmation
      title={`Download ${formatCount(total, "user")} with their contact details?`}
      contents="The file includes each person’s name, pronouns, email address, phone number, postal code and opt-ins."
      csv={paths.adminUsersCsv(filter)}
      list={paths.adminUsers(filter)}
    />
  );
}
