import {
  getCountries,
  getCountryCallingCode,
  getExampleNumber,
  parsePhoneNumberFromString,
  type CountryCode,
} from "libphonenumber-js/max";
import examples from "libphonenumber-js/examples.mobile.json";

import { packCountries } from "./phone-countries";

let countries: string | undefined;

/** Every country that has a calling code, by its English name, as phone-countries.ts reads it. */
function countryList(): string {
  if (countries === undefined) {
    const names = new Intl.DisplayNames(["en"], { type: "region" });
    const list = getCountries().map((code) => ({
      code,
      name: names.of(code) ?? code,
      dialCode: getCountryCallingCode(code),
    }));
    countries = packCountries(list.sort((a, b) => a.name.localeCompare(b.name, "en")));
  }
  return countries;
}

/** A country code of ours for an untrusted value; the US when it is none. */
export function parseCountry(code: string | null | undefined): CountryCode {
  return (getCountries() as string[]).includes(code ?? "") ? (code as CountryCode) : "US";
}

/** How a number looks in a country, e.g. "(201) 555-0123". */
function examplePhone(country: string): string {
  return getExampleNumber(parseCountry(country), examples)?.formatNational() ?? "";
}

/**
 * A typed phone number in the one form that is stored (E.164, "+12015550123").
 * @param typed as written, with or without the country's prefix
 * @param country the country chosen beside it
 * @returns null when it is no valid number
 */
export function normalizePhone(typed: string, country: string): string | null {
  if (typed.length > 250) return null;
  const parsed = parsePhoneNumberFromString(typed, parseCountry(country));
  return parsed?.isValid() ? parsed.number : null;
}

/** What is stored for a typed number that the form's rules let through; null for none. */
export function toStoredPhone(
  typed: string | undefined,
  country: string | undefined,
): string | null {
  return typed ? normalizePhone(typed, country ?? "") : null;
}

/** A stored number as its country writes it, with that country; for filling the form again. */
export function formatPhone(stored: string | null): { country: string | null; national: string } {
  const parsed = stored ? parsePhoneNumberFromString(stored) : undefined;
  if (!parsed) return { country: null, national: stored ?? "" };
  return { country: parsed.country ?? null, national: parsed.formatNational() };
}

export interface PhoneDefaults {
  /** See phone-countries.ts. */
  countries: string;
  country: string;
  number: string;
  example: string;
}

/**
 * What the phone field starts with.
 * @param stored the number on record, or null
 * @param guessed the visitor's country, when the number does not tell one
 */
export function getPhoneDefaults(stored: string | null, guessed: string): PhoneDefaults {
  const known = formatPhone(stored);
  const country = parseCountry(known.country ?? guessed);
  return {
    countries: countryList(),
    country,
    number: known.national,
    example: examplePhone(country),
  };
}
