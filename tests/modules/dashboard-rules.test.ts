import { describe, expect, it } from "vitest";

import {
  favoritesInWords,
  nearbyInWords,
  needsOf,
  previewAddress,
  viewsInWords,
} from "~/modules/listings/dashboard-rules";
import {
  visibilityChoices,
  visibilityDone,
  VISIBILITY_INTENTS,
} from "~/modules/listings/visibility-rules";

describe("numbers", () => {
  it.each([
    [null, "< 50"],
    [0, "< 50"],
    [49, "< 50"],
    [50, "50"],
    [51, "51"],
    [1234, "1,234"],
    [1_000_000, "1,000,000"],
  ])("%s nearby users are %s", (count, words) => expect(nearbyInWords(count)).toBe(words));
  it.each([
    [null, "< 25"],
    [0, "< 25"],
    [24, "< 25"],
    [25, "25"],
    [26, "26"],
    [43_210, "43,210"],
  ])("%s views are %s", (count, words) => expect(viewsInWords(count)).toBe(words));
  it.each([
    [null, "0"],
    [0, "0"],
    [1, "1"],
    [1500, "1,500"],
  ])("%s favorites are %s", (count, words) => expect(favoritesInWords(count)).toBe(words));
});

describe("the public page of a listing", () => {
  it.each([
    ["https://map.example/place/{id}", "map-1", "https://map.example/place/7"],
    ["https://map.example/?p={id}&again={id}", "map-1", "https://map.example/?p=7&again=7"],
    ["https://map.example/place/{id}", null, null],
    ["https://map.example/place/{id}", "", null],
    [null, "map-1", null],
  ])("of %s with %s is %s", (pattern, proxi_id, address) => {
    expect(previewAddress(pattern, { id: 7, proxi_id })).toBe(address);
  });
});

const fine = {
  status: "published",
  type: "owned" as const,
  state: "OR",
  hasOwnerEmail: true,
  premium: false,
  subscription_status: null,
  subscription_ends_at: null,
  hidden: false,
  archive_requested: false,
  changes_requested: null,
  changed: [],
  rejected: null,
};
const titles = (listing: Partial<Parameters<typeof needsOf>[0]>) =>
  needsOf({ ...fine, ...listing }).map(({ title }) => title);

describe("what a listing needs", () => {
  it("is nothing when all is well", () => {
    expect(titles({})).toEqual([]);
    expect(titles({ status: "new" })).toEqual([]);
    expect(titles({ subscription_status: "active" })).toEqual([]);
    expect(titles({ subscription_status: "trialing" })).toEqual([]);
  });

  it.each([
    [{ changes_requested: "Please add a street number." }, ["Changes requested"]],
    [{ subscription_status: "past_due" }, ["Payment failed"]],
    [{ subscription_status: "unpaid" }, ["Payment failed"]],
    [{ status: "new", state: null }, ["Incomplete"]],
    [{ status: "new", state: "" }, ["Incomplete"]],
    [{ status: "pending-update", hasOwnerEmail: false }, ["Incomplete"]],
    [
      { status: "flagged", state: null, hasOwnerEmail: false },
      ["Incomplete", "Incomplete", "Under review"],
    ],
    [{ status: "published", state: null, hasOwnerEmail: false }, []],
    [{ status: "archived", state: null }, []],
    [{ status: "pending-update", changed: ["name"] }, ["Live as approved"]],
    [{ rejected: { reason: null } }, ["Your changes were not taken over"]],
    [{ hidden: true }, ["Hidden"]],
    [
      {
        premium: true,
        subscription_status: "active",
        subscription_ends_at: "2026-12-20T10:00:00Z",
      },
      ["Featured until December 20, 2026 (UTC)"],
    ],
    [{ hidden: true, archive_requested: true }, ["Removal requested"]],
    [{ status: "archived", hidden: true, archive_requested: true }, []],
    [
      {
        status: "pending-update",
        subscription_status: "past_due",
        changes_requested: "x",
        changed: ["name"],
        hidden: true,
      },
      ["Payment failed", "Changes requested", "Live as approved", "Hidden"],
    ],
  ])("%o: %o", (listing, expected) => expect(titles(listing)).toEqual(expected));

  it("gives the admin's reason as it was written", () => {
    expect(needsOf({ ...fine, changes_requested: "Bitte <b>Hausnummer</b>" })[0]?.text).toBe(
      "Bitte <b>Hausnummer</b>",
    );
  });

  it.each([
    [["name"], "Your changes wait for review: Business Name."],
    [
      ["city", "lat", "long", "rawaddress", "description"],
      "Your changes wait for review: About/Bio; Address.",
    ],
    [["name", "url", "phone", "category", "tiktok"], /: .+; .+; .+; 2 more\.$/],
  ])("names what of %o waits", (changed, text) => {
    expect(needsOf({ ...fine, status: "pending-update", changed })[0]?.text).toMatch(text);
  });
});

describe("who sees a listing", () => {
  const at = (status: string, hidden = false, archive_requested = false) => ({
    status,
    hidden,
    archive_requested,
  });
  it.each([
    [at("published"), ["hide", "archive"]],
    [at("pending-update"), ["hide", "archive"]],
    [at("published", true), ["show", "archive"]],
    [at("published", false, true), ["hide", "keep"]],
    [at("published", true, true), ["show", "keep"]],
    [at("new"), ["archive"]],
    [at("flagged"), ["archive"]],
    [at("new", true), ["show", "archive"]],
    [at("archived"), []],
    [at("archived", true, true), []],
  ])("%o: its owner may %o", (listing, choices) =>
    expect(visibilityChoices(listing)).toEqual(choices),
  );

  it("is told after each choice, by name", () => {
    for (const intent of VISIBILITY_INTENTS)
      expect(visibilityDone(intent, { ...at("published"), name: "Café X" })).toContain("“Café X”");
    expect(visibilityDone("show", { ...at("new"), name: "Café X" })).toContain(
      "once it is approved",
    );
  });
});
