import { describe, expect, it } from "vitest";

import {
  BIPOC_MONTHLY,
  getMonthlyCents,
  formatDollars,
  FEATURED_PLANS,
  FIRST_MONTH_CENTS,
  JOB,
  countFreeMonths,
  SPONSORSHIP,
} from "~/modules/billing/prices";

describe("prices", () => {
  it("match the offer, in whole cents", () => {
    expect(FEATURED_PLANS.map(({ id, cents, months }) => [id, cents, months])).toEqual([
      ["monthly", 4900, 1],
      ["six_months", 21600, 6],
      ["twelve_months", 40800, 12],
    ]);
    expect(FIRST_MONTH_CENTS).toBe(2900);
    expect(BIPOC_MONTHLY.cents).toBe(2900);
    expect(JOB).toEqual({ cents: 500, regularCents: 4900, liveDays: 45 });
    expect(SPONSORSHIP).toEqual({
      defaultCents: 4500,
      suggestedMinCents: 3000,
      suggestedMaxCents: 30000,
    });
    for (const { cents } of FEATURED_PLANS) expect(Number.isInteger(cents)).toBe(true);
  });

  it("recommend one plan, and discount the first bill of one", () => {
    expect(FEATURED_PLANS.filter(({ recommended }) => recommended).map(({ id }) => id)).toEqual([
      "six_months",
    ]);
    expect(
      FEATURED_PLANS.filter(({ firstCents }) => firstCents !== undefined).map(({ id }) => id),
    ).toEqual(["monthly"]);
  });

  it("have a monthly price and free months", () => {
    expect(
      FEATURED_PLANS.map((plan) => [formatDollars(getMonthlyCents(plan)), countFreeMonths(plan)]),
    ).toEqual([
      ["$49", 0],
      ["$36", 1.5],
      ["$34", 3.5],
    ]);
  });

  it.each([
    [0, "$0"],
    [500, "$5"],
    [4900, "$49"],
    [4501, "$45.01"],
    [4550, "$45.50"],
    [123_450, "$1,234.50"],
    [100_000_000, "$1,000,000"],
  ])("format %i cents as %s", (cents, text) => expect(formatDollars(cents)).toBe(text));
});
