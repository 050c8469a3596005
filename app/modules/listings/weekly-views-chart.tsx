import { formatNumber } from "~/text/counts";

import { ViewChange } from "./view-change";
import { CHART, drawBars, sumFourWeeks, toWeeks } from "./weekly-views";

interface WeeklyViewsChartProps {
  /** The listing's name, for screen readers. */
  about: string;
  /** By week, oldest first, the current week last. */
  views: readonly number[];
  /** The Monday of the current week. */
  week: string;
}

/**
 * A listing's views over twelve weeks: a drawing, the last four with their change, and a table that opens. The drawing
 * is decoration, because the table says everything that it shows.
 */
export function WeeklyViewsChart({ about, views, week }: WeeklyViewsChartProps) {
  const weeks = toWeeks(views, week);
  const { recent, others } = drawBars(views);
  const past = sumFourWeeks([views]);
  return (
    <div className="weekly-views">
      <svg
        viewBox={`0 0 ${CHART.width} ${CHART.height}`}
        preserveAspectRatio="none"
        strokeWidth={CHART.bar}
        aria-hidden="true"
      >
        <path d={others} className="others" />
        <path d={recent} />
      </svg>
      <details>
        <summary>
          <span>
            {`${formatNumber(past.views)} in the past 4 weeks `}
            {past.percent === null ? null : <ViewChange percent={past.percent} />}
          </span>{" "}
          <span className="link-like screen-only">By week</span>
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
