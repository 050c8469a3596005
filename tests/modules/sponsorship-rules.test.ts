import fc from "fast-check";
import { describe, expect, it } from "vitest";

import {
  describeCopied,
  describeEditing,
  describeSaved,
} from "~/modules/sponsorships/feature-deadline";
import {
  formatDecimal,
  findUnavailableDates,
  getHoldEnd,
  isNewsletterDay,
  hasUpcomingDate,
  listCancelableDates,
  MAX_ORDER_CENTS,
  findRateError,
  countAvailableSpots,
  getSponsorshipState,
  computeTotalCents,
  addHeldSpots,
} from "~/modules/sponsorships/rules";
import { parseDollars } from "~/text/dollars";

const cents = fc.integer({ min: 0, max: 99_999_999_999 });

describe("an amount of dollars", () => {
  it.each([
    ["45", 4500],
    ["45.5", 4550],
    ["45.50", 4550],
    ["0.07", 7],
    [" $1,000.10 ", 100_010],
    ["1,234,567", 123_456_700],
    ["007", 700],
  ])("%s is %i cents", (typed, expected) => expect(parseDollars(typed)).toBe(expected));

  it.each([
    "",
    "-45",
    "+45",
    "NaN",
    "Infinity",
    "1e9",
    "0x10",
    "45.001",
    "45.",
    ".5",
    "4 5",
    "45,00",
    "1,00",
    "1,0000",
    "٤٥",
    "1".repeat(10),
    "45\n46",
    "45 USD",
  ])("rejects %o", (typed) => expect(parseDollars(typed)).toBeNull());

  it("is read exactly to the cent", () => {
    fc.assert(
      fc.property(cents, (amount) => {
        const whole = Math.floor(amount / 100);
        const rest = String(amount % 100).padStart(2, "0");
        expect(parseDollars(`${whole}.${rest}`)).toBe(amount);
        expect(parseDollars(`$${whole.toLocaleString("en-US")}.${rest}`)).toBe(amount);
        expect(parseDollars(formatDecimal(amount))).toBe(amount);
        // To the database and back, as a JSON number.
        expect(parseDollars(JSON.stringify(Number(formatDecimal(amount))))).toBe(amount);
      }),
    );
  });

  it("has at most two decimals, and is a number only if one was typed", () => {
    fc.assert(
      fc.property(fc.string(), (typed) => {
        const read = parseDollars(typed);
        if (read !== null)
          expect(formatDecimal(read).replace(/\.00?$/, "")).toMatch(/^\d+(\.\d\d)?$/);
        else expect(typed).not.toMatch(/^\d{1,9}$/);
      }),
    );
  });
});

describe("a rate", () => {
  it.each([
    [null, /^Enter an amount in dollars/],
    [0, "Enter at least $1."],
    [99, "Enter at least $1."],
    [100, null],
    [10_000_000, null],
    [10_000_001, "Enter at most $100,000."],
  ])("of %s cents: %s", (amount, problem) => {
    if (problem === null) expect(findRateError(amount)).toBeNull();
    else expect(findRateError(amount)).toMatch(problem);
  });

  it("times the number of dates is exactly the total", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 100, max: 10_000_000 }),
        fc.integer({ min: 0, max: 104 }),
        (rate, dates) => {
          let sum = 0;
          for (let n = 0; n < dates; n += 1) sum += rate;
          expect(computeTotalCents(rate, dates)).toBe(sum);
        },
      ),
    );
    expect(computeTotalCents(null, 2)).toBeNull();
    expect(computeTotalCents(99, 2)).toBeNull();
    expect(MAX_ORDER_CENTS).toBe(99_999_999);
  });
});

describe("available spots", () => {
  it("are ten minus the taken ones, and never negative", () => {
    expect([0, 1, 9, 10, 11].map(countAvailableSpots)).toEqual([10, 9, 1, 0, 0]);
  });

  it("include those that the order itself holds", () => {
    const offered = [
      { date: "2026-12-01", spots: 0 },
      { date: "2026-12-03", spots: 10 },
    ];
    expect(addHeldSpots(offered, ["2026-12-01", "2026-12-03"])).toEqual([
      { date: "2026-12-01", spots: 1 },
      { date: "2026-12-03", spots: 10 },
    ]);
  });
});

