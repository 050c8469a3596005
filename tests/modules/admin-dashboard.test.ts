/** What the admin dashboard says and draws. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { listFirstNeeds } from "~/modules/moderation/dashboard/rules";
import { drawWeekBars, WEEK_BARS } from "~/modules/moderation/dashboard/week-bars";

const NOW = Date.parse("2026-11-22T12:00:00Z");
const queue = (count: number, since?: string) => ({
  count,
  oldest: since === undefined ? null : { id: 1, name: "Café", since },
});
type Facts = Parameters<typeof listFirstNeeds>[0];
const facts = (changes: object) =>
  ({
    reports: { count: 0, oldest: null },
    queues: { flagged: queue(0), "archive-requested": queue(0) },
    failing: { plans: 0, refunds: 0, emails: 0 },
    no_email: { total: 0, more: false },
    ...changes,
  }) as Facts;
const say = (changes: object) =>
  listFirstNeeds(facts(changes), NOW).map(({ what, text }) => what + text);

describe("what needs someone first", () => {
  it("is empty when nothing waits or fails", () => {
    expect(say({})).toEqual([]);
  });

  it("is said in sentences, for one and for several", () => {
    expect(
      say({
        reports: { count: 1, oldest: "2026-11-22T09:00:00Z" },
        queues: {
          flagged: queue(3, "2026-10-13T12:00:00Z"),
          "archive-requested": queue(2, "2026-11-21T11:00:00Z"),
        },
        failing: { plans: 1, refunds: 0, emails: 0 },
        no_email: { total: 1000, more: true },
      }),
    ).toEqual([
      "1 report from users is open. It has waited less than a day.",
      "3 flagged listings can’t be seen by the public. The oldest has waited 40 days.",
      "2 removal requests are open. The oldest has waited 1 day.",
      "1 Featured plan has a payment that failed. Stripe will retry it, and the owner can update their card.",
      "More than 1,000 edits can’t be approved: the listings have no owner email.",
    ]);
  });

  it("agrees with the number of refunds", () => {
    const refunds = (count: number) => say({ failing: { plans: 0, refunds: count, emails: 0 } });
    expect(refunds(1)).toEqual(["1 refund failed. It may need to be sent another way."]);
    expect(refunds(2)).toEqual(["2 refunds failed. They may need to be sent another way."]);
  });

  it("is five sentences at most, the most urgent ones", () => {
    const all = {
      reports: { count: 1, oldest: null },
      queues: { flagged: queue(1), "archive-requested": queue(1) },
      failing: { plans: 1, refunds: 1, emails: 1 },
      no_email: { total: 1, more: false },
    };
    expect(listFirstNeeds(facts(all), NOW).map(({ kind }) => kind)).toEqual([
      "reports",
      "flagged",
      "removals",
      "plans",
      "refunds",
    ]);
  });
});

describe("the bars of a queue’s four weeks", () => {
  it("are as tall as their numbers, and inside the drawing", () => {
    expect(drawWeekBars([0, 5, 10, 1], [0, 0, 0, 0])).toEqual({
      came: "M40 20h13v20h-13zM80 0h13v40h-13zM120 36h13v4h-13z",
      left: "",
    });
    const counts = fc.array(fc.nat(5_000), { minLength: 4, maxLength: 4 });
    fc.assert(
      fc.property(counts, counts, (came, left) => {
        const drawn = drawWeekBars(came, left);
        const bars = [
          ...`${drawn.came}${drawn.left}`.matchAll(/M([\d.]+) ([\d.]+)h([\d.]+)v([\d.]+)/g),
        ];
        expect(bars).toHaveLength([...came, ...left].filter((count) => count > 0).length);
        for (const [, x, y, width, height] of bars) {
          expect(Number(x) + Number(width)).toBeLessThanOrEqual(WEEK_BARS.width);
          expect(Number(y) + Number(height)).toBeLessThanOrEqual(WEEK_BARS.height);
        }
      }),
    );
  });
});
