import { describe, expect, it } from "vitest";

import {
  formatFavorites,
  formatNearbyUsers,
  formatViews,
  getDashboardBadge,
  getListingNotes,
  getPreviewUrl,
  joinNumbers,
  readNumbers,
} from "~/modules/listings/dashboard-rules";
import {
  formatVisibilityResult,
  getVisibilityIntents,
  VISIBILITY_INTENTS,
} from "~/modules/listings/visibility-rules";
import { isolate } from "~/text/isolate";

describe("the numbers of a card", () => {
  it.each([
    [null, "< 50"],
    [0, "< 50"],
    [49, "< 50"],
    [50, "50"],
    [51, "51"],
    [1234, "1,234"],
    [1_000_000, "1,000,000"],
  ])("shows %s nearby users as %s", (count, text) => expect(formatNearbyUsers(count)).toBe(text));
  it.each([
    [null, "< 25"],
    [0, "< 25"],
    [24, "< 25"],
    [25, "25"],
    [26, "26"],
    [43_210, "43,210"],
  ])("shows %s views as %s", (count, text) => expect(formatViews(count)).toBe(text));
  it.each([
    [null, "0"],
    [0, "0"],
    [1, "1"],
    [1500, "1,500"],
  ])("shows %s favorites as %s", (count, text) => expect(formatFavorites(count)).toBe(text));
});

describe("getPreviewUrl", () => {
  it.each([
    ["https://map.example/place/{id}", true, "https://map.example/place/7"],
    ["https://map.example/?p={id}&again={id}", true, "https://map.example/?p=7&again=7"],
    ["https://map.example/place/{id}", false, null],
    [null, true, null],
  ])("for the pattern %s and a listing that is on the map (%s): %s", (pattern, onMap, url) => {
    expect(getPreviewUrl(pattern, { id: 7, onMap })).toBe(url);
  });
});

