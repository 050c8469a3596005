import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { CHART, drawBars, summarizeWeeks, toWeeks } from "~/modules/listings/weekly-views";

const weeks = (views: number[]) => toWeeks(views, "2026-11-16");

describe("the weeks of the chart", () => {
  it("begin on Mondays and end with the current week, across a new year and a clock change", () => {
    expect(weeks([1, 2, 3]).map(({ begins, label }) => [begins, label])).toEqual([
      ["2026-11-02", "Nov 2"],
      ["2026-11-09", "Nov 9"],
      ["2026-11-16", "Nov 16"],
    ]);
    expect(toWeeks(Array<number>(12).fill(0), "2026-01-05")[0]?.begins).toBe("2025-10-20");
  });

  it.each([
    [[0, 0, 0], "0 views in 3 weeks."],
    [[0, 1, 0], "1 view in 3 weeks."],
    [[3, 61, 5], "69 views in 3 weeks, most in the week of Nov 9 (61)."],
    [[4, 4, 0], "8 views in 3 weeks, most in the week of Nov 2 (4)."],
    // The current week is not over, so it is never the one with the most.
    [[0, 0, 9], "9 views in 3 weeks."],
    [[1200, 0, 0], "1,200 views in 3 weeks, most in the week of Nov 2 (1,200)."],
  ])("%o are summarized as: %s", (views, text) => expect(summarizeWeeks(weeks(views))).toBe(text));
});

describe("the bars of the chart", () => {
  /** The middle, bottom, and height of each bar of a path. */
  const bars = (path: string) =>
    [...path.matchAll(/M([\d.]+) (\d+)v-(\d+)/g)].map(([, x, y, height]) => ({
      x: Number(x),
      bottom: Number(y),
      height: Number(height),
    }));

  it("has one for each week, inside the drawing and in proportion, the current week apart", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(1_000_000), { minLength: 12, maxLength: 12 }), (views) => {
        const { past, current } = drawBars(views);
        const drawn = [...bars(past), ...bars(current)];
        expect(bars(current)).toHaveLength(1);
        expect(drawn).toHaveLength(12);
        const most = Math.max(...views, 1);
        for (const [index, bar] of drawn.entries()) {
          expect(bar.x).toBeGreaterThanOrEqual(CHART.bar / 2);
          expect(bar.x).toBeLessThanOrEqual(CHART.width - CHART.bar / 2);
          expect(bar.bottom).toBe(CHART.height);
          expect(bar.height).toBe(Math.max(Math.round((views[index]! / most) * CHART.height), 1));
        }
      }),
    );
  });

  it("draws a line for a week without views", () => {
    expect(bars(drawBars([0, 0]).past)[0]?.height).toBe(1);
  });
});
