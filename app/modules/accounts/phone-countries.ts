import type { PhoneCountry } from "~/components/forms/phone-field";
import { LOCALE } from "~/text/locale";

/**
 * Packs the list of countries into one string of codes ("US1|…"), in the order of the options. A
 * page has the list twice: as options, and as data for React. The data needs no names, since
 * browsers know them. Where a browser's name differs, the server's stays (see PhoneField).
 */
export function packCountries(
  countries: readonly Pick<PhoneCountry, "code" | "dialCode">[],
): string {
  return countries.map(({ code, dialCode }) => `${code}${dialCode}`).join("|");
}

/** The list from packCountries, with the countries' English names. */
export function unpackCountries(packed: string): PhoneCountry[] {
  const names = new Intl.DisplayNames([LOCALE], { type: "region" });
  return packed.split("|").flatMap((entry) => {
    const [, code, dialCode] = /^([A-Z]{2})(\d+)$/.exec(entry) ?? [];
    return code && dialCode ? [{ code, dialCode, name: names.of(code) ?? code }] : [];
  });
}
