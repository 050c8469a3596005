import { describe, expect, it, vi } from "vitest";

import { countCharacters } from "~/text/count-characters";
import { formatCount, formatNumber } from "~/text/counts";
import {
  calendarDay,
  formatDate,
  formatFullDate,
  formatMonth,
  formatShortDate,
  formatTimestamp,
  formatWeekday,
  isCalendarDay,
} from "~/text/dates";
import { formatDeadline, formatLastDay } from "~/text/deadlines";
import { isolate } from "~/text/isolate";
import { toLines, toOneLine } from "~/text/one-line";
import { parseRowId } from "~/text/row-id";
import { parseSearchText } from "~/text/search-text";
import { shorten } from "~/text/shorten";
import { telLink } from "~/text/tel";
import { isUuid, parseUuid } from "~/text/uuid";

describe("counts", () => {
  it("separates thousands", () => {
    expect(formatNumber(1204)).toBe("1,204");
  });

  it("uses the singular for exactly one", () => {
    expect(formatCount(1, "listing")).toBe("1 listing");
    expect(formatCount(0, "listing")).toBe("0 listings");
    expect(formatCount(1204, "listing")).toBe("1,204 listings");
    expect(formatCount(2, "business", "businesses")).toBe("2 businesses");
  });
});

describe("the characters of a text", () => {
  it("are not looked for in one that is far over every limit", () => {
    const segment = vi.spyOn(Intl.Segmenter.prototype, "segment");
    expect(countCharacters("🌈".repeat(300))).toBe(300);
    expect(segment).toHaveBeenCalledTimes(1);
    expect(countCharacters("ab".repeat(250_000))).toBe(500_000);
    expect(segment).toHaveBeenCalledTimes(1);
    segment.mockRestore();
  });
});

describe("a shortened text", () => {
  it("ends with a whole word, and in the middle of one only where that keeps much more of it", () => {
    expect(shorten("Sourdough and rye", 17)).toBe("Sourdough and rye");
    expect(shorten("Sourdough and rye bread", 17)).toBe("Sourdough and…");
    expect(shorten("Sourdough and rye bread", 18)).toBe("Sourdough and rye…");
    expect(shorten("A Donaudampfschifffahrtsgesellschaft", 12)).toBe("A Donaudamp…");
    expect(shorten("🌈".repeat(9), 5)).toBe("🌈🌈🌈🌈…");
  });
});

describe("a link that calls", () => {
  it.each([
    ["+1 208-555-0100", "tel:+12085550100"],
    ["(208) 555-0100 ext. 5", "tel:2085550100"],
    ["208.555.0100, or 208.555.0199", "tel:2085550100"],
    ["030/1234567", "tel:0301234567"],
    ["030 1234567 / 030 7654321", "tel:0301234567"],
  ])("%s calls one number, without an extension", (text, link) => {
    expect(telLink(text)).toBe(link);
  });
});

describe("text of one line", () => {
  it("has no control characters and no changes of direction; other scripts stay as they are", () => {
    expect(toOneLine("\u202D+1 505\u202C")).toBe("+1 505");
    // As in tests/database/one-line.test.ts.
    expect(toOneLine("A\r\nBcc x\u0007\u0085\u2028y\u202E\u2066z\u2069")).toBe("A Bcc x yz");
    const text = "Café – קפה, مقهى, می\u200Cخواهم, 👩‍❤️‍👩";
    expect(toOneLine(text)).toBe(text);
    expect(toOneLine("קפה\u200e مقهى\u200f a\u200bb\u00adc\ufeff\u061c\u2060")).toBe(
      "קפה مقهى abc",
    );
  });

  it("is empty when there is nothing to see in it; flags, emoji, and Persian words keep what joins them", () => {
    for (const blank of [
      "\u3164",
      "\u2800",
      "\u115F\u1160",
      "\uFFA0",
      "\u200D\uFE0F",
      "\u{E0041}",
      "\u034F",
      "\u17B4\u17B5",
      "\u180B",
      "\u{E0100}",
      "\u{1D159}",
      "\u{13441}\u{13442}",
    ])
      expect(toOneLine(blank), encodeURIComponent(blank)).toBe("");
    expect(toOneLine("Ana \u200D\u200CLee")).toBe("Ana Lee");
    for (const space of ["\xA0", "\u2003", "\u202F", "\u3000", "\u3000\xA0"])
      expect(toOneLine(`Ana${space}Lee`), encodeURIComponent(space)).toBe("Ana Lee");
    const wales = "\u{1F3F4}\u{E0067}\u{E0062}\u{E0077}\u{E006C}\u{E0073}\u{E007F}";
    for (const text of [`Cymru ${wales}`, "🏳️‍🌈 Café", "1️⃣ می‌خواهم", "한국 카페"])
      expect(toOneLine(text)).toBe(text);
  });

  it("stays as it is when it is cleaned again: a joiner joins nothing after a control character, either", () => {
    for (const before of ["\u0001", "\x85", "\n", "\xA0", "\u3000"]) {
      expect(toOneLine(`${before}\u200D`).trim(), encodeURIComponent(before)).toBe("");
      expect(toLines(`${before}\u200D`).trim(), encodeURIComponent(before)).toBe("");
    }
  });

  it("of several lines keeps them, and nothing that no one sees", () => {
    expect(toLines("One\r\n\n\tTwo\u0007\u0085 \u202Ethree\u2066\u2069\u200F\u200B")).toBe(
      "One\r\n\n\tTwo three",
    );
    const text = "می\u200Cخواهم 👩‍❤️‍👩\nשורה";
    expect(toLines(text)).toBe(text);
  });
});

