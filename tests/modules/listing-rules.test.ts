import { describe, expect, it } from "vitest";

import { getColumnLabel, LISTING_FIELD_NAMES, LISTING_FIELDS } from "~/modules/listings/fields";
import { formatColumn } from "~/modules/listings/format-column";
import {
  formatSaveResult,
  getListingRole,
  getOwnRole,
  getStatusBadges,
  LISTING_STATUSES,
} from "~/modules/listings/rules";
import { formatValue } from "~/text/values";

const labels = (status: string | null, premium: boolean | null = false) =>
  getStatusBadges({ status, premium }).map(({ label }) => label);

describe("getStatusBadges", () => {
  it.each([
    ["new", "Pending Review"],
    ["pending-update", "Pending Review"],
    ["published", "Published"],
    ["flagged", "Flagged"],
    ["archived", "Archived"],
  ])("gives status %s the badge %s, and a second one if Featured", (status, label) => {
    expect(labels(status)).toEqual([label]);
    expect(labels(status, true)).toEqual([label, "Featured"]);
  });

  it("has a badge for every status, and none for an unknown one", () => {
    for (const status of LISTING_STATUSES) expect(labels(status)).toHaveLength(1);
    for (const status of [null, "", "Published", "draft"]) expect(labels(status)).toEqual([]);
    expect(labels(null, true)).toEqual(["Featured"]);
    expect(labels("published", null)).toEqual(["Published"]);
  });
});

describe("roles", () => {
  const user = { id: "me", admin: false };

  it.each([
    ["me", "owner"],
    ["another", "manager"],
    [null, "claimant"],
  ] as const)("makes me, with the listing of %s on my dashboard, its %s", (owner, role) => {
    expect(getOwnRole({ owner }, user.id)).toBe(role);
    expect(getListingRole({ owner }, user)).toBe(role);
  });

  it("lets admins act as admins on every listing but their own", () => {
    const admin = { id: "me", admin: true };
    expect(getListingRole({ owner: "me" }, admin)).toBe("owner");
    expect(getListingRole({ owner: "another" }, admin)).toBe("admin");
    expect(getListingRole({ owner: null }, admin)).toBe("admin");
  });
});

describe("formatSaveResult", () => {
  const result = {
    status: "published",
    changed: true,
    claimed: false,
    hidden: false,
    waits: false,
    dropped: false,
    unplaced: false,
  };
  const submitted = "Your listing has been submitted for review!";
  const unplaced =
    "We couldn’t look up the address, so our team will place it on the map when they review it.";

  it.each([
    [{ status: "new" }, submitted],
    [{ status: "pending-update" }, submitted],
    [{ status: "pending-update", unplaced: true }, `${submitted} ${unplaced}`],
    [
      { status: "pending-update", changed: false },
      "Nothing was changed. Your earlier changes are still waiting for review.",
    ],
    [
      { status: "new", changed: false },
      "Nothing was changed. Your listing is still waiting for review.",
    ],
    [{ changed: false }, "Nothing was changed. Your listing is still live."],
    [{ changed: false, hidden: true }, "Nothing was changed. Your listing is still hidden."],
    [{ claimed: true, hidden: true }, "This listing is yours now. It’s still hidden."],
    [{}, "You’re back to the approved version; nothing is waiting for review."],
    [{ claimed: true }, "This listing is yours now. It’s live, just as it was."],
    [
      { claimed: true, status: "pending-update" },
      "This listing is yours now. It has been submitted for review.",
    ],
    [
      { claimed: true, status: "archived" },
      "This listing is yours now. It’s still off the directory.",
    ],
    [{ status: "archived" }, "Your changes are saved. The listing is still off the directory."],
    [{ status: "archived", changed: false }, "Nothing was changed."],
  ])("after %o, to those it belongs to: %s", (change, message) => {
    expect(formatSaveResult({ ...result, ...change }, false)).toBe(message);
  });

  it("names the listing that was updated, for an owner of several", () => {
    const saved = { ...result, status: "pending-update" as const, unplaced: true };
    expect(formatSaveResult(saved, false, "Café X")).toBe(
      `${submitted} You updated “Café X”. ${unplaced}`,
    );
    expect(formatSaveResult({ ...saved, changed: false }, false, "Café X")).not.toContain("Café X");
  });

  it.each([
    [{}, "Saved. This version is live."],
    [{ hidden: true }, "Saved. The listing is still hidden."],
    [{ status: "new" }, "Saved. The listing is still waiting for review."],
    [{ status: "pending-update", waits: true }, "Saved. Its changes are still waiting for review."],
    [{ status: "pending-update" }, "Saved. This version is live."],
    [{ status: "pending-update", hidden: true }, "Saved. The listing is still hidden."],
    [{ status: "archived" }, "Saved. The listing is off the directory."],
    [{ status: "flagged" }, "Saved. The listing is flagged."],
    [{ changed: false }, "Nothing was changed."],
    [
      { status: "new", unplaced: true },
      `Saved. The listing is still waiting for review. ${unplaced}`,
    ],
  ])("after %o, to an admin: %s", (change, message) => {
    expect(formatSaveResult({ ...result, ...change }, true)).toBe(message);
  });
});

describe("values for reading", () => {
  it.each([
    [true, "Yes"],
    [false, "No"],
    ["on", "Yes"],
    [null, "Empty"],
    [undefined, "Empty"],
    ["", "Empty"],
    [[], "Empty"],
    [["Ohio", "Quebec"], "Ohio, Quebec"],
    [0, "0"],
    ["Zoë’s", "Zoë’s"],
  ])("formats %j as %s", (value, text) => {
    expect(formatValue(value)).toBe(text);
  });

  it("shows categories by their names, and the id of an unknown one", () => {
    const options = {
      categories: [{ id: 4, name: "Food" }],
      onlineCategories: [{ id: 50, name: "Books" }],
    };
    expect(formatColumn("category", 4, options)).toBe("Food");
    expect(formatColumn("category", "4", options)).toBe("Food");
    expect(formatColumn("category", 9, options)).toBe("9");
    expect(formatColumn("online_categories", [50, 51], options)).toBe("Books, 51");
    expect(formatColumn("online_categories", null, options)).toBe("Empty");
    expect(formatColumn("name", "4", options)).toBe("4");
  });

  it("labels every field, and derives a label from the name of any other column", () => {
    for (const name of LISTING_FIELD_NAMES)
      expect(getColumnLabel(name)).toBe(LISTING_FIELDS[name].label);
    expect(getColumnLabel("postalcode")).toBe("ZIP / postal code");
    expect(getColumnLabel("instagram_handle")).toBe("Instagram handle");
  });
});
