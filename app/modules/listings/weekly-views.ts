/** The views of twelve weeks, made ready for drawing and for reading. Pure. */

export interface WeekOfViews {
  /** The Monday it begins on, "2026-11-16". */
  begins: string;
  /** "Nov 16" */
  label: string;
  views: number;
}

const shortDay = new Intl.DateTimeFormat("en-US", {
  month: "short",
  day: "numeric",
  timeZone: "UTC",
});
const DAY_MS = 86_400_000;

/**
 * Names each count by its week.
 * @param views by week, the oldest first and the running week last
 * @param week the Monday of the running week, "2026-11-16"
 */
export function weeksOf(views: readonly number[], week: string): WeekOfViews[] {
  const last = Date.parse(`${week}T00:00:00Z`);
  return views.map((count, index) => {
    const begins = new Date(last - (views.length - 1 - index) * 7 * DAY_MS);
    return {
      begins: begins.toISOString().slice(0, 10),
      label: shortDay.format(begins),
      views: count,
    };
  });
}

/** "412 views in 12 weeks, most in the week of Nov 2 (61)." The running week is not over: it can't be the most. */
export function weeksInWords(weeks: readonly WeekOfViews[]): string {
  const total = weeks.reduce((sum, { views }) => sum + views, 0);
  const said = `${total.toLocaleString("en-US")} ${total === 1 ? "view" : "views"} in ${weeks.length} weeks`;
  const best = weeks
    .slice(0, -1)
    .reduce<WeekOfViews | null>(
      (most, week) => (week.views > (most?.views ?? 0) ? week : most),
      null,
    );
  return best && total > 1
    ? `${said}, most in the week of ${best.label} (${best.views.toLocaleString("en-US")}).`
    : `${said}.`;
}

/** The size of the drawing and the width of a bar, in the drawing's own units. */
export const CHART = { width: 240, height: 48, bar: 16 } as const;
/** So that a week without views is seen to be there. */
const LEAST = 1;

/**
 * The bars of the chart as strokes from the bottom up: of the weeks that are over, and of the running one. The tallest
 * bar fills the height.
 */
export function barsOf(views: readonly number[]): { past: string; running: string } {
  const step = (CHART.width - CHART.bar) / Math.max(views.length - 1, 1);
  const most = Math.max(...views, 1);
  const bars = views.map((count, index) => {
    const x = Math.round(10 * (CHART.bar / 2 + index * step)) / 10;
    return `M${x} ${CHART.height}v-${Math.max(Math.round((count / most) * CHART.height), LEAST)}`;
  });
  return { past: bars.slice(0, -1).join(""), running: bars.at(-1) ?? "" };
}
