import { Link } from "react-router-dom";

import { AttentionItem } from "~/components/ui/attention-item";
import { paths } from "~/http/paths";
import { formatNumber } from "~/text/counts";

import { describeAttention, getTaskName, type AttentionTask } from "./attention";

interface AttentionPanelProps {
  /** The most urgent ones. */
  tasks: readonly AttentionTask[];
  /** How many there are in all. */
  count: number;
}

/** What needs the user's attention, above their listings: sentences with one button each. */
export function AttentionPanel({ tasks, count }: AttentionPanelProps) {
  if (tasks.length === 0) return null;
  const more = count - tasks.length;
  return (
    <section className="attention" aria-labelledby="attention">
      <h2 id="attention">
        Needs your attention <span className="pill">{formatNumber(count)}</span>
      </h2>
      <ul>
        {tasks.map((task) => {
          const { before, after, action, to, icon, tone } = describeAttention(task);
          const name = getTaskName(task);
          return (
            <AttentionItem
              key={task.id ?? task.draft}
              icon={icon}
              tone={tone}
              before={before}
              name={name}
              after={after}
              button={{ action, to, about: name }}
            />
          );
        })}
      </ul>
      {more > 0 ? (
        <p className="and-more">
          <Link to={paths.listingsPage({ show: "attention" })}>and {formatNumber(more)} more</Link>
        </p>
      ) : null}
    </section>
  );
}
