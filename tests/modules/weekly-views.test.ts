import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { CHART, drawBars, sumFourWeeks, toWeeks } from "~/modules/listings/weekly-views";

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
});

describe("the last four weeks and the four before", () => {
  const twelve = (before: number, recent: number, current = 0) => [
    ...[9, 9, 9],
    ...Array<number>(4).fill(before),
    ...Array<number>(4).fill(recent),
    current,
  ];

  it.each([
    [twelve(100, 118), 18],
    [twelve(100, 91), -9],
    [twelve(100, 100, 5000), 0],
    [twelve(1000, 1003), 0],
    [twelve(7, 0), -100],
    // There is nothing to compare with.
    [twelve(0, 12), null],
    [[], null],
    [[5], null],
  ])("%j differ by %s percent", (views, percent) =>
    expect(sumFourWeeks([views]).percent).toBe(percent),
  );

  it("of several listings are added before they are compared", () =>
    expect(sumFourWeeks([twelve(1, 2), twelve(9, 9), []])).toEqual({ views: 44, percent: 10 }));
});

describe("the bars of the chart", () => {
  /** The middle, bottom, and height of each bar of a path. */
  const bars = (path: string) =>
    [...path.matchAll(/M([\d.]+) (\d+)v-(\d+)/g)].map(([, x, y, height]) => ({
      x: Number(x),
      bottom: Number(y),
      height: Number(height),
    }));

  it("has one for each week, inside the drawing and in proportion, the last four that are over apart", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(1_000_000), { minLength: 12, maxLength: 12 }), (views) => {
        const { recent, others } = drawBars(views);
        expect(bars(recent)).toHaveLength(4);
        const drawn = [...bars(recent), ...bars(others)].sort((a, b) => a.x - b.x);
        expect(drawn).toHaveLength(12);
        expect(drawn.slice(7, 11)).toEqual(bars(recent));
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
    expect(bars(drawBars([0, 0]).others)[0]?.height).toBe(1);
  });
});