describe("a name in a sentence", () => {
  it("is kept apart when it would move the words around it", () => {
    expect(isolate("שירה")).toBe("\u2068שירה\u2069");
    expect(isolate("مقهى 5")).toBe("\u2068مقهى 5\u2069");
    // What no one may open in it is closed with it.
    expect(isolate("Café \u202Ex")).toBe("\u2068Café \u202Ex\u2069");
    expect(isolate("שי\u2069רה\u2067")).toBe("\u2068שירה\u2069");
  });

  it("is left alone otherwise", () => {
    for (const name of ["", "Fern & Flour", "Zoë Ødegård", "カフェ", "👩‍❤️‍👩 5", "Café «5»"])
      expect(isolate(name)).toBe(name);
  });
});

describe("dates and times", () => {
  // Late in the evening in UTC, so that a formatter in another zone would show another day.
  const moment = "2026-11-03T23:05:00Z";

  it.each([
    [formatDate, "Nov 3, 2026"],
    [formatFullDate, "Tuesday, November 3, 2026"],
    [formatWeekday, "Tue, Nov 3"],
    [formatShortDate, "Nov 3"],
    [formatMonth, "November 2026"],
    [formatTimestamp, "Nov 3, 2026, 11:05 PM UTC"],
  ])("are shown in UTC: %o", (format, text) => {
    expect(format(moment).replaceAll("\u202f", " ")).toBe(text);
    expect(format(new Date(moment)).replaceAll("\u202f", " ")).toBe(text);
  });

  it("name the hour and its zone for a deadline", () => {
    expect(formatDeadline(moment)).toBe("Nov\u00a03,\u00a02026 at 11:05\u00a0PM\u00a0UTC");
  });

  it.each([
    ["2026-11-03T12:00:00Z", "Nov 2, 2026"],
    ["2026-11-03T11:59:59Z", "Nov 1, 2026"],
    ["2026-11-04T11:59:59+00:00", "Nov 2, 2026"],
  ])("know the last day that is over everywhere on Earth before %s", (moment, day) => {
    expect(formatLastDay(moment)).toBe(day);
  });

  it("show a calendar day as the same day", () => {
    expect(formatFullDate("2026-11-24")).toBe("Tuesday, November 24, 2026");
    expect(calendarDay(new Date(moment))).toBe("2026-11-03");
  });

  it("accept only days that the calendar has", () => {
    expect(isCalendarDay("2028-02-29")).toBe(true);
    for (const text of ["2026-02-29", "2026-2-1", "2026-13-01", "", "2026-11-03T00:00:00Z"]) {
      expect([text, isCalendarDay(text)]).toEqual([text, false]);
    }
  });
});

describe("UUIDs", () => {
  const id = "3f0e8a52-7c41-4b6e-9d2a-1f0b5c6d7e8f";

  it("are accepted in either case and returned in lower case", () => {
    expect(isUuid(id)).toBe(true);
    expect(parseUuid(id.toUpperCase())).toBe(id);
  });

  it("are nothing else", () => {
    for (const value of ["", "12", `${id}0`, ` ${id}`, id.replaceAll("-", ""), null, 7]) {
      expect([value, parseUuid(value)]).toEqual([value, null]);
    }
  });
});

describe("row ids", () => {
  it("are positive whole numbers that JavaScript represents exactly", () => {
    expect(parseRowId("1")).toBe(1);
    expect(parseRowId("999999999999999")).toBe(999_999_999_999_999);
  });

  it("are nothing else", () => {
    for (const value of ["", "0", "01", "-1", "1.5", "1e3", " 1", "1\n", "9".repeat(16), null, 7]) {
      expect([value, parseRowId(value)]).toEqual([value, null]);
    }
  });
});

describe("a search text", () => {
  it("is trimmed and has no NUL", () => {
    expect(parseSearchText(" caf\u0000é  x ")).toBe("café  x");
    expect(parseSearchText(null)).toBe("");
  });

  it("is cut to 200 characters, never inside of one", () => {
    expect(parseSearchText("🦄".repeat(201))).toBe("🦄".repeat(200));
  });
});

it("shows what is not a date as it is", () => {
  for (const format of [formatDate, formatFullDate, formatWeekday, formatMonth])
    for (const text of ["infinity", "-infinity", ""]) expect(format(text)).toBe(text);
});
