export interface PhoneCountry {
  code: string;
  name: string;
  dialCode: string;
}

/**
 * The list of countries stands in a page twice: as options, and as data for React. Packed into one
 * string ("US1United States|…"), the second copy costs a tenth of what a list of objects would.
 */
export function packCountries(countries: readonly PhoneCountry[]): string {
  return countries.map(({ code, dialCode, name }) => `${code}${dialCode}${name}`).join("|");
}

/** The list that packCountries packed. */
export function unpackCountries(packed: string): PhoneCountry[] {
  return packed.split("|").flatMap((entry) => {
    const [, code, dialCode, name] = /^([A-Z]{2})(\d+)(.+)$/.exec(entry) ?? [];
    return code && dialCode && name ? [{ code, dialCode, name }] : [];
  });
}
