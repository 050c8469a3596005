import { describe, expect, it } from "vitest";

import { pageLinks, readRowPosition, readTimePosition } from "~/http/pagination";

const TIME = "2026-11-03T10:00:00.123456+00:00";
const UUID = "3f0e8a52-7c41-4b6e-9d2a-1f0b5c6d7e8f";
const params = (values: Record<string, string>) => new URLSearchParams(values);

describe("the position in a list ordered by time", () => {
  it("is a time with a row id or with a UUID", () => {
    const [withId, withUuid] = [`${TIME}_12`, `${TIME}_${UUID}`];
    expect(readTimePosition(params({ after: withId }), "time and id")).toEqual({ after: withId });
    expect(readTimePosition(params({ before: withUuid }), "time and uuid")).toEqual({
      before: withUuid,
    });
  });

  it.each([
    "",
    "12",
    TIME,
    `${TIME}_`,
    `${TIME}_${UUID}`,
    `${TIME}_0`,
    "2026-02-31T10:00:00+00:00_12",
    "2026-11-03T99:00:00+00:00_12",
    "2026-11-03T10:00:00Z_12",
  ])("is ignored when it is malformed: %j", (cursor) => {
    expect(readTimePosition(params({ after: cursor, before: cursor }), "time and id")).toEqual({});
  });
});

describe("the position in a list of rows", () => {
  it("is the id of the row before or after the page, and only one of them", () => {
    expect(readRowPosition(params({ before: "7" }))).toEqual({ before: 7 });
    expect(readRowPosition(params({ before: "7", after: "9" }))).toEqual({ after: 9 });
    expect(readRowPosition(params({ before: "x", after: "-1" }))).toEqual({});
  });
});

it("links to the pages that exist", () => {
  const hrefAt = (position: object) => JSON.stringify(position);
  expect(pageLinks(hrefAt, { before: 3, after: null })).toEqual({ previous: '{"before":3}' });
  expect(pageLinks(hrefAt, { before: null, after: "x" })).toEqual({ next: '{"after":"x"}' });
  expect(pageLinks(hrefAt, { before: null, after: null })).toEqual({});
});
