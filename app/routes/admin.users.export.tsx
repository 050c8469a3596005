import { json } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";

import { paths } from "~/http/paths";
import { routeLoader } from "~/http/route.server";
import { ExportConfirmation } from "~/modules/exports/export-confirmation";
import { userFilter, usersPage } from "~/modules/users/user-list.server";

export const handle = { title: "Download users" };

export const loader = routeLoader({ access: "admin" }, async ({ db, url }) => {
  const filter = userFilter(url.searchParams);
  const { total } = await usersPage(db, filter, {}, 1);
  return json({ filter, total });
});

export default function ExportUsers() {
  const { filter, total } = useLoaderData<typeof loader>();
  const count = `${total.toLocaleString("en")} ${total === 1 ? "user" : "users"}`;
  return (
    <ExportConfirmation
      title={`Download ${count} with their contact details?`}
      holds="The file holds each one’s name, pronouns, e-mail address, phone number, postal code and opt-ins."
      csv={paths.adminUsersCsv(filter)}
      list={paths.adminUsers(filter)}
    />
  );
}
