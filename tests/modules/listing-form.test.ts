import { describe, expect, it } from "vitest";

import { parseForm } from "~/http/form.server";
import { LISTING_FIELD_NAMES, type ListingField } from "~/modules/listings/fields";
import { LICENSED_LOCATIONS } from "~/modules/listings/licensed-locations.server";
import { toListingFormValues } from "~/modules/listings/listing-form.server";
import { listingSchema, listingSchemaFor } from "~/modules/listings/schema.server";

import { listingForm } from "../support/forms";

Object.assign(process.env, {
  APP_URL: "http://dashboard.test",
  SESSION_SECRET: "signs the seals of picked addresses",
  SUPABASE_URL: "http://supabase.test",
  SUPABASE_PUBLISHABLE_KEY: "sb_publishable_x",
  SUPABASE_SECRET_KEY: "sb_secret_x",
});

type Fields = Record<string, string | string[]>;

function formOf(fields: Fields) {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields))
    for (const one of [value].flat()) form.append(name, one);
  return form;
}
const submit = (fields: Fields) => parseForm(formOf(fields), listingSchema);
const errorsOf = (fields: Fields) => {
  const submission = submit(fields);
  return submission.status === "success" ? {} : submission.error;
};
const valuesOf = (fields: Fields) => {
  const submission = submit(fields);
  if (submission.status !== "success") throw new Error(JSON.stringify(submission.error));
  return submission.value;
};

const THERAPIST = { category: "2" };
const COMMUNITY_GROUP = { category: "14" };
const COMMUNITY_RULE =
  "At this time we are only allowing organizations that serve queer or trans people and include this in their mission statement, we appreciate you applying!";
const ADDRESS_RULE =
  "To make sure we place your business on the map in the right place, please select an address from the dropdown on the location field. Type your address and select “Find address”, then choose yours from the list.";

it("turns a saved listing into the values that a browser would send", () => {
  const empty = Object.fromEntries(LISTING_FIELD_NAMES.map((name) => [name, null]));
  const row = {
    ...(empty as Record<ListingField, unknown>),
    name: "Café X",
    category: 2,
    licensed_locations: ["Ohio", "Quebec"],
    mission_statement: false,
    third_party_auth: true,
  };
  const values = toListingFormValues(row);
  expect(values).toMatchObject({
    name: "Café X",
    category: "2",
    description: "",
    licensed_locations: ["Ohio", "Quebec"],
    mission_statement: "",
    third_party_auth: "on",
  });
  expect(Object.keys(values)).toEqual([...LISTING_FIELD_NAMES, "mailing_same"]);
});

