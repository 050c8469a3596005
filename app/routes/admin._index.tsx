import { json } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";

import { PageHeader } from "~/components/ui/page-header";
import { paths } from "~/http/paths";
import { routeLoader } from "~/http/route.server";
import { JOB_STATE_LABELS } from "~/modules/jobs/rules";
import { getAdminDashboard } from "~/modules/moderation/dashboard/dashboard.server";
import { FactCard } from "~/modules/moderation/dashboard/fact-card";
import { FirstNeeds } from "~/modules/moderation/dashboard/first-needs";
import { QueueCard } from "~/modules/moderation/dashboard/queue-card";
import { listFirstNeeds } from "~/modules/moderation/dashboard/rules";
import { countDaysSince, formatDays } from "~/modules/moderation/rules";
import { formatWeekday } from "~/text/dates";

export const handle = { title: "Admin Dashboard" };

export const loader = routeLoader({ access: "admin" }, async ({ db }) => {
  const dashboard = await getAdminDashboard(db);
  const now = Date.now();
  return json({ ...dashboard, now, needs: listFirstNeeds(dashboard, now) });
});

export default function AdminDashboard() {
  const { needs, now, queues, weeks, feedback, reports, ...all } = useLoaderData<typeof loader>();
  const queue = (name: keyof typeof queues) => ({
    count: queues[name].count,
    oldest: queues[name].oldest?.since ?? null,
    ...weeks[name],
  });
  const removals = paths.adminListings({ archive: "requested" });
  const cards = [
    { title: "Pending updates", to: paths.adminPending(), ...queue("pending-update") },
    { title: "New", to: paths.adminNew(), ...queue("new") },
    { title: "Flagged listings", to: paths.adminFlagged(), ...queue("flagged") },
    { title: "Removal requests", to: removals, ...queue("archive-requested") },
    { title: "User reports", to: paths.adminReports(), ...reports, ...weeks.reports },
    { title: "App feedback", to: paths.adminFeedback(), ...feedback, ...weeks.feedback },
  ];
  return (
    <div className="sections">
      <PageHeader title="Admin Dashboard" subtitle="Directory overview and review queue." />
      <FirstNeeds needs={needs} />
      <section aria-labelledby="queues">
        <div className="queue-legend">
          <h2 id="queues">Queues</h2>{" "}
          <p>
            <i /> Came in
            <span className="sr-only">,</span> <i className="left" /> Left the queue, per week, last
            4 weeks
          </p>
        </div>
        <ul className="queue-cards">
          {cards.map((card) => (
            <QueueCard key={card.title} {...card} now={now} />
          ))}
        </ul>
      </section>
      <Facts {...all} now={now} />
    </div>
  );
}

type FactsProps = Omit<
  ReturnType<typeof useLoaderData<typeof loader>>,
  "needs" | "queues" | "weeks" | "feedback" | "reports" | "no_email" | "failing"
>;

/** How much there is of everything, and who does the work. */
function Facts({ places, users, jobs, newsletters, deciders, longest, now }: FactsProps) {
  const listings = (status: string) => paths.adminListings({ status });
  const inState = (state: keyof typeof JOB_STATE_LABELS) => paths.adminJobs({ state });
  return (
    <div className="queue-cards">
      <FactCard
        id="places"
        title="Listings and users"
        facts={[
          { label: "Published", value: places.published, to: listings("published") },
          { label: "Featured", value: places.premium, to: paths.adminPremium() },
          { label: "Archived", value: places.archived, to: listings("archived") },
          { label: "All listings", value: places.total, to: paths.adminListings() },
          { label: "Users", value: users.count, to: paths.adminUsers() },
        ]}
      />
      <FactCard
        id="jobs"
        title="Jobs"
        facts={[
          {
            label: JOB_STATE_LABELS.published,
            value: jobs.published,
            to: inState("published"),
          },
          {
            label: JOB_STATE_LABELS["pending-payment"],
            value: jobs.unpaid,
            to: inState("pending-payment"),
          },
          {
            label: JOB_STATE_LABELS.unpublished,
            value: jobs.unpublished,
            to: inState("unpublished"),
          },
          { label: JOB_STATE_LABELS.expired, value: jobs.expired, to: inState("expired") },
          { label: "All jobs", value: jobs.total, to: paths.adminJobs() },
        ]}
      />
      <FactCard
        id="newsletters"
        title="Newsletter spots"
        empty="No newsletter is planned in the next four weeks."
        facts={newsletters.next.map(({ date, taken }) => ({
          label: formatWeekday(date),
          value:
            taken >= newsletters.spots
              ? "Full"
              : `${newsletters.spots - taken} of ${newsletters.spots} free`,
          to: paths.adminNewsletters(),
        }))}
      />
      <FactCard
        id="longest"
        title="Waiting longest"
        empty="Nothing is waiting for review."
        facts={longest.map(({ id, name, status, since }) => {
          const days = countDaysSince(since, now);
          return {
            label: name,
            // As in the queues. The name needs the room.
            value: days === 0 ? "today" : formatDays(days),
            to: paths.adminReview(id, { view: status === "new" ? "new" : "pending" }),
          };
        })}
      />
      <FactCard
        id="deciders"
        title="Decisions, last 4 weeks"
        empty="No decisions yet."
        facts={deciders.map(({ id, name, count }) => ({
          label: name ?? "Deleted account",
          value: count,
          to: paths.adminAudit({ who: id }),
        }))}
      />
    </div>
  );
}
