import { json } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";

import { FilterField, FilterForm } from "~/components/forms/filter-form";
import { EmptyState } from "~/components/ui/empty-state";
import { PageHeader } from "~/components/ui/page-header";
import { Pagination } from "~/components/ui/pagination";
import { readField } from "~/http/form.server";
import { readTimePosition, pageLinks, type PagePosition } from "~/http/pagination";
import { paths } from "~/http/paths";
import { routeAction, routeLoader } from "~/http/route.server";
import { ExportLinks } from "~/modules/exports/export-links";
import { UserTable } from "~/modules/users/user-table";
import {
  listUsers,
  noSuchUser,
  parseUserFilter,
  revealContact,
} from "~/modules/users/users.server";
import { formatCount } from "~/text/counts";
import { parseUuid } from "~/text/uuid";

export const handle = { title: "Users" };

export const loader = routeLoader({ access: "admin" }, async ({ db, url }) => {
  const filter = parseUserFilter(url.searchParams);
  const position = readTimePosition(url.searchParams, "time and uuid");
  const { rows, total, ...cursors } = await listUsers(db, filter, position);
  const pathAt = (at: PagePosition) => paths.adminUsers({ ...filter, ...at });
  return json({
    filter,
    users: rows,
    total,
    here: pathAt(position),
    pages: pageLinks(pathAt, cursors),
  });
});

export const action = routeAction(
  { access: "admin" },
  {
    reveal: async ({ db, form }) => {
      const id = parseUuid(readField(form, "person"));
      if (id === null) throw noSuchUser();
      return json({ revealed: await revealContact(db, id) });
    },
  },
);

export default function AdminUsers() {
  const { filter, users, total, here, pages } = useLoaderData<typeof loader>();
  const answer = useActionData<typeof action>();
  const revealed = answer && "revealed" in answer ? answer.revealed : undefined;
  const filtered = filter.name !== "" || filter.email !== "";
  const count = formatCount(total, "user");
  return (
    <>
      <PageHeader
        title="Users"
        subtitle="All accounts, newest first. Contact details are masked; viewing them is logged."
      />
      <FilterForm
        action={paths.adminUsers()}
        label="Search users"
        found={`${count} found`}
        showAll={filtered ? paths.adminUsers() : undefined}
      >
        <FilterField name="name" label="Name" value={filter.name} />
        <FilterField name="email" label="Email" value={filter.email} />
      </FilterForm>
      {users.length === 0 ? (
        <EmptyState title="No users found">Check the spelling or try fewer words.</EmptyState>
      ) : (
        <UserTable
          caption={filtered ? `${count} found` : count}
          users={users}
          here={here}
          revealed={revealed}
        />
      )}
      <Pagination
        label="Users, pages"
        position={`${formatCount(users.length, "user")} on this page`}
        {...pages}
      />
      {users.length > 0 ? (
        <ExportLinks
          what="users"
          csv={paths.adminUsersCsv(filter)}
          whole={paths.adminUsersExport(filter)}
        />
      ) : null}
    </>
  );
}
