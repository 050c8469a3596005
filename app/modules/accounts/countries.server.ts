import { getCountries, getCountryCallingCode, type CountryCode } from "libphonenumber-js/max";

import { formatPhoneCountry } from "~/components/forms/phone-field";
import { LOCALE } from "~/text/locale";

/** All countries with a calling code, sorted by their English names. */
export const COUNTRIES = listCountries();

function listCountries() {
  const names = new Intl.DisplayNames([LOCALE], { type: "region" });
  const list = getCountries().map((code) => ({
    code,
    name: names.of(code) ?? code,
    dialCode: getCountryCallingCode(code),
  }));
  return list.sort((a, b) => a.name.localeCompare(b.name, LOCALE));
}

/** The countries that a calling code stands for on its own, where several share it. */
const MAIN_COUNTRIES: readonly CountryCode[] = ["US", "RU", "IT", "GB", "NO", "AU", "MA", "FI"];

/** What people call countries besides their names and codes. */
const OTHER_NAMES = new Map<string, CountryCode>([
  ["usa", "US"],
  ["united states of america", "US"],
  ["uk", "GB"],
  ["great britain", "GB"],
  ["england", "GB"],
  ["scotland", "GB"],
  ["wales", "GB"],
  ["northern ireland", "GB"],
]);

/** A name as people type it: without accents, signs, and capital letters. */
const fold = (text: string) =>
  text
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .replace(/\.(?=\p{L}\b)/gu, "")
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim()
    .toLowerCase();

/**
 * The country that was picked from the list or typed: by its name or how that begins, its code, or
 * its calling code. Null when it matches no country, or several.
 */
export function findCountry(typed: string): CountryCode | null {
  const text = fold(typed);
  if (text === "") return null;
  const exact = COUNTRIES.find(
    (one) =>
      one.code.toLowerCase() === text ||
      fold(one.name) === text ||
      fold(formatPhoneCountry(one)) === text,
  );
  if (exact) return exact.code;
  const called = OTHER_NAMES.get(text);
  if (called) return called;
  const sharing = COUNTRIES.filter(({ dialCode }) => dialCode === text);
  const begun = /\d/.test(text) ? [] : COUNTRIES.filter(({ name }) => fold(name).startsWith(text));
  const found =
    sharing.find(({ code }) => MAIN_COUNTRIES.includes(code)) ??
    (sharing.length === 1 ? sharing[0] : begun.length === 1 ? begun[0] : undefined);
  return found?.code ?? null;
}

/** The English name of a country by its code ("US"); the code itself when it is not in the list. */
export const getCountryName = (code: string): string =>
  COUNTRIES.find((one) => one.code === code)?.name ?? code;
