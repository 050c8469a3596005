/** The chart of a listing's views over twelve weeks: what changed, and its bars. Pure. */

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

/** Four weeks are compared with the four before. The current week is not over, so it is in neither. */
const COMPARED_WEEKS = 4;

/** The sums of the last four weeks that are over, and of the four before. */
function sumComparedWeeks(views: readonly number[]): { before: number; recent: number } {
  const sum = (from: number, to: number) => views.slice(from, to).reduce((a, b) => a + b, 0);
  return {
    before: sum(-2 * COMPARED_WEEKS - 1, -COMPARED_WEEKS - 1),
    recent: sum(-COMPARED_WEEKS - 1, -1),
  };
}

/**
 * The views of listings together in the last four weeks that are over, and how much they are above (or below,
 * negative) the four before, in percent: null when there is nothing to compare with.
 */
export function sumFourWeeks(listings: readonly (readonly number[])[]): {
  views: number;
  percent: number | null;
} {
  const all = listings.map(sumComparedWeeks);
  const sum = (of: "before" | "recent") => all.reduce((total, one) => total + one[of], 0);
  return { views: sum("recent"), percent: toPercent(sum("before"), sum("recent")) };
}

const toPercent = (before: number, recent: number): number | null =>
  before === 0 ? null : Math.round((recent / before - 1) * 100);

/** The size of the chart and the width of a bar, in the units of its viewBox. */
export const CHART = { width: 240, height: 18, bar: 15 } as const;
/** A week without views has a bar, too, so that it can be seen. */
const MIN_BAR_HEIGHT = 1;

/**
 * The bars of the chart as SVG paths, each bar a stroke from the bottom up: the last four weeks that are
 * over, and all others. The tallest bar fills the height.
 */
export function drawBars(views: readonly number[]): { recent: string; others: string } {
  const step = (CHART.width - CHART.bar) / Math.max(views.length - 1, 1);
  const most = Math.max(...views, 1);
  const bars = views.map((count, index) => {
    const x = Math.round(10 * (CHART.bar / 2 + index * step)) / 10;
    const height = Math.max(Math.round((count / most) * CHART.height), MIN_BAR_HEIGHT);
    return `M${x} ${CHART.height}v-${height}`;
  });
  return {
    recent: bars.slice(-COMPARED_WEEKS - 1, -1).join(""),
    others: [...bars.slice(0, -COMPARED_WEEKS - 1), ...bars.slice(-1)].join(""),
  };
}
