import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { barsOf, CHART, weeksInWords, weeksOf } from "~/modules/listings/weekly-views";

const weeks = (views: number[]) => weeksOf(views, "2026-11-16");

describe("the weeks of a chart", () => {
  it("end with the running one and go back Monday by Monday, over the turn of a year and of the clock", () => {
    expect(weeks([1, 2, 3]).map(({ begins, label }) => [begins, label])).toEqual([
      ["2026-11-02", "Nov 2"],
      ["2026-11-09", "Nov 9"],
      ["2026-11-16", "Nov 16"],
    ]);
    expect(weeksOf(Array<number>(12).fill(0), "2026-01-05")[0]?.begins).toBe("2025-10-20");
  });

  it.each([
    [[0, 0, 0], "0 views in 3 weeks."],
    [[0, 1, 0], "1 view in 3 weeks."],
    [[3, 61, 5], "69 views in 3 weeks, most in the week of Nov 9 (61)."],
    [[4, 4, 0], "8 views in 3 weeks, most in the week of Nov 2 (4)."],
    // The running week is not over, so nothing is said of it.
    [[0, 0, 9], "9 views in 3 weeks."],
    [[1200, 0, 0], "1,200 views in 3 weeks, most in the week of Nov 2 (1,200)."],
  ])("%o in words: %s", (views, words) => expect(weeksInWords(weeks(views))).toBe(words));
});

describe("the bars of a chart", () => {
  /** The middle, bottom and height of each bar of a path. */
  const bars = (path: string) =>
    [...path.matchAll(/M([\d.]+) (\d+)v-(\d+)/g)].map(([, x, y, height]) => ({
      x: Number(x),
      bottom: Number(y),
      height: Number(height),
    }));

  it("are as many as the weeks, the running one apart, within the drawing, and as high as their share", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(1_000_000), { minLength: 12, maxLength: 12 }), (views) => {
        const { past, running } = barsOf(views);
        const drawn = [...bars(past), ...bars(running)];
        expect(bars(running)).toHaveLength(1);
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

  it("show a week without views as a line", () => {
    expect(bars(barsOf([0, 0]).past)[0]?.height).toBe(1);
  });
});
