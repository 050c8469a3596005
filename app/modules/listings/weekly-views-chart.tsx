import { formatNumber } from "~/text/counts";

import { CHART, drawBars, summarizeWeeks, toWeeks } from "./weekly-views";

interface WeeklyViewsChartProps {
  /** The listing's name, for screen readers. */
  about: string;
  /** By week, oldest first, the current week last, joined with commas. */
  views: string;
  /** The Monday of the current week. */
  week: string;
}

/**
 * A listing's views over twelve weeks: a drawing, a sentence, and a table that opens. The drawing is
 * decoration, because the sentence and the table say everything that it shows.
 */
export function WeeklyViewsChart({ about, views, week }: WeeklyViewsChartProps) {
  const counts = views.split(",").map(Number);
  const weeks = toWeeks(counts, week);
  const { past, current } = drawBars(counts);
  return (
    <div className="weekly-views">
      <svg
        viewBox={`0 0 ${CHART.width} ${CHART.height}`}
        preserveAspectRatio="none"
        strokeWidth={CHART.bar}
        aria-hidden="true"
      >
        <path d={past} />
        <path d={current} className="running" />
      </svg>
      <details>
        <summary>
          {summarizeWeeks(weeks)} <span className="link-like">Week by week</span>
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
                <td>{formatNumber(count)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </div>
  );
}
