import {
  getCountries,
  getCountryCallingCode,
  getExampleNumber,
  parsePhoneNumberFromString,
  type CountryCode,
} from "libphonenumber-js/max";
import examples from "libphonenumber-js/examples.mobile.json";

import { LOCALE } from "~/text/locale";

import { packCountries } from "./phone-countries";

let countries: string | undefined;

/**
 * All countries with a calling code, sorted by their English names and packed (phone-countries.ts).
 */
function listCountries(): string {
  if (countries === undefined) {
    const names = new Intl.DisplayNames([LOCALE], { type: "region" });
    const list = getCountries().map((code) => ({
      code,
      name: names.of(code) ?? code,
      dialCode: getCountryCallingCode(code),
    }));
    countries = packCountries(list.sort((a, b) => a.name.localeCompare(b.name, LOCALE)));
  }
  return countries;
}

/** The country of an untrusted code; the US when it is not a known one. */
export function parseCountry(code: string | null | undefined): CountryCode {
  return (getCountries() as string[]).includes(code ?? "") ? (code as CountryCode) : "US";
}

/** An example of a country's phone numbers: "(201) 555-0123". */
function getExample(country: string): string {
  return getExampleNumber(parseCountry(country), examples)?.formatNational() ?? "";
}

/**
 * A phone number in E.164, the format that is stored: "+12015550123".
 * @param typed with or without the country's prefix
 * @param country the country selected beside it
 * @returns null when it is not a valid number
 */
export function normalizePhone(typed: string, country: string): string | null {
  if (typed.length > 250) return null;
  const parsed = parsePhoneNumberFromString(typed, parseCountry(country));
  return parsed?.isValid() ? parsed.number : null;
}

/** The number to store for a valid form; null without one. */
export function toStoredPhone(
  typed: string | undefined,
  country: string | undefined,
): string | null {
  return typed ? normalizePhone(typed, country ?? "") : null;
}

/** A stored number in its country's format, and that country. */
export function formatPhone(stored: string | null): { country: string | null; national: string } {
  const parsed = stored ? parsePhoneNumberFromString(stored) : undefined;
  if (!parsed) return { country: null, national: stored ?? "" };
  return { country: parsed.country ?? null, national: parsed.formatNational() };
}

export interface PhoneDefaults {
  /** Packed: see phone-countries.ts. */
  countries: string;
  country: string;
  number: string;
  example: string;
}

/**
 * The initial values of the phone field.
 * @param stored the stored number, or null
 * @param guessed the visitor's country, for a number without one
 */
export function getPhoneDefaults(stored: string | null, guessed: string): PhoneDefaults {
  const phone = formatPhone(stored);
  const country = parseCountry(phone.country ?? guessed);
  return {
    countries: listCountries(),
    country,
    number: phone.national,
    example: getExample(country),
  };
}
