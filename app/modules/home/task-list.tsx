import { Icon } from "~/components/ui/icon";
import { TextLink } from "~/components/ui/text-link";
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
  "unpaid-job": () => paths.jobs(),
  "new-leads": ({ count, id }) => (count === 1 ? paths.lead(id) : paths.leads({ state: "new" })),
};

const ICONS = { problem: "circle-alert", waiting: "clock", info: "info" } as const;

/** What waits for the user, each with its next step. Nothing if nothing waits. */
export function TaskList({ tasks }: { tasks: Task[] }) {
  if (tasks.length === 0) return null;
  return (
    <section className="needs" aria-labelledby="needs">
      <h2 id="needs">Waiting for you</h2>
      <ul>
        {tasks.map((task) => {
          const { text, action, tone } = describeTask(task);
          return (
            <li key={task.kind} className={`need-${tone}`}>
              <Icon name={ICONS[tone]} />
              <p>
                {text}{" "}
                <TextLink to={TASK_PATHS[task.kind](task)} about={task.name}>
                  {action}
                </TextLink>
              </p>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
