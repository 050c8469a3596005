import { describe, expect, it } from "vitest";

import {
  editableValues,
  labelOfColumn,
  LISTING_FIELD_NAMES,
  valueInWords,
  type ListingField,
} from "~/modules/listings/fields";
import { claimState, LISTING_STATUSES, statusBadges } from "~/modules/listings/rules";

const labels = (status: string | null, premium: boolean | null = false) =>
  statusBadges({ status, premium }).map(({ label }) => label);

describe("a listing's badges", () => {
  it.each([
    ["new", "Pending Review"],
    ["pending-update", "Pending Review"],
    ["published", "Published"],
    ["flagged", "Flagged"],
    ["archived", "Archived"],
  ])("say of status %s: %s", (status, label) => {
    expect(labels(status)).toEqual([label]);
    expect(labels(status, true)).toEqual([label, "Featured"]);
  });

  it("know every status there is, and say nothing of one there is not", () => {
    for (const status of LISTING_STATUSES) expect(labels(status)).toHaveLength(1);
    for (const status of [null, "", "Published", "draft"]) expect(labels(status)).toEqual([]);
    expect(labels(null, true)).toEqual(["Featured"]);
    expect(labels("published", null)).toEqual(["Published"]);
  });
});

describe("whose a listing is", () => {
  const me = { id: "me", email: "me@example.test" };

  it.each([
    [
      "mine, though it names somebody else",
      { owner: "me", owner_email: "other@example.test" },
      "owned",
    ],
    ["mine, and owned wins over unclaimed", { owner: "me", owner_email: me.email }, "owned"],
    ["mine to claim", { owner: null, owner_email: me.email }, "unclaimed"],
    ["another’s, though it names me", { owner: "other", owner_email: me.email }, "other"],
    ["nobody’s, and names nobody", { owner: null, owner_email: null }, "other"],
    ["nobody’s, and names another", { owner: null, owner_email: "other@example.test" }, "other"],
  ] as const)("%s", (_, listing, state) => {
    expect(claimState(listing, me)).toBe(state);
  });

  it("is never told by an address that is not confirmed", () => {
    expect(claimState({ owner: null, owner_email: "" }, { id: "me", email: "" })).toBe("other");
  });
});

describe("a listing's values", () => {
  it("go into the form as a browser would send them", () => {
    const row = {
      ...Object.fromEntries(LISTING_FIELD_NAMES.map((name) => [name, null])),
      name: "Café X",
      category: 2,
      licensed_locations: ["Ohio", "Quebec"],
      mission_statement: false,
      third_party_auth: true,
    } as Record<ListingField, unknown>;
    expect(editableValues(row)).toMatchObject({
      name: "Café X",
      category: "2",
      description: "",
      licensed_locations: ["Ohio", "Quebec"],
      mission_statement: "",
      third_party_auth: "on",
    });
    expect(Object.keys(editableValues(row))).toEqual([...LISTING_FIELD_NAMES]);
  });

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
  ])("%j is read as %s", (value, words) => {
    expect(valueInWords(value)).toBe(words);
  });

  it("have names for people, every one of them", () => {
    for (const column of LISTING_FIELD_NAMES) expect(labelOfColumn(column)).not.toMatch(/_|^[a-z]/);
    expect(labelOfColumn("instagram_handle")).toBe("Instagram handle");
  });
});