describe("the listing schema", () => {
  it("reports every missing field at once", () => {
    expect(errorsOf({})).toEqual({
      name: ["Enter the name of your business."],
      category: ["Choose a category."],
      description: ["Tell people about your business."],
      rawaddress: [ADDRESS_RULE],
      mailingaddress: ["Please be sure to select a valid mailing address."],
      third_party_auth: ["To be listed, you need to agree to have your listing shown publicly."],
      certified_queer: [
        "To be listed, you need to certify that the business or organization is queer-owned or queer-serving.",
      ],
    });
  });

  it("reports the rules of a category together with missing fields", () => {
    expect(errorsOf({ ...THERAPIST, name: "" })).toMatchObject({
      name: expect.any(Array),
      licensed_locations: ["Choose where you’re licensed."],
    });
    expect(errorsOf({ ...COMMUNITY_GROUP })).toMatchObject({
      name: expect.any(Array),
      queer_programming: [COMMUNITY_RULE],
    });
  });

  it.each([
    ["nothing", {}, false],
    ["programs alone", { queer_programming: "on" }, false],
    ["a mission statement alone", { mission_statement: "on" }, false],
    ["both", { queer_programming: "on", mission_statement: "on" }, true],
  ])("validates a community group with %s (%o): accepted is %s", (_, fields, accepted) => {
    const expected = accepted ? {} : { queer_programming: [COMMUNITY_RULE] };
    expect(errorsOf({ ...listingForm(), ...COMMUNITY_GROUP, ...(fields as Fields) })).toEqual(
      expected,
    );
  });

  it("requires licensed locations of therapists only, and accepts every location of the list", () => {
    expect(errorsOf(listingForm())).toEqual({});
    expect(errorsOf({ ...listingForm(), ...THERAPIST })).toEqual({
      licensed_locations: ["Choose where you’re licensed."],
    });
    const some = [
      "Washington DC",
      "Quebec",
      "Puerto Rico",
      "Georgia",
      "Georgia (country)",
      "Kenya",
      "Côte d’Ivoire",
      "Samoa",
    ];
    expect(
      valuesOf({ ...listingForm(), ...THERAPIST, licensed_locations: some }).licensed_locations,
    ).toEqual(some);
    // 50 states and the capital, 5 territories, the 13 provinces and territories of Canada, and every
    // other country and inhabited territory.
    expect(LICENSED_LOCATIONS.size).toBe(305);
    expect(
      valuesOf({ ...listingForm(), licensed_locations: [...LICENSED_LOCATIONS] })
        .licensed_locations,
    ).toHaveLength(LICENSED_LOCATIONS.size);
    expect(errorsOf({ ...listingForm(), licensed_locations: "Atlantis" })).toEqual({
      "licensed_locations[0]": ["Choose places from the list."],
    });
  });

  it("lets a listing keep saved locations that left the list, and accepts no other unlisted ones", () => {
    const schema = listingSchemaFor({ licensed_locations: ["Cascadia"] });
    const validate = (places: string[]) =>
      parseForm(formOf({ ...listingForm(), ...THERAPIST, licensed_locations: places }), schema)
        .status;
    expect(validate(["Cascadia", "Ohio"])).toBe("success");
    expect(validate(["Atlantis", "Ohio"])).toBe("error");
  });

  it.each(["", "x", "0", "-1", "1.5", "NaN", "Infinity", "1e10", "99999999999999999999"])(
    "rejects the category %j",
    (category) => {
      expect(errorsOf(listingForm({ category }))).toEqual({ category: ["Choose a category."] });
    },
  );

  it.each(["name", "description", "rawaddress", "mailingaddress"])(
    "rejects a %s of nothing but spaces",
    (name) => {
      expect(Object.keys(errorsOf(listingForm({ [name]: " \n\t " })) ?? {})).toEqual([name]);
    },
  );

  it.each(["public_email", "phone", "url", "instagram", "linkedin"])(
    "reads a %s of nothing but spaces as empty, and rejects two of them",
    (name) => {
      expect(valuesOf(listingForm({ [name]: "  " }))).toMatchObject({ [name]: null });
      expect(valuesOf(listingForm({ [name]: "" }))).toMatchObject({ [name]: null });
      expect(errorsOf({ ...listingForm(), [name]: ["a", "b"] })).toEqual({
        [name]: ["Enter this once."],
      });
    },
  );

  it.each([
    ["name", 200],
    ["description", 5_000],
    ["rawaddress", 300],
    ["mailingaddress", 300],
  ])("accepts a %s of %i characters and not one more", (name, max) => {
    expect(errorsOf(listingForm({ [name]: "x".repeat(max) }))).toEqual({});
    expect(errorsOf(listingForm({ [name]: "x".repeat(max + 1) }))).toEqual({
      [name]: [`Use at most ${max.toLocaleString("en-US")} characters.`],
    });
  });

  it.each([
    "(201) 555-0123",
    "201-555-0123",
    "201.555.0123",
    "+44 20 7946 0958",
    "+1 (201) 555-0123 ext. 45",
    "1 201 555 0123 x45",
    "911",
    "2015550123,,45#",
  ])("accepts the phone number %s", (phone) =>
    expect(valuesOf(listingForm({ phone }))).toMatchObject({ phone }),
  );

  it.each([
    "call us",
    "x",
    "()",
    "1",
    "+",
    "tel:2015550123",
    "201 555 0123 or 4",
    "0".repeat(21),
    "<b>5550123</b>",
    "555\u00000123;DROP",
  ])("rejects the phone number %j", (phone) => {
    expect(errorsOf(listingForm({ phone }))).toEqual({
      phone: ["Enter a phone number, like (201) 555-0123."],
    });
  });

  it("rejects a link that exceeds its limit once it is completed", () => {
    const name = "instagram.com/".padEnd(297, "x");
    expect(errorsOf(listingForm({ instagram: name }))).toEqual({
      instagram: [expect.stringContaining("full link")],
    });
    expect(errorsOf(listingForm({ instagram: name.slice(0, 290) }))).toEqual({});
  });

  it.each([
    ["@riverbend", "https://www.instagram.com/riverbend"],
    ["riverbend", "https://www.instagram.com/riverbend"],
    ["instagram.com/riverbend", "https://instagram.com/riverbend"],
    ["https://www.instagram.com/riverbend/", "https://www.instagram.com/riverbend/"],
  ])("completes %s on Instagram to %s", (typed, link) => {
    expect(valuesOf(listingForm({ instagram: typed }))).toMatchObject({ instagram: link });
  });

  it.each([
    "javascript:alert(1)",
    "data:text/html,x",
    "https:\\\\x",
    "ftp://x.test",
    "secondshelf.example",
    "https://user@evil.test",
    "//x.test",
    "https://x .test",
  ])("rejects the website %s", (url) => {
    expect(errorsOf(listingForm({ url }))).toEqual({
      url: ["Please be sure to include https:// in your website URL."],
    });
  });

  it.each(["tiktok", "instagram", "xtwitter", "youtube", "facebook", "linkedin"])(
    "rejects scripts and markup in %s",
    (network) => {
      for (const typed of ["javascript:alert(1)", "data:x", "https:\\\\x", "<b>", "a b"]) {
        expect(Object.keys(errorsOf(listingForm({ [network]: typed })) ?? {})).toEqual([network]);
      }
    },
  );

  it("ignores fields that the form does not have", () => {
    const extra = {
      status: "published",
      premium: "true",
      owner: "x",
      owner_email: "x@y.test",
      stripe_subscription_id: "sub_1",
      id: "1",
      last_update: "{}",
    };
    expect(valuesOf({ ...listingForm(), ...extra })).toEqual(valuesOf(listingForm()));
  });

  it("ignores a malformed token or version instead of rejecting the form", () => {
    for (const bad of ["", "x", "-1", "1e99", "not-a-uuid"]) {
      expect(valuesOf({ ...listingForm(), submission_id: bad, version: bad })).toMatchObject({
        submission_id: undefined,
        version: undefined,
      });
    }
  });
});
