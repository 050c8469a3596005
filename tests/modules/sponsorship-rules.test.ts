import fc from "fast-check";
import { describe, expect, it } from "vitest";

import {
  centsOf,
  decimalOf,
  goneDates,
  heldUntil,
  isNewsletterDay,
  isStillToCome,
  ORDER_TO_CENTS,
  rateProblem,
  spotsAvailable,
  sponsorshipState,
  totalCents,
  withHeld,
} from "~/modules/sponsorships/rules";

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
  ])("%s is %i cents", (typed, expected) => expect(centsOf(typed)).toBe(expected));

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
  ])("%o is none", (typed) => expect(centsOf(typed)).toBeNull());

  it("is read to the cent, as it was written, whatever it is", () => {
    fc.assert(
      fc.property(cents, (amount) => {
        const whole = Math.floor(amount / 100);
        const rest = String(amount % 100).padStart(2, "0");
        expect(centsOf(`${whole}.${rest}`)).toBe(amount);
        expect(centsOf(`$${whole.toLocaleString("en-US")}.${rest}`)).toBe(amount);
        expect(centsOf(decimalOf(amount))).toBe(amount);
        // To the database and back: the number that JSON writes as the same text.
        expect(centsOf(JSON.stringify(Number(decimalOf(amount))))).toBe(amount);
      }),
    );
  });

  it("is never more than two decimals, and never a number that was not written", () => {
    fc.assert(
      fc.property(fc.string(), (typed) => {
        const read = centsOf(typed);
        if (read !== null) expect(decimalOf(read).replace(/\.00?$/, "")).toMatch(/^\d+(\.\d\d)?$/);
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
    if (problem === null) expect(rateProblem(amount)).toBeNull();
    else expect(rateProblem(amount)).toMatch(problem);
  });

  it("times the number of dates is the total, exactly", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 100, max: 10_000_000 }),
        fc.integer({ min: 0, max: 104 }),
        (rate, dates) => {
          let sum = 0;
          for (let n = 0; n < dates; n += 1) sum += rate;
          expect(totalCents(rate, dates)).toBe(sum);
        },
      ),
    );
    expect(totalCents(null, 2)).toBeNull();
    expect(totalCents(99, 2)).toBeNull();
    expect(ORDER_TO_CENTS).toBe(99_999_999);
  });
});

describe("Spots Available", () => {
  it("is 10 minus those taken, and never less than none", () => {
    expect([0, 1, 9, 10, 11].map(spotsAvailable)).toEqual([10, 9, 1, 0, 0]);
  });

  it("counts what an order holds as its own", () => {
    const offered = [
      { date: "2026-12-01", spots: 0 },
      { date: "2026-12-03", spots: 10 },
    ];
    expect(withHeld(offered, ["2026-12-01", "2026-12-03"])).toEqual([
      { date: "2026-12-01", spots: 1 },
      { date: "2026-12-03", spots: 10 },
    ]);
  });
});

describe("a newsletter", () => {
  it("goes out on Tuesdays and Thursdays, whatever the zone of the machine", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 40_000 }), (days) => {
        const day = new Date(days * 86_400_000);
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

  it("can't be had when it is over, kept free, full, or none; today's is over", () => {
    const now = new Date("2026-11-24T23:59:59.999Z");
    const offered = [
      { date: "2026-11-26", spots: 0 },
      { date: "2026-12-01", spots: 1 },
    ];
    const chosen = [
      "2026-11-19",
      "2026-11-24",
      "2026-11-25",
      "2026-11-26",
      "2026-12-01",
      "2026-12-03",
      "nonsense",
    ];
    expect(goneDates(chosen, offered, now)).toEqual([
      { date: "2026-11-19", because: "past" },
      { date: "2026-11-24", because: "past" },
      { date: "2026-11-25", because: "no newsletter" },
      { date: "2026-11-26", because: "full" },
      { date: "2026-12-03", because: "blocked" },
      { date: "nonsense", because: "no newsletter" },
    ]);
    expect(goneDates(["2026-12-01"], offered, new Date("2026-12-01T00:00:00.000Z"))).toEqual([
      { date: "2026-12-01", because: "past" },
    ]);
    expect(goneDates(["2026-12-01"], offered, new Date("2026-11-30T23:59:59.999Z"))).toEqual([]);
  });

  it("may be mended until its day", () => {
    expect(isStillToCome(["2026-11-24", "2026-11-26"], new Date("2026-11-25T23:59:59.999Z"))).toBe(
      true,
    );
    expect(isStillToCome(["2026-11-24", "2026-11-26"], new Date("2026-11-26T00:00:00.000Z"))).toBe(
      false,
    );
  });
});

describe("an order", () => {
  it.each([
    [true, ["2026-11-24"], "paid", "paid"],
    [true, ["2026-11-24"], null, "paid"],
    [false, ["2026-11-24"], null, "unpaid"],
    [false, ["2026-11-24"], "open", "unpaid"],
    [false, ["2026-11-24"], "failed", "unpaid"],
    [false, ["2026-11-24"], "returned", "unpaid"],
    [false, ["2026-11-24"], "confirming", "confirming"],
    [false, [], null, "undated"],
  ])("paid: %s, dates: %o, payment: %s is %s", (paid, dates, payment, state) => {
    expect(sponsorshipState({ paid, dates, payment })).toBe(state);
  });

  it("holds its spots until the first of them runs out, to the millisecond", () => {
    const spots = ["2026-11-20T10:31:00.000Z", "2026-11-20T10:30:59.500+00:00"].map(
      (held_until) => ({ held_until }),
    );
    expect(heldUntil(spots, new Date("2026-11-20T10:30:59.499Z"))).toBe(spots[1]!.held_until);
    expect(heldUntil(spots, new Date("2026-11-20T10:30:59.500Z"))).toBeNull();
    expect(heldUntil([{ held_until: null }], new Date())).toBeNull();
    expect(heldUntil([], new Date())).toBeNull();
  });
});
