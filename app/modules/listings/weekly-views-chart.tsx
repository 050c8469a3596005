import { barsOf, CHART, weeksInWords, weeksOf } from "./weekly-views";

interface WeeklyViewsChartProps {
  /** The listing's name, for those who hear which chart this is. */
  about: string;
  /** By week, the oldest first and the running week last, with commas between. */
  views: string;
  /** The Monday of the running week. */
  week: string;
}

/**
 * A listing's views over twelve weeks: drawn, said in a sentence, and as a table to open. The drawing is decoration,
 * since the sentence and the table say all of it.
 */
export function WeeklyViewsChart({ about, views, week }: WeeklyViewsChartProps) {
  const counts = views.split(",").map(Number);
  const weeks = weeksOf(counts, week);
  const { past, running } = barsOf(counts);
  return (
    <div className="weekly-views">
      <svg
        viewBox={`0 0 ${CHART.width} ${CHART.height}`}
        preserveAspectRatio="none"
        strokeWidth={CHART.bar}
        aria-hidden="true"
      >
        <path d={past} />
        <path d={running} className="running" />
      </svg>
      <details>
        <summary>
          {weeksInWords(weeks)} <span className="link-like">Week by week</span>
        </summary>
        <table aria-label={`Views by week: ${about}`}>
          <thead>
            <tr>
              <th scope="col">Week of</th>
              <th scope="col">Views</th>
            </tr>
          </thead>
          <tbody>
            {weeks.map(({ begins, label, views: count }, index) => (
              <tr key={begins}>
                <th scope="row">{index === weeks.length - 1 ? `${label}, so far` : label}</th>
                <td>{count.toLocaleString("en-US")}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </div>
  );
}
