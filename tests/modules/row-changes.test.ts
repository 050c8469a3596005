import { describe, expect, it } from "vitest";

import { summarizeChanges } from "~/modules/moderation/queue/row-changes.server";

const names = { categories: [{ id: 4, name: "Café" }], onlineCategories: [] };
const one = (column: string, before: unknown, after: unknown) =>
  summarizeChanges([{ column, before, after }], names).changes[0];

describe("a change in a row", () => {
  it.each<[string, unknown, unknown, string, string]>([
    ["phone", "+1 503-555-0116", "+1 503-555-0171", "+1 503-555-0116", "+1 503-555-0171"],
    ["instagram", null, "@shelf", "", "@shelf"],
    ["phone", "+1 503-555-0116", null, "+1 503-555-0116", ""],
    ["category", 3, 4, "3", "Café"],
    ["outdoor", false, true, "No", "Yes"],
    [
      "description",
      "We skate in the old hall on Tuesdays",
      "We skate in the old hall on Tuesdays and Sundays",
      "… on Tuesdays",
      "… on Tuesdays and Sundays",
    ],
    [
      "description",
      "Tastings on Saturdays, in the yard behind the house.",
      "Now: tastings on Saturdays, in the yard behind the house.",
      "Tastings",
      "Now: tastings",
    ],
    ["name", "x".repeat(60), "y".repeat(60), `${"x".repeat(47)}…`, `${"y".repeat(47)}…`],
  ])("of %s from %j to %j", (column, before, after, was, now) => {
    expect(one(column, before, after)).toMatchObject({ was, now });
  });

  it.each([
    ["description", "We bake bread every morning.", "Call 503-555-0199, where he lives alone, all"],
    ["description", "", "Call 503-555-0199, where he lives alone, all"],
    ["url", "a", "b"],
  ])(
    "begins where two versions of %s differ that have too little in common",
    (column, was, now) => {
      const same =
        column === "url"
          ? `https://fern.example/${"x".repeat(40)}`
          : "Fern & Flour is a worker-owned bakery in Alberta. ";
      const rest = ` ${"night and day ".repeat(20)}`;
      const change = { column, before: `${same}${was}`, after: `${same}${now}${rest}` };
      const { changes, isWhole } = summarizeChanges([change], names);
      expect(changes[0]).toMatchObject({
        was: expect.stringMatching(new RegExp(`^… .*${was}$`)) as string,
        now: expect.stringMatching(new RegExp(`^… .*${now.slice(0, 20)}.*…$`)) as string,
      });
      expect(changes[0]!.was).not.toBe(changes[0]!.now);
      expect(isWhole).toBe(false);
    },
  );

  it("shows a country or a state that was not typed, and that a city is gone", () => {
    const typed = "10 Elm St, Boise, ID";
    const before: Record<string, string> = {
      rawaddress: "9 Elm St, Boise, ID",
      address: "9 Elm St, Boise, ID 83702, United States",
      city: "Boise",
      state: "ID",
    };
    const rowOf = (after: Record<string, string | null>, country: string | null = null) =>
      summarizeChanges(
        Object.entries({ rawaddress: typed, ...after }).map(([column, value]) => ({
          column,
          before: column === "country" ? country : before[column],
          after: value,
        })),
        names,
      );
    const abroad = { address: "10 Elm St, Boise, ID 83702, Russia", country: "Russia" };
    for (const country of ["United States", null])
      expect(rowOf(abroad, country)).toMatchObject({ isWhole: false });
    const inBoise = rowOf({ address: "10 Elm St, Boise", state: "Boise" });
    expect(inBoise.changes).toMatchObject([{ now: typed }, { was: "ID", now: "Boise" }]);
    const nowhere = rowOf({ address: null, city: null });
    expect(nowhere.changes).toMatchObject([{ now: typed }, { was: "Boise", now: "" }]);
    // A look-up adds the usual country, and a postal code.
    const found = { address: `${typed} 83702, United States`, country: "United States" };
    expect(rowOf(found)).toMatchObject({ changes: [{ now: typed }], isWhole: true });
  });

  it("shows the address that people see when its words are other ones than those that were typed", () => {
    const changesTo = (rawaddress: string, address: string) =>
      summarizeChanges(
        [
          { column: "rawaddress", before: "9 Elm St, Boise, ID", after: rawaddress },
          { column: "address", before: "9 Elm St, Boise, ID", after: address },
        ],
        names,
      ).changes.map(({ now }) => now);
    const typed = "115 Main Street, Boise, ID";
    expect(changesTo(typed, typed)).toEqual([typed]);
    expect(changesTo(typed, "Main Street, Boise, ID")).toEqual([typed]);
    for (const other of ["15 Main Street, Boise, ID", "115 Main Street, Bois, ID"])
      expect(changesTo(typed, other)).toEqual(expect.arrayContaining([other]));
  });

  it("doesn’t show all of what changed when it reads the same before and after", () => {
    const change = (before: unknown, after: unknown) =>
      summarizeChanges([{ column: "licensed_locations", before, after }], names).isWhole;
    expect(change(["Idaho", "Oregon"], ["Idaho, Oregon"])).toBe(false);
    expect(change(["Idaho"], ["Oregon"])).toBe(true);
  });

  it("is never called empty when only a part of a text was removed", () => {
    const text = "A long text about the garden, and how to get there by bus.";
    expect(one("description", `Closed. ${text}`, text)).toMatchObject({ was: "Closed.", now: "…" });
  });
});

