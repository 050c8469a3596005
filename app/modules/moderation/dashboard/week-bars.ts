/** The drawing of a queue's last four weeks: a pair of bars for each. */

export const WEEK_BARS = { width: 149, height: 40 };
const BAR = 13;
const GAP = 3;
const WEEK = 40;

/**
 * The outlines of the bars, for the two paths of an SVG: what came in, and what left.
 * @param came by week, oldest first
 * @param left the same
 */
export function drawWeekBars(
  came: readonly number[],
  left: readonly number[],
): { came: string; left: string } {
  const most = Math.max(1, ...came, ...left);
  const draw = (counts: readonly number[], offset: number, inset: number) =>
    counts
      .map((count, week) => {
        // A number above zero has a visible bar.
        const height = count === 0 ? 0 : Math.max(2, Math.round((count / most) * WEEK_BARS.height));
        const [x, y] = [week * WEEK + offset + inset, WEEK_BARS.height - height + inset];
        return height === 0
          ? ""
          : `M${x} ${y}h${BAR - 2 * inset}v${height - 2 * inset}h${2 * inset - BAR}z`;
      })
      .join("");
  return { came: draw(came, 0, 0), left: draw(left, BAR + GAP, 0.75) };
}
