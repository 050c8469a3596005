import { describe, expect, it } from "vitest";

import { parseForm } from "~/http/form.server";
import { LICENSED_LOCATIONS } from "~/modules/listings/licensed-locations.server";
import { listingSchema, listingSchemaOver } from "~/modules/listings/schema.server";

import { listingForm } from "../support/forms";

Object.assign(process.env, {
  APP_URL: "http://dashboard.test",
  SESSION_SECRET: "the seals of picked addresses hang on it",
  SUPABASE_URL: "http://supabase.test",
  SUPABASE_PUBLISHABLE_KEY: "publishable",
  SUPABASE_SECRET_KEY: "secret",
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
  "To make sure we place your business on the map in the right place, please select an address from the dropdown on the location field.";

describe("a listing's form", () => {
  it("is told everything that is missing at once", () => {
    expect(errorsOf({})).toEqual({
      name: ["Enter the name of your business."],
      category: ["Choose a category."],
      description: ["Tell people about your business."],
      rawaddress: [ADDRESS_RULE],
      mailingaddress: ["Please be sure to select a valid mailing address."],
      third_party_auth: ["Please agree that your listing is shown publicly."],
      certified_queer: [
        "Please certify that the business or organization is queer-owned or queer-serving.",
      ],
    });
  });

  it("is told the rule of its category together with what is missing", () => {
    expect(errorsOf({ ...THERAPIST, name: "" })).toMatchObject({
      name: expect.any(Array),
      licensed_locations: ["Choose where you are licensed."],
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
  ])("of a community group with %s", (_, fields, taken) => {
    const expected = taken ? {} : { queer_programming: [COMMUNITY_RULE] };
    expect(errorsOf({ ...listingForm(), ...COMMUNITY_GROUP, ...(fields as Fields) })).toEqual(
      expected,
    );
  });

  it("asks only therapists where they are licensed, and takes any place of the list", () => {
    expect(errorsOf(listingForm())).toEqual({});
    expect(errorsOf({ ...listingForm(), ...THERAPIST })).toEqual({
      licensed_locations: ["Choose where you are licensed."],
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
    // 50 states and the capital, 5 territories, 13 provinces and territories of Canada, every other country and its territories where people live.
    expect(LICENSED_LOCATIONS.size).toBe(305);
    expect(
      valuesOf({ ...listingForm(), licensed_locations: [...LICENSED_LOCATIONS] })
        .licensed_locations,
    ).toHaveLength(LICENSED_LOCATIONS.size);
    expect(errorsOf({ ...listingForm(), licensed_locations: "Atlantis" })).toEqual({
      "licensed_locations[0]": ["Choose places from the list."],
    });
  });

  it("lets a listing keep the places that it named when the list was another one, and takes no new ones of these", () => {
    const over = listingSchemaOver({ licensed_locations: ["Cascadia"] });
    const judged = (places: string[]) =>
      parseForm(formOf({ ...listingForm(), ...THERAPIST, licensed_locations: places }), over)
        .status;
    expect(judged(["Cascadia", "Ohio"])).toBe("success");
    expect(judged(["Atlantis", "Ohio"])).toBe("error");
  });

  it.each(["", "x", "0", "-1", "1.5", "NaN", "Infinity", "1e10", "99999999999999999999"])(
    "takes no category of %j",
    (category) => {
      expect(errorsOf(listingForm({ category }))).toEqual({ category: ["Choose a category."] });
    },
  );

  it.each(["name", "description", "rawaddress", "mailingaddress"])(
    "does not take spaces for a %s",
    (name) => {
      expect(Object.keys(errorsOf(listingForm({ [name]: " \n\t " })) ?? {})).toEqual([name]);
    },
  );

  it.each(["public_email", "phone", "url", "instagram", "linkedin"])(
    "takes spaces for no %s at all",
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
  ])("takes a %s of %i characters and not one more", (name, most) => {
    expect(errorsOf(listingForm({ [name]: "x".repeat(most) }))).toEqual({});
    expect(errorsOf(listingForm({ [name]: "x".repeat(most + 1) }))).toEqual({
      [name]: [`Use at most ${most.toLocaleString("en")} characters.`],
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
  ])("takes the phone number %s", (phone) =>
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
  ])("takes no phone number of %j", (phone) => {
    expect(errorsOf(listingForm({ phone }))).toEqual({
      phone: ["Enter a phone number, like (201) 555-0123."],
    });
  });

  it("takes no link that grows past its limit when it is completed", () => {
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
  ])("takes Instagram's %s for %s", (typed, link) => {
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
  ])("takes no website of %s", (url) => {
    expect(errorsOf(listingForm({ url }))).toEqual({
      url: ["Please be sure to include https:// in your website URL."],
    });
  });

  it.each(["tiktok", "instagram", "xtwitter", "youtube", "facebook", "linkedin"])(
    "makes no link of a script in %s",
    (network) => {
      for (const typed of ["javascript:alert(1)", "data:x", "https:\\\\x", "<b>", "a b"]) {
        expect(Object.keys(errorsOf(listingForm({ [network]: typed })) ?? {})).toEqual([network]);
      }
    },
  );

  it("reads nothing that it does not ask for", () => {
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

  it("does without a token or a version that is none, rather than refuse what was typed", () => {
    for (const bad of ["", "x", "-1", "1e99", "not-a-uuid"]) {
      expect(valuesOf({ ...listingForm(), submission_id: bad, version: bad })).toMatchObject({
        submission_id: undefined,
        version: undefined,
      });
    }
  });
});
