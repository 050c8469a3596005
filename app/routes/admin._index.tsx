import { json } from "@remix-run/node";
import { Link, useLoaderData } from "@remix-run/react";

import { PageHeader } from "~/components/ui/page-header";
import { Stats } from "~/components/ui/stats";
import { paths } from "~/http/paths";
import { routeLoader } from "~/http/route.server";
import { directoryCounts } from "~/modules/moderation/dashboard.server";

export const handle = { title: "Admin Dashboard" };

export const loader = routeLoader({ access: "admin" }, async ({ db }) => json(await directoryCounts(db)));

export default function AdminDashboard() {
  const { places, users, jobs } = useLoaderData<typeof loader>();
  const number = (count: number | undefined) => (count ?? 0).toLocaleString("en");
  return (
    <>
      <PageHeader title="Admin Dashboard" subtitle="How the directory stands, and what waits for you." />
      <h2>Waiting for you</h2>
      <Stats
        stats={[
          { label: "New listings", value: <Link to={paths.adminNew()}>{number(places.new)}</Link> },
          { label: "Pending updates", value: <Link to={paths.adminPending()}>{number(places["pending-update"])}</Link> },
        ]}
      />
      <h2>In the directory</h2>
      <Stats
        stats={[
          { label: "Published", value: number(places.published) },
          { label: "Flagged", value: number(places.flagged) },
          { label: "Archived", value: number(places.archived) },
          { label: "Featured", value: number(places.premium) },
          { label: "Users", value: number(users) },
          { label: "Jobs", value: number(jobs.total) },
        ]}
      />
    </>
  );
}
