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
  const text = describePurchase({ ...sponsorship, item_dates });
  expect(text.replaceAll("\u00a0", " ")).toBe(`Newsletter feature: ${listed}`);
});

it("no date is broken over two lines", () => {
  const item_dates = ["2026-11-24", "2026-12-03"];
  expect(describePurchase({ ...sponsorship, item_dates })).toBe(
    "Newsletter feature: Nov\u00a024 and Dec\u00a03,\u00a02026",
  );
  const period = { period_from: "2026-11-24T10:00:00Z", period_to: "2026-12-24T10:00:00Z" };
  expect(describePurchase({ ...sponsorship, item_dates: null, kind: "upgrade", ...period })).toBe(
    "Featured listing: Nov\u00a024,\u00a02026 to Dec\u00a024,\u00a02026",
  );
});

it("a plan's length isn't broken over two lines", () => {
  const plan = {
    kind: "upgrade",
    item_name: "Café X",
    item_dates: null,
    plan: "twelve_months",
  } as const;
  expect(describePurchase({ ...sponsorship, ...plan, reason: "renewal" })).toBe(
    "Featured listing: Café X, 12\u00a0months, renewal",
  );
});

it("a sponsorship without dates shows only its name", () => {
  expect(describePurchase({ ...sponsorship, item_dates: null })).toBe("Newsletter feature");
});
