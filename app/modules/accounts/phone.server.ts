import {
  getCountries,
  getExampleNumber,
  parsePhoneNumberFromString,
  type CountryCode,
} from "libphonenumber-js/max";
import examples from "libphonenumber-js/examples.mobile.json";

import { formatPhoneCountry } from "~/components/forms/phone-field";
import { keepTogether } from "~/text/keep-together";

import { COUNTRIES, findCountry } from "./countries.server";
import { packCountries } from "./phone-countries";

const packedCountries = packCountries(COUNTRIES);

/** Whether a number itself says which country it is from: "+44 20 7946 0018". */
export const namesItsCountry = (typed: string): boolean => /^[\s(]*[+＋]/.test(typed);

/** The country of an untrusted code; the US when it is not a known one. */
export function parseCountry(code: string | null | undefined): CountryCode {
  return (getCountries() as string[]).includes(code ?? "") ? (code as CountryCode) : "US";
}

/** An example of a country's phone numbers: "(201) 555-0123". It stays on one line. */
function getExample(country: string): string {
  return keepTogether(getExampleNumber(parseCountry(country), examples)?.formatNational() ?? "");
}

/**
 * A phone number in E.164, the format that is stored: "+12015550123".
 * @param typed with or without the country's prefix
 * @param country the country beside it, as it was typed or picked
 * @returns null when it is not a valid number, or its country isn't known
 */
export function normalizePhone(typed: string, country: string): string | null {
  if (typed.length > 250) return null;
  const parsed = parsePhoneNumberFromString(typed, findCountry(country) ?? undefined);
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
  /** As the list shows it. */
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
  const code = parseCountry(phone.country ?? guessed);
  const country = COUNTRIES.find((one) => one.code === code);
  return {
    countries: packedCountries,
    country: country ? formatPhoneCountry(country) : "",
    number: phone.national,
    example: getExample(code),
  };
}
