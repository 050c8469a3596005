import { expect, it } from "vitest";

import { describePurchase } from "~/modules/purchases/purchase";

const sponsorship = {
  kind: "sponsorship",
  reason: "purchase",
  item_name: null,
  plan: null,
  period_from: null,
  period_to: null,
} as const;

it.each([
  [["2026-11-24"], "Nov 24, 2026"],
  [["2026-11-24", "2026-12-03"], "Nov 24 and Dec 3, 2026"],
  [["2026-11-24", "2026-11-26", "2026-12-03"], "Nov 24, Nov 26, and Dec 3, 2026"],
  [["2026-12-29", "2027-01-05"], "Dec 29, 2026 and Jan 5, 2027"],
])("the newsletters of an order are listed with each year once: %j", (item_dates, listed) => {
  expect(describePurchase({ ...sponsorship, item_dates })).toBe(
    `Newsletter sponsorship: ${listed}`,
  );
});

it("a sponsorship without dates has its name alone", () => {
  expect(describePurchase({ ...sponsorship, item_dates: null })).toBe("Newsletter sponsorship");
});
