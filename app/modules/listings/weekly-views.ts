/** The chart of a listing's views over twelve weeks: its summary and its bars. Pure. */

import { formatCount, formatNumber } from "~/text/counts";
import { calendarDay, DAY_MS, formatShortDate } from "~/text/dates";

interface WeekOfViews {
  /** The Monday it begins on: "2026-11-16". */
  begins: string;
  /** "Nov 16" */
  label: string;
  views: number;
}

/**
 * Names each count by its week.
 * @param views by week, oldest first, the current week last
 * @param week the Monday of the current week: "2026-11-16"
 */
export function toWeeks(views: readonly number[], week: string): WeekOfViews[] {
  const last = Date.parse(`${week}T00:00:00Z`);
  return views.map((count, index) => {
    const begins = new Date(last - (views.length - 1 - index) * 7 * DAY_MS);
    return { begins: calendarDay(begins), label: formatShortDate(begins), views: count };
  });
}

/**
 * "412 views in 12 weeks, most in the week of Nov 2 (61)." The current week is not over, so it is
 * never the one with the most.
 */
export function summarizeWeeks(weeks: readonly WeekOfViews[]): string {
  const total = weeks.reduce((sum, { views }) => sum + views, 0);
  const summary = `${formatCount(total, "view")} in ${weeks.length} weeks`;
  const best = weeks
    .slice(0, -1)
    .reduce<WeekOfViews | null>(
      (most, week) => (week.views > (most?.views ?? 0) ? week : most),
      null,
    );
  return best && total > 1
    ? `${summary}, most in the week of ${best.label} (${formatNumber(best.views)}).`
    : `${summary}.`;
}

/** The size of the chart and the width of a bar, in the units of its viewBox. */
export const CHART = { width: 240, height: 48, bar: 16 } as const;
/** A week without views has a bar too, so that it shows. */
const MIN_BAR_HEIGHT = 1;

/**
 * The bars of the chart as SVG paths, each bar a stroke from the bottom up: the weeks that are over,
 * and the current week. The tallest bar fills the height.
 */
export function drawBars(views: readonly number[]): { past: string; current: string } {
  const step = (CHART.width - CHART.bar) / Math.max(views.length - 1, 1);
  const most = Math.max(...views, 1);
  const bars = views.map((count, index) => {
    const x = Math.round(10 * (CHART.bar / 2 + index * step)) / 10;
    const height = Math.max(Math.round((count / most) * CHART.height), MIN_BAR_HEIGHT);
    return `M${x} ${CHART.height}v-${height}`;
  });
  return { past: bars.slice(0, -1).join(""), current: bars.at(-1) ?? "" };
}