const complete = {
  status: "published",
  role: "owner" as const,
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
type Listing = Parameters<typeof getListingNotes>[0];
const canceled = {
  premium: true,
  subscription_status: "active",
  subscription_ends_at: "2026-12-20T10:00:00Z",
};
const titles = (listing: Partial<Listing>) =>
  getListingNotes({ ...complete, ...listing }).map(({ title }) => title);

describe("the numbers on their way", () => {
  it.each([
    { stats: ["1,240", "< 25", "3"], weeks: [12, 0, 4] },
    { stats: ["< 50", "< 25", "0"], weeks: [] },
  ])("are read as they were written: %j", (numbers) =>
    expect(readNumbers(joinNumbers(numbers))).toEqual(numbers),
  );
});

describe("the badge of a listing", () => {
  it.each([
    [{}, "Published"],
    [{ status: "new" }, "Pending Review"],
    [{ status: "pending-update" }, "Pending Review"],
    [{ status: "flagged" }, "Flagged"],
    [{ status: "archived", hidden: true, archive_requested: true }, "Archived"],
    [{ hidden: true }, "Hidden"],
    [{ hidden: true, archive_requested: true }, "Removal requested"],
    [{ hidden: true, changes_requested: "x" }, "Changes requested"],
    [{ subscription_status: "past_due", changes_requested: "x" }, "Payment failed"],
    [{ subscription_status: "past_due", role: "manager" }, "Published"],
    [canceled, "Ends Dec 20, 2026 (UTC)"],
    // We have stopped its plan, which its owner hasn't canceled and can't keep.
    [{ ...canceled, status: "archived" }, "Archived"],
    [{ ...canceled, status: "flagged" }, "Flagged"],
  ] as [Partial<Listing>, string][])("of %o is %s", (listing, label) =>
    expect(getDashboardBadge({ ...complete, ...listing }).label).toBe(label),
  );
});

describe("the notes about a listing", () => {
  it("has none for a listing that needs nothing", () => {
    expect(titles({})).toEqual([]);
    expect(titles({ subscription_status: "active" })).toEqual([]);
    expect(titles({ subscription_status: "trialing" })).toEqual([]);
  });

  it.each([
    [{ changes_requested: "Please add a street number." }, ["Changes requested"]],
    [{ subscription_status: "past_due" }, ["Payment failed"]],
    [{ subscription_status: "unpaid" }, ["No longer Featured"]],
    [{ status: "new" }, ["Pending Review"]],
    [{ status: "new", state: null }, ["Incomplete", "Pending Review"]],
    [{ status: "new", state: "" }, ["Incomplete", "Pending Review"]],
    [{ status: "pending-update", hasOwnerEmail: false }, ["Incomplete"]],
    [
      { status: "flagged", state: null, hasOwnerEmail: false },
      ["Incomplete", "Incomplete", "Flagged"],
    ],
    [{ status: "published", state: null, hasOwnerEmail: false }, []],
    [{ status: "archived", state: null }, ["Archived"]],
    [{ status: "pending-update", changed: ["name"] }, ["The approved version is live"]],
    [{ rejected: { reason: null } }, ["Your changes weren’t approved"]],
    [{ hidden: true }, ["Hidden"]],
    [canceled, ["Featured until Dec\u00a020,\u00a02026 at 10:00\u00a0AM\u00a0UTC"]],
    // We have canceled its plan, or are about to.
    [{ ...canceled, status: "archived" }, ["Archived"]],
    [{ ...canceled, archive_requested: true }, ["Removal requested"]],
    [{ hidden: true, archive_requested: true }, ["Removal requested"]],
    [{ status: "archived", hidden: true, archive_requested: true }, ["Archived"]],
    [
      {
        status: "pending-update",
        subscription_status: "past_due",
        changes_requested: "x",
        changed: ["name"],
        hidden: true,
      },
      ["Payment failed", "Changes requested", "Hidden", "Pending Review"],
    ],
  ])("shows for %o: %o", (listing, expected) => expect(titles(listing)).toEqual(expected));

  it("shows the beginning of a long request in the listing’s row, and all of it under More", () => {
    const request = "Please add your street number. ".repeat(60);
    const [note] = getListingNotes({ ...complete, changes_requested: request });
    expect(note!.text).toBe(request);
    expect(note!.sentence).toMatch(/^Please add your street number\. .{100,180}…$/);
    const [rejected] = getListingNotes({ ...complete, rejected: { reason: request } });
    expect(rejected!.text).toBe(request);
    expect(rejected!.sentence!.length).toBeLessThan(260);
  });

  it("never says that a hidden listing is live", () => {
    const said = getListingNotes({
      ...complete,
      status: "pending-update",
      hidden: true,
      changed: ["name"],
      rejected: { reason: null },
    }).map(({ title, text, sentence }) => [title, text, sentence].join(" "));
    expect(said).toEqual([
      expect.stringContaining("The last approved version stays, and the listing is hidden."),
      expect.stringContaining("Hidden"),
      expect.stringContaining("Your changes are waiting for review: Business Name."),
    ]);
    expect(said.join(" ")).not.toMatch(/\blive\b/);
  });

  it("shows a manager nothing about payments or a missing owner email", () => {
    const problems = { status: "new", subscription_status: "past_due", hasOwnerEmail: false };
    expect(titles({ ...problems, role: "owner" })).toEqual([
      "Payment failed",
      "Incomplete",
      "Pending Review",
    ]);
    expect(titles({ ...problems, role: "manager" })).toEqual(["Pending Review", ""]);
  });

  it("shows the admin's reason exactly as written", () => {
    const reason = "Bitte <b>Hausnummer</b>";
    const [note] = getListingNotes({ ...complete, changes_requested: reason });
    expect(note?.text).toBe(reason);
  });

  it.each([
    [["name"], "Your changes are waiting for review: Business Name."],
    [
      ["city", "lat", "long", "rawaddress", "description"],
      "Your changes are waiting for review: About/Bio; Address.",
    ],
    [["name", "url", "phone", "category", "tiktok"], /: .+; .+; .+; 2 more\.$/],
    [["name", "url", "phone", "category"], /: .+; .+; .+; Website\.$/],
  ])("names the fields of a pending edit of %o", (changed, text) => {
    const [note] = getListingNotes({ ...complete, status: "pending-update", changed });
    expect(note?.text).toMatch(text);
  });
});

describe("visibility", () => {
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
    [at("new"), ["hide", "archive"]],
    [at("flagged"), ["hide", "archive"]],
    [at("new", false, true), ["hide", "keep"]],
    [at("new", true), ["show", "archive"]],
    [at("archived"), []],
    [at("archived", true, true), []],
  ])("lets the owner of %o do %o", (listing, intents) =>
    expect(getVisibilityIntents(listing)).toEqual(intents),
  );

  it("lets a manager hide and show a listing, but not request its removal, or show it after its owner has", () => {
    expect(getVisibilityIntents(at("published"), true)).toEqual(["hide"]);
    expect(getVisibilityIntents(at("published", true), true)).toEqual(["show"]);
    expect(getVisibilityIntents(at("published", true, true), true)).toEqual([]);
    expect(getVisibilityIntents(at("published", false, true), true)).toEqual(["hide"]);
    expect(getVisibilityIntents(at("new"), true)).toEqual(["hide"]);
  });

  it("confirms each change with the name of the listing", () => {
    for (const intent of VISIBILITY_INTENTS)
      expect(formatVisibilityResult(intent, { ...at("published"), name: "Café X" })).toContain(
        "“Café X”",
      );
    expect(formatVisibilityResult("show", { ...at("new"), name: "Café X" })).toContain(
      "once it’s approved",
    );
    expect(formatVisibilityResult("hide", { ...at("new"), name: "Café X" })).toContain(
      "stays hidden until you show it",
    );
  });

  it.each([
    [at("published"), true],
    [at("pending-update"), true],
    [at("published", true), false],
    [at("new"), false],
    [at("flagged"), false],
  ])(
    "says of %o, once its removal is requested, whether everyone can see it: %s",
    (listing, seen) => {
      const result = formatVisibilityResult("archive", { ...listing, name: "Café X" });
      expect(result.includes("Until then, everyone can see it, unless you hide it.")).toBe(seen);
    },
  );

  it.each([
    [at("published"), "“Café X” stays in the directory."],
    [at("pending-update"), "“Café X” stays in the directory."],
    [at("published", true), "“Café X” stays hidden until you show it again."],
    [at("new"), "“Café X” will appear in the directory once it’s approved."],
    [at("flagged"), "“Café X” will appear in the directory once it’s approved."],
    [at("new", true), "“Café X” isn’t in the directory: it’s hidden and hasn’t been approved."],
  ])(
    "says where a listing of %o is once its removal is no longer requested: %s",
    (listing, where) =>
      expect(formatVisibilityResult("keep", { ...listing, name: "Café X" })).toBe(
        `Your request is canceled. ${where.replace("“Café X”", `“${isolate("Café X")}”`)}`,
      ),
  );
});