describe("a newsletter", () => {
  it("goes out on Tuesdays and Thursdays, in any time zone of the machine", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 40_000 }), (days) => {
        const day = new Date(days * 24 * 60 * 60 * 1000);
        expect(isNewsletterDay(day.toISOString().slice(0, 10))).toBe(
          [2, 4].includes(day.getUTCDay()),
        );
      }),
    );
  });

  it.each([
    "",
    "2026-11-31",
    "2026-02-30",
    "2026-13-01",
    "24.11.2026",
    "2026-11-24T00:00:00Z",
    "0000-00-00",
    "2026-11-24 ",
  ])("does not go out on %o", (date) => expect(isNewsletterDay(date)).toBe(false));

  it("is not available when it is past, blocked, full, or no newsletter; today's is past", () => {
    const now = new Date("2026-11-24T23:59:59.999Z");
    const offered = [
      { date: "2026-11-26", spots: 0 },
      { date: "2026-12-01", spots: 1 },
    ];
    const selected = [
      "2026-11-19",
      "2026-11-24",
      "2026-11-25",
      "2026-11-26",
      "2026-12-01",
      "2026-12-03",
      "nonsense",
    ];
    expect(findUnavailableDates(selected, offered, now)).toEqual([
      { date: "2026-11-19", reason: "past" },
      { date: "2026-11-24", reason: "past" },
      { date: "2026-11-25", reason: "no newsletter" },
      { date: "2026-11-26", reason: "full" },
      { date: "2026-12-03", reason: "blocked" },
      { date: "nonsense", reason: "no newsletter" },
    ]);
    expect(
      findUnavailableDates(["2026-12-01"], offered, new Date("2026-12-01T00:00:00.000Z")),
    ).toEqual([{ date: "2026-12-01", reason: "past" }]);
    expect(
      findUnavailableDates(["2026-12-01"], offered, new Date("2026-11-30T23:59:59.999Z")),
    ).toEqual([]);
  });

  it("can be edited until its day", () => {
    expect(
      hasUpcomingDate(["2026-11-24", "2026-11-26"], new Date("2026-11-25T23:59:59.999Z")),
    ).toBe(true);
    expect(
      hasUpcomingDate(["2026-11-24", "2026-11-26"], new Date("2026-11-26T00:00:00.000Z")),
    ).toBe(false);
  });

  it("says from two days before that the team may have copied it, and who can still change that", () => {
    const order = ["2026-12-01", "2026-12-08"];
    const at = (now: string) => describeEditing(order, new Date(now));
    expect(at("2026-11-28T23:59:59.999Z")).toBe("You can edit this until the newsletter goes out.");
    // Until its day is over everywhere on Earth: in America, it is 4 or 7 PM when the next one begins in UTC.
    for (const now of ["2026-11-29T00:00:00Z", "2026-12-02T11:59:59Z"]) {
      expect(at(now)).toContain(
        "For Tue, Dec 1, our team may already have copied your feature into the newsletter",
      );
      expect(describeSaved(order, new Date(now))).toContain(
        "For Tue, Dec 1, our team may already have copied the earlier text into the newsletter. If that text shouldn’t go out, please get in touch",
      );
    }
    expect(at("2026-12-02T12:00:00Z")).toBe("You can edit this until the newsletter goes out.");
    expect(describeSaved(order, new Date("2026-12-02T12:00:00Z"))).toBe("Feature saved.");
  });

  it("says so to someone who hides the listing or cancels, too", () => {
    const at = (now: string) => describeCopied(["2026-12-01", "2026-12-08"], new Date(now));
    expect(at("2026-11-28T23:59:59.999Z")).toBeNull();
    for (const now of ["2026-11-29T00:00:00Z", "2026-12-02T11:59:59Z"])
      expect(at(now)).toBe(
        "For Tue, Dec 1, our team may already have copied the feature into the newsletter. If it shouldn’t go out, please get in touch right away.",
      );
    expect(at("2026-12-02T12:00:00Z")).toBeNull();
  });

  it("names two newsletters as a sentence does", () => {
    const copied = describeCopied(["2026-12-01", "2026-12-03"], new Date("2026-12-01T12:00:00Z"));
    expect(copied).toMatch(/^For Tue, Dec 1 and Thu, Dec 3, our team may already have copied/);
  });

  it("is closed on the day of its last newsletter, which may not have gone out", () => {
    const at = (now: string) => describeEditing(["2026-12-01"], new Date(now));
    for (const now of ["2026-12-01T00:00:00Z", "2026-12-02T11:59:59Z"])
      expect(at(now)).toMatch(/goes out today or has .*please get in touch/);
    expect(at("2026-12-02T12:00:00Z")).toBeNull();
  });
});

describe("the deadline of a cancellation", () => {
  it.each([
    ["2026-11-24T02:00:00Z", ["2026-11-26"]],
    // Noon in UTC is midnight in the last time zone.
    ["2026-11-24T11:59:59Z", ["2026-11-26"]],
    ["2026-11-24T12:00:00Z", []],
  ])("is over when that day is over everywhere on Earth: at %s", (now, left) => {
    expect(listCancelableDates(["2026-11-24", "2026-11-26"], 3, new Date(now))).toEqual(left);
  });

  it("never on the day of the newsletter, however late the team lets them be canceled", () => {
    const morning = new Date("2026-11-24T00:30:00Z");
    expect(listCancelableDates(["2026-11-24", "2026-11-26"], 1, morning)).toEqual(["2026-11-26"]);
  });
});

describe("an order", () => {
  it.each([
    [true, ["2026-11-24"], "paid", "paid"],
    [true, ["2026-11-24"], null, "paid"],
    [false, ["2026-11-24"], null, "unpaid"],
    [false, ["2026-11-24"], "open", "unpaid"],
    [false, ["2026-11-24"], "failed", "unpaid"],
    [false, ["2026-11-24"], "refunded", "unpaid"],
    [false, ["2026-11-24"], "confirming", "confirming"],
    [false, [], null, "undated"],
    [false, [], "failed", "undated"],
    [false, [], "paid", "canceled"],
    [false, [], "refunding", "canceled"],
    [false, [], "refunded", "canceled"],
  ])("paid: %s, dates: %o, payment: %s is %s", (paid, dates, payment, state) => {
    expect(getSponsorshipState({ paid, dates, payment })).toBe(state);
  });

  it("holds its spots until the first hold expires, to the millisecond", () => {
    const spots = ["2026-11-20T10:31:00.000Z", "2026-11-20T10:30:59.500+00:00"].map(
      (held_until) => ({ held_until }),
    );
    expect(getHoldEnd(spots, new Date("2026-11-20T10:30:59.499Z"))).toBe(spots[1]!.held_until);
    expect(getHoldEnd(spots, new Date("2026-11-20T10:30:59.500Z"))).toBeNull();
    expect(getHoldEnd([{ held_until: null }], new Date())).toBeNull();
    expect(getHoldEnd([], new Date())).toBeNull();
  });
});
