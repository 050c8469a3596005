import { json } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";

import { Badge } from "~/components/ui/badge";
import { ButtonLink } from "~/components/ui/button";
import { PageHeader } from "~/components/ui/page-header";
import { TextLink } from "~/components/ui/text-link";
import { env } from "~/env.server";
import { paths } from "~/http/paths";
import { routeAction, routeLoader } from "~/http/route.server";
import { auditTrail } from "~/modules/audit/audit-log.server";
import { AuditTrail } from "~/modules/audit/audit-trail";
import { getJobBadges } from "~/modules/jobs/rules";
import { previewAddress } from "~/modules/listings/dashboard-rules";
import { revealContact, userId } from "~/modules/users/user-list.server";
import { UserBusinesses, UserDetails, UserJobs } from "~/modules/users/user-profile";
import { noSuchUser, userProfile } from "~/modules/users/user-profile.server";

export const handle = { title: "User" };

export const loader = routeLoader({ access: "admin" }, async ({ db, params, session }) => {
  const id = userId(params.user);
  if (id === null) throw noSuchUser();
  const [{ places, jobs, ...user }, trail] = await Promise.all([
    userProfile(db, id),
    auditTrail(db, "profiles", id),
  ]);
  const now = new Date();
  return json({
    user,
    businesses: places.map((place) => ({
      ...place,
      map: previewAddress(env().directoryListingUrl, place),
    })),
    jobs: jobs.map((job) => ({
      id: job.id,
      title: job.title,
      badges: getJobBadges(job, now),
      expires: job.expiration_date,
    })),
    trail,
    self: id === session.user.id,
  });
});

export const action = routeAction(
  { access: "admin" },
  {
    reveal: async ({ db, params }) => {
      const revealed = await revealContact(db, userId(params.user));
      if (!revealed) throw noSuchUser();
      return json({ revealed });
    },
  },
);

export default function AdminUser() {
  const { user, businesses, jobs, trail, self } = useLoaderData<typeof loader>();
  const answer = useActionData<typeof action>();
  return (
    <div className="sections">
      <PageHeader
        kicker={<TextLink to={paths.adminUsers()}>Users</TextLink>}
        title={user.name ?? "No name given"}
        subtitle={user.admin ? <Badge>Admin</Badge> : undefined}
      />
      <UserDetails
        user={user}
        revealed={answer && "revealed" in answer ? answer.revealed : undefined}
      />
      <section aria-labelledby="businesses">
        <h2 id="businesses">Businesses</h2>
        <UserBusinesses businesses={businesses} total={user.places_count} />
      </section>
      <section aria-labelledby="jobs">
        <h2 id="jobs">Jobs</h2>
        <UserJobs jobs={jobs} total={user.jobs_count} />
      </section>
      <AuditTrail entries={trail} subject="profiles" id={user.id} />
      <p className="links">
        <TextLink to={paths.adminAudit({ who: user.id })}>Everything this person did</TextLink>
      </p>
      {self ? null : (
        <section aria-labelledby="delete">
          <h2 id="delete">Delete this account</h2>
          <p className="hint mb-4">
            You are shown what will happen, and asked, before anything is deleted.
          </p>
          <ButtonLink variant="danger" to={paths.deleteUser(user.id)}>
            Permanently Delete
          </ButtonLink>
        </section>
      )}
    </div>
  );
}
