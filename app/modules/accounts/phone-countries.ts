export interface PhoneCountry {
  code: string;
  name: string;
  dialCode: string;
}

/**
 * The list of countries stands in a page twice: as options, and as data for React. The second copy is
 * packed into one string of codes ("US1|…"), in the order of the options; names are not in it, since
 * every browser knows them. Where a browser's name differs, the server's stays (see PhoneField).
 */
export function packCountries(
  countries: readonly Pick<PhoneCountry, "code" | "dialCode">[],
): string {
  return countries.map(({ code, dialCode }) => `${code}${dialCode}`).join("|");
}

/** The list that packCountries packed, with the countries' English names. */
export function unpackCountries(packed: string): PhoneCountry[] {
  const names = new Intl.DisplayNames(["en"], { type: "region" });
  return packed.split("|").flatMap((entry) => {
    const [, code, dialCode] = /^([A-Z]{2})(\d+)$/.exec(entry) ?? [];
    return code && dialCode ? [{ code, dialCode, name: names.of(code) ?? code }] : [];
  });
}
