import { json, type SerializeFrom } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";

import { Badge } from "~/components/ui/badge";
import { ButtonLink } from "~/components/ui/button";
import { PageHeader } from "~/components/ui/page-header";
import { TextLink } from "~/components/ui/text-link";
import { env } from "~/env.server";
import { uuidParam } from "~/http/params.server";
import { paths } from "~/http/paths";
import { routeAction, routeLoader } from "~/http/route.server";
import { listAuditTrail } from "~/modules/audit/audit-log.server";
import AuditTrail from "~/modules/audit/audit-trail";
import { findPendingPayments } from "~/modules/jobs/pending-payments.server";
import { getJobBadges } from "~/modules/jobs/rules";
import { getPreviewUrl } from "~/modules/listings/dashboard-rules";
import { UserBusinesses, UserDetails, UserJobs } from "~/modules/users/user-profile";
import { getUser, noSuchUser, revealContact } from "~/modules/users/users.server";
import { formatCount } from "~/text/counts";

export const handle = {
  title: "User",
  tabTitle: ({ user }: SerializeFrom<typeof loader>) => `User: ${user.name ?? "No name given"}`,
};

const params = { user: uuidParam(noSuchUser) };

export const loader = routeLoader({ access: "admin", params }, async ({ db, params, session }) => {
  const [{ places, jobs, ...user }, trail, pending] = await Promise.all([
    getUser(db, params.user),
    listAuditTrail(db, "profiles", params.user),
    findPendingPayments(db, { owner: params.user }),
  ]);
  const now = new Date();
  return json({
    user,
    businesses: places.map((place) => ({
      ...place,
      map: getPreviewUrl(env().directoryListingUrl, {
        id: place.id,
        onMap: Boolean(place.proxi_id) && !place.hidden,
      }),
    })),
    jobs: jobs.map((job) => ({
      id: job.id,
      title: job.title,
      badges: getJobBadges({ ...job, payment_pending: pending.has(job.id) }, now),
      expires: job.expiration_date,
    })),
    trail,
    self: user.id === session.user.id,
  });
});

export const action = routeAction(
  { access: "admin", params },
  { reveal: async ({ db, params }) => json({ revealed: await revealContact(db, params.user) }) },
);

export default function AdminUser() {
  const { user, businesses, jobs, trail, self } = useLoaderData<typeof loader>();
  const answer = useActionData<typeof action>();
  return (
    <div className="sections">
      <PageHeader
        parent={{ to: paths.adminUsers(), label: "Users" }}
        title={<bdi>{user.name ?? "No name given"}</bdi>}
        subtitle={user.admin ? <Badge>Admin</Badge> : undefined}
      />
      <UserDetails
        user={user}
        revealed={answer && "revealed" in answer ? answer.revealed : undefined}
      />
      <section>
        <h2>
          {user.places_count === 0
            ? "Businesses"
            : formatCount(user.places_count, "business", "businesses")}
        </h2>
        <UserBusinesses businesses={businesses} total={user.places_count} />
      </section>
      <section>
        <h2>{user.jobs_count === 0 ? "Jobs" : formatCount(user.jobs_count, "job")}</h2>
        <UserJobs jobs={jobs} total={user.jobs_count} />
      </section>
      <AuditTrail
        entries={trail}
        subject="profiles"
        id={user.id}
        more={<TextLink to={paths.adminAudit({ who: user.id })}>Actions by this person</TextLink>}
      />
      {self ? null : (
        <section className="screen-only" aria-labelledby="delete">
          <h2 id="delete">Delete account</h2>
          <p className="hint mb-2">You’ll see a preview before anything is deleted.</p>
          <ButtonLink variant="quiet" to={paths.deleteUser(user.id)}>
            Permanently Delete
          </ButtonLink>
        </section>
      )}
    </div>
  );
}