it("shows two fields and counts the others; an address is one of them", () => {
  const change = (column: string) => ({ column, before: "a", after: "b" });
  const fields = (columns: string[]) => {
    const { changes, more } = summarizeChanges(columns.map(change), names);
    return [changes.map(({ label }) => label), more];
  };
  expect(fields(["phone"])).toEqual([["Phone"], 0]);
  expect(fields(["rawaddress", "address", "city", "state", "phone"])).toEqual([
    ["Address", "Phone"],
    0,
  ]);
  expect(fields(["city"])).toEqual([["City"], 0]);
  expect(fields(["name", "phone", "url", "description"])).toEqual([["Business Name", "Phone"], 2]);
  expect(fields([])).toEqual([[], 0]);
});

describe("an address in a row", () => {
  const typed = {
    column: "rawaddress",
    before: "8 Oak St, Boise, ID",
    after: "9 Elm St, Nampa, ID",
  };
  const address = (after: string | null) => ({
    column: "address",
    before: "8 Oak St, Boise, ID 83702",
    after,
  });
  const city = (after: string) => ({ column: "city", before: "Boise", after });
  const position = [
    { column: "lat", before: 43.6, after: 43.604 },
    { column: "long", before: -116.2, after: -116.2 },
  ];
  const roughly = { column: "address_approximate", before: false, after: true };
  const shownOf = (...changes: Parameters<typeof summarizeChanges>[0]) => {
    const { changes: rows, more, isWhole } = summarizeChanges(changes, names);
    expect([more, isWhole]).toEqual([0, true]);
    return rows.map(({ label, now }) => `${label}: ${now}`);
  };

  it.each(["9 Elm St, Nampa, ID 83702, United States", "Nampa, ID", "ID", null])(
    "stands for what people see of it, when that is %j",
    (after) => {
      expect(shownOf(typed, address(after), city("Nampa"), roughly)).toEqual([
        "Address: 9 Elm St, Nampa, ID",
      ]);
    },
  );

  it.each([
    "Jane Doe, 9 Elm St, Nampa, ID",
    "7 Elm St, Nampa, ID",
    "9 Elm St, Nampa, ID 83651, United States",
    "9 Elm St, Nampa, ID 83651 Jane",
    "9 Elm St, Nampa, ID 208-555-0100",
    "9 Elm St, Nampa, ID 0JANE-DOE-WAS-JOHN-DOE",
    "9 Elm St, Nampa 83651, ID 83651",
    "Chad, 9 Elm St, Nampa, ID",
  ])("doesn’t stand for another text that people would see: an owner can send %j", (after) => {
    expect(shownOf(typed, address(after), roughly)).toEqual([
      "Address: 9 Elm St, Nampa, ID",
      `Address on the map: ${after}`,
    ]);
  });

  it("doesn’t stand for more of what had been typed than people saw before", () => {
    const more = { column: "address", before: "Boise, ID", after: "9 Elm St, Nampa, ID" };
    expect(shownOf(typed, more, roughly)).toEqual([
      "Address: 9 Elm St, Nampa, ID",
      "Address on the map: 9 Elm St, Nampa, ID",
    ]);
    expect(shownOf(typed, { ...more, before: null })).toHaveLength(2);
    const same = { ...more, before: "8 Oak St, Boise, ID 83702, United States" };
    expect(shownOf(typed, same, roughly)).toEqual(["Address: 9 Elm St, Nampa, ID"]);
  });

  it("doesn’t stand for a city that it doesn’t contain", () => {
    const shown = ["Address: 9 Elm St, Nampa, ID", "City: Jane lives here"];
    expect(shownOf(typed, city("Jane lives here"))).toEqual(shown);
  });

  it("doesn’t stand for a postal code that was neither typed nor approved", () => {
    const code = (before: string | null, after: string) => ({
      column: "postalcode",
      before,
      after,
    });
    const shown = ["Address: 9 Elm St, Nampa, ID", "ZIP / postal code: 99999"];
    expect(shownOf(typed, address("Nampa, ID"), code("83702", "99999"))).toEqual(shown);
    expect(shownOf(typed, code("83702", "99999"))).toEqual(shown);
    const map = "Address on the map: 9 Elm St, Nampa, ID 99999";
    const everywhere = [address("9 Elm St, Nampa, ID 99999"), code("83702", "99999")];
    expect(shownOf(typed, ...everywhere)).toEqual([shown[0], map]);
    const written = { ...typed, after: "9 Elm St, Nampa, ID 99999" };
    expect(shownOf(written, ...everywhere)).toHaveLength(1);
    const known = address("9 Elm St, Nampa, ID 83702");
    expect(shownOf(typed, known, code(null, "83702"))).toHaveLength(1);
  });

  it("doesn’t stand for a postal code that goes away", () => {
    const gone = { column: "postalcode", before: "83702", after: null };
    const shown = ["Address: 9 Elm St, Nampa, ID", "ZIP / postal code: "];
    expect(shownOf(typed, gone)).toEqual(shown);
    expect(shownOf(typed, address("9 Elm St, Nampa, ID"), city("Nampa"), gone)).toEqual(shown);
    expect(shownOf(gone)).toEqual(["ZIP / postal code: "]);
  });

  it.each([
    ["city", "Elm"],
    ["city", "9 Elm St"],
    ["city", "ID"],
    ["state", "I"],
    ["state", "Nampa"],
    ["country", "Nampa"],
    ["postalcode", "Nampa"],
  ])("doesn’t stand for a %s that it has in another place: %s", (column, after) => {
    expect(shownOf(typed, { column, before: "x", after })).toHaveLength(2);
  });

  it.each([
    [{ lat: 31.7619, long: -106.485 }, "about 970 miles away"],
    [{ lat: 43.6, long: -116.18 }, "about 1 mile away"],
    [{ lat: null, long: null }, "removed"],
  ])("doesn’t stand for a pin that moves to %j", (pin, text) => {
    const move = [
      { column: "lat", before: 43.6, after: pin.lat },
      { column: "long", before: -116.2, after: pin.long },
    ];
    const shown = `Pin on the map: ${text}`;
    expect(shownOf(typed, address("9 Elm St, Nampa, ID"), ...move)).toEqual([
      shown,
      "Address: 9 Elm St, Nampa, ID",
    ]);
    expect(shownOf(...move)).toEqual([shown]);
  });

  it.each([
    ["9 Elm St", "9 Elm St, Nampa"],
    ["CDMX", "Calle 9, Coyoacán, CDMX, Mexico"],
  ])("doesn’t stand for a street or a state in the city’s place: %s", (after, written) => {
    expect(shownOf({ ...typed, after: written }, city(after))).toHaveLength(2);
  });

  it.each([
    ["Berlin", "Elmweg 9, 10115 Berlin, Germany"],
    ["Berlin", "Elmweg 9, Mitte, 10115 Berlin"],
    ["Nampa", "Nampa, ID 83651"],
    ["Nampa", "9 Elm St, Nampa, ID, United States"],
    ["Nampa", "9 Elm St, Nampa, Idaho"],
    ["Nampa", "Nampa"],
  ])("stands for the city %s in %j", (after, written) => {
    expect(shownOf({ ...typed, after: written }, city(after))).toHaveLength(1);
  });

  it("doesn’t stand for a pin that moves a little, which comes last", () => {
    expect(shownOf(typed, address("9 Elm St, Nampa, ID"), ...position)).toEqual([
      "Address: 9 Elm St, Nampa, ID",
      "Pin on the map: less than half a mile away",
    ]);
    const phone = { column: "phone", before: "1", after: "2" };
    const { changes, more, isWhole } = summarizeChanges([typed, ...position, phone], names);
    expect(changes.map(({ label }) => label)).toEqual(["Address", "Phone"]);
    expect([more, isWhole]).toEqual([1, false]);
  });

  it("says that the pin moves a little where nothing else changes", () => {
    expect(shownOf(...position)).toEqual(["Pin on the map: less than half a mile away"]);
  });
});

it("counts the other places of a text of which it shows the first", () => {
  const text = "We skate in the old hall behind the library on Tuesdays, and all are welcome";
  const change = (after: string) => [{ column: "description", before: text, after }];
  const { more } = summarizeChanges(change(`Now: we${text.slice(2)}. Jane is here.`), names);
  expect(more).toBe(1);
  expect(summarizeChanges(change(`${text}. Jane is here.`), names).more).toBe(0);
});
