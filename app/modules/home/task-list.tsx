import { AttentionItem } from "~/components/ui/attention-item";
import { paths } from "~/http/paths";

import type { Task } from "./home.server";
import { describeTask } from "./rules";

const toAttention = () => paths.listingsPage({ show: "attention" });
const toListing = ({ count, id }: Task) => (count === 1 ? paths.listing(id) : toAttention());

/** Where the next step is: the page of a single item, or the list of several. */
const TASK_PATHS: Record<Task["kind"], (task: Task) => string> = {
  "payment-failed": ({ count, id }) => (count === 1 ? paths.billing(id) : toAttention()),
  "changes-requested": toListing,
  incomplete: toListing,
  "to-claim": toListing,
  "job-expiring": () => paths.jobs(),
  "unpaid-job": ({ unpayable, count, id }) =>
    unpayable && count === 1 ? paths.jobStatus(id) : paths.jobs(),
  "new-leads": ({ count, id }) => (count === 1 ? paths.lead(id) : paths.leads({ state: "new" })),
};

/** What waits for the user, each with its next step. Nothing if nothing waits. */
export function TaskList({ tasks }: { tasks: Task[] }) {
  if (tasks.length === 0) return null;
  return (
    <section className="attention" aria-labelledby="needs">
      <h2 id="needs">
        Needs your attention <span className="pill">{tasks.length}</span>
      </h2>
      <ul>
        {tasks.map((task) => {
          const { before, name, after, action, about, icon, tone } = describeTask(task);
          const to = TASK_PATHS[task.kind](task);
          return (
            <AttentionItem
              key={`${task.kind} ${task.unpayable}`}
              icon={icon}
              tone={tone}
              before={before}
              name={name}
              after={after}
              button={{ action, to, about }}
            />
          );
        })}
      </ul>
    </section>
  );
}
