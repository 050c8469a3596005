import { json } from "@remix-run/node";
import { Link, useLoaderData } from "@remix-run/react";

import { PageHeader } from "~/components/ui/page-header";
import { Stats } from "~/components/ui/stats";
import { TextLink } from "~/components/ui/text-link";
import { paths } from "~/http/paths";
import { routeLoader } from "~/http/route.server";
import { JOB_STATE_LABELS } from "~/modules/jobs/rules";
import { getStatusLabel } from "~/modules/listings/rules";
import { getAdminDashboard } from "~/modules/moderation/queue/dashboard.server";
import { formatCount, formatNumber } from "~/text/counts";
import { DAY_MS, formatShortDate } from "~/text/dates";

export const handle = { title: "Admin Dashboard" };

export const loader = routeLoader({ access: "admin" }, async ({ db }) =>
  json({ ...(await getAdminDashboard(db)), now: Date.now() }),
);

export default function AdminDashboard() {
  const { places, users, jobs, queues, feedback, reports, longest, now } =
    useLoaderData<typeof loader>();
  const linked = (label: string, count: number, to: string) => {
    const number = formatNumber(count);
    return {
      label,
      value: (
        <Link to={to} discover="none" aria-label={`${label}: ${number}`}>
          {number}
        </Link>
      ),
    };
  };
  const waits = [
    { what: "New listings", to: paths.adminNew(), since: queues.new.oldest?.since },
    {
      what: "Pending updates",
      to: paths.adminPending(),
      since: queues["pending-update"].oldest?.since,
    },
    { what: "Flagged listings", to: paths.adminFlagged(), since: queues.flagged.oldest?.since },
    {
      what: "Removal requests",
      to: paths.adminListings({ archive: "requested" }),
      since: queues["archive-requested"].oldest?.since,
    },
    { what: "App feedback", to: paths.adminFeedback(), since: feedback.oldest },
    { what: "User reports", to: paths.adminReports(), since: reports.oldest },
  ].flatMap(({ since, ...rest }) => (since ? [{ ...rest, since }] : []));
  return (
    <div className="sections">
      <PageHeader title="Admin Dashboard" subtitle="Directory overview and review queue." />
      <section aria-labelledby="places">
        <h2 id="places">Listings</h2>
        <Stats
          stats={[
            linked("New listings", places.new, paths.adminNew()),
            linked("Pending updates", places["pending-update"], paths.adminPending()),
            linked("Flagged", places.flagged, paths.adminFlagged()),
            linked("Published", places.published, paths.adminListings({ status: "published" })),
            linked("Archived", places.archived, paths.adminListings({ status: "archived" })),
            linked("Featured", places.premium, paths.adminPremium()),
            linked(
              "Removal requests",
              places["archive-requested"],
              paths.adminListings({ archive: "requested" }),
            ),
            linked("All listings", places.total, paths.adminListings()),
          ]}
        />
      </section>
      <section aria-labelledby="people">
        <h2 id="people">Users and jobs</h2>
        <Stats
          stats={[
            linked("Users", users.count, paths.adminUsers()),
            linked("Jobs", jobs.total, paths.adminJobs()),
            linked(
              JOB_STATE_LABELS.published,
              jobs.published,
              paths.adminJobs({ state: "published" }),
            ),
            linked(
              JOB_STATE_LABELS["pending-payment"],
              jobs.unpaid,
              paths.adminJobs({ state: "pending-payment" }),
            ),
            linked(
              JOB_STATE_LABELS.unpublished,
              jobs.unpublished,
              paths.adminJobs({ state: "unpublished" }),
            ),
            linked(JOB_STATE_LABELS.expired, jobs.expired, paths.adminJobs({ state: "expired" })),
          ]}
        />
      </section>
      <section aria-labelledby="waits">
        <h2 id="waits">Waiting for review</h2>
        {waits.length === 0 ? <p>Nothing is waiting for review.</p> : null}
        <dl className="details-list max-w-3xl">
          {waits.map(({ what, to, since }) => (
            <div key={what}>
              <dt>
                <TextLink to={to}>{what}</TextLink>
              </dt>
              <dd>
                Oldest: <WaitingSince since={since} now={now} />
              </dd>
            </div>
          ))}
        </dl>
      </section>
      {longest.length === 0 ? null : (
        <section aria-labelledby="longest">
          <h2 id="longest">Listings waiting longest</h2>
          <dl className="details-list max-w-3xl">
            {longest.map(({ id, name, status, since }) => (
              <div key={id}>
                <dt>
                  <Link
                    to={paths.adminReview(id, { view: status === "new" ? "new" : "pending" })}
                    discover="none"
                  >
                    <bdi>{name}</bdi>
                  </Link>
                </dt>
                <dd>
                  {getStatusLabel(status)}: <WaitingSince since={since} now={now} />
                </dd>
              </div>
            ))}
          </dl>
        </section>
      )}
    </div>
  );
}

interface WaitingSinceProps {
  /** An ISO time. */
  since: string;
  /** In milliseconds. */
  now: number;
}

/** How long something has waited, and since which day: "12 days (Nov 3)". */
function WaitingSince({ since, now }: WaitingSinceProps) {
  const days = Math.max(0, Math.floor((now - Date.parse(since)) / DAY_MS));
  return (
    <>
      {days === 0 ? "less than a day" : formatCount(days, "day")} (
      <time dateTime={since}>{formatShortDate(since)}</time>)
    </>
  );
}
