import { describe, expect, it } from "vitest";

import { formatPhoneCountry } from "~/components/forms/phone-field";
import { findCountry } from "~/modules/accounts/countries.server";
import { packCountries, unpackCountries } from "~/modules/accounts/phone-countries";
import {
  formatPhone,
  parseCountry,
  normalizePhone,
  getPhoneDefaults,
  toStoredPhone,
} from "~/modules/accounts/phone.server";

describe("a phone number", () => {
  it.each([
    ["(415) 555-2671", "US", "+14155552671"],
    ["415.555.2671", "US", "+14155552671"],
    ["1 415 555 2671", "CA", "+14155552671"],
    ["+44 20 7946 0018", "US", "+442079460018"],
    ["020 7946 0018", "GB", "+442079460018"],
    ["030 901820", "DE", "+4930901820"],
    ["55 1234 5678", "MX", "+525512345678"],
    [" ４１５ ５５５ ２６７１ ", "US", "+14155552671"],
  ])("is stored as E.164: %s in %s", (typed, country, stored) => {
    expect(normalizePhone(typed, country)).toBe(stored);
    expect(toStoredPhone(typed, country)).toBe(stored);
  });

  it.each([
    ["555-2671", "US"],
    ["000 000 0000", "US"],
    ["(415) 555-2671", "GB"],
    ["not a number", "US"],
    ["", "US"],
    ["+", "US"],
    ["1".repeat(251), "US"],
    ["+999 123456", "US"],
  ])("is invalid: %s in %s", (typed, country) => {
    expect(normalizePhone(typed, country)).toBeNull();
  });

  it("that is empty is stored as null", () => {
    expect(toStoredPhone("", "US")).toBeNull();
    expect(toStoredPhone(undefined, undefined)).toBeNull();
  });

  it("is shown in its country's format, and stays the same when saved again", () => {
    for (const stored of ["+14155552671", "+442079460018", "+4930901820", "+525512345678"]) {
      const { country, national } = formatPhone(stored);
      expect(normalizePhone(national, country!)).toBe(stored);
    }
    expect(formatPhone(null)).toEqual({ country: null, national: "" });
    expect(formatPhone("ask at the bar")).toEqual({ country: null, national: "ask at the bar" });
  });

  it("has the country of the stored number, or else the guessed one, or else the US", () => {
    expect(getPhoneDefaults("+442079460018", "DE")).toMatchObject({
      country: "United Kingdom (+44)",
      number: "020 7946 0018",
    });
    expect(getPhoneDefaults(null, "DE")).toMatchObject({
      country: "Germany (+49)",
      number: "",
    });
    expect(getPhoneDefaults(null, "ZZ")).toMatchObject({
      country: "United States (+1)",
      example: "(201)\u00a0555-0123",
    });
  });

  it.each([
    ["DE", "DE"],
    ["de", "DE"],
    ["Germany (+49)", "DE"],
    ["germany", "DE"],
    ["Germ", "DE"],
    ["+49", "DE"],
    ["49", "DE"],
    ["Cote d'Ivoire", "CI"],
    ["CÔTE D’IVOIRE (+225)", "CI"],
    ["São Tomé & Príncipe", "ST"],
    ["+1", "US"],
    ["+44", "GB"],
    ["Oman", "OM"],
    ["Niger", "NE"],
    ["U.S.A.", "US"],
    ["UK", "GB"],
  ])("has the country that was picked or typed: %s", (typed, country) => {
    expect(findCountry(typed)).toBe(country);
  });

  it.each([
    "",
    " ",
    "United",
    "Atlantis",
    "+999",
    "+",
    "__proto__",
    "constructor",
    "x".repeat(1_000),
  ])("has no country when %j was typed", (typed) => {
    expect(findCountry(typed)).toBeNull();
    expect(normalizePhone("(415) 555-2671", typed)).toBeNull();
    expect(normalizePhone("+44 20 7946 0018", typed)).toBe("+442079460018");
  });

  it("finds every country of the list by its entry", () => {
    for (const country of unpackCountries(getPhoneDefaults(null, "US").countries))
      expect(findCountry(formatPhoneCountry(country)), country.name).toBe(country.code);
  });

  it.each(["", "us", "USA", "ZZ", "__proto__", null, undefined])(
    "has the country US for the invalid code %j",
    (code) => {
      expect(parseCountry(code)).toBe("US");
    },
  );
});

describe("the list of countries", () => {
  const countries = unpackCountries(getPhoneDefaults(null, "US").countries);

  it("has each country once, sorted by name", () => {
    expect(countries.length).toBeGreaterThan(240);
    expect(new Set(countries.map(({ code }) => code)).size).toBe(countries.length);
    expect(new Set(countries.map(({ name }) => name)).size).toBe(countries.length);
    const names = countries.map(({ name }) => name);
    expect(names).toEqual([...names].sort((a, b) => a.localeCompare(b, "en")));
    expect(countries).toContainEqual({ code: "CI", name: "Côte d’Ivoire", dialCode: "225" });
  });

  it("is the same after packing and unpacking", () => {
    expect(unpackCountries(packCountries(countries))).toEqual(countries);
    expect(unpackCountries("")).toEqual([]);
  });
});
