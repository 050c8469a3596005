import { createRequire } from "node:module";

/** Raw rows of the package "zipcodes": a ZIP code, or the first three characters of a Canadian code. */
interface Row {
  zip: string;
  latitude: number | null;
  longitude: number | null;
  city: string;
  state: string;
  country: string;
}

/** The middle of a ZIP code's area. */
export interface ZipCode {
  city: string;
  /** Two letters, as in the mail. */
  state: string;
  lat: number;
  long: number;
}

/** The middle of the area that the first three characters of a Canadian code name. */
export interface ForwardArea {
  /** The post's own words for the area, at times a city's name. */
  label: string;
  province: string;
  lat: number;
  long: number;
}

interface PostalCodes {
  zip(code: string): ZipCode | null;
  /** The state that the codes beginning with the same three digits are in. */
  stateOfZipsLike(code: string): string | null;
  forwardArea(code: string): ForwardArea | null;
  /** Every city of the United States that has a ZIP code, at the first of its codes. */
  cities(): Iterable<ZipCode>;
}

const PROVINCES: Record<string, string> = {
  A: "NL", B: "NS", C: "PE", E: "NB", G: "QC", H: "QC", J: "QC", K: "ON", L: "ON", M: "ON", N: "ON",
  P: "ON", R: "MB", S: "SK", T: "AB", V: "BC", X: "NT", Y: "YT",
};
const NUNAVUT = new Set(["X0A", "X0B", "X0C"]);
const SCALE = 1e5;

let loaded: PostalCodes | undefined;

/** The tables, loaded at the first call: 0.1 to 0.2 s, then about 3 MB. */
export function postalCodes(): PostalCodes {
  loaded ??= load();
  return loaded;
}

function load(): PostalCodes {
  const require = createRequire(import.meta.url);
  const { codes } = require("zipcodes") as { codes: Record<string, Row> };
  // The package keeps 45,000 objects for as long as it is known to be loaded. Below they become a few arrays.
  for (const file of Object.keys(require.cache)) {
    if (/[\\/]node_modules[\\/]zipcodes[\\/]/.test(file)) delete require.cache[file];
  }

  const rows = Object.values(codes).filter((row) => row.latitude && row.longitude);
  const zips = rows.filter((row) => row.country === "US").sort((a, b) => Number(a.zip) - Number(b.zip));
  const numbers = Uint32Array.from(zips, (row) => Number(row.zip));
  const lats = Int32Array.from(zips, (row) => row.latitude! * SCALE);
  const longs = Int32Array.from(zips, (row) => row.longitude! * SCALE);
  const cityIds = new Map<string, number>();
  const idOf = (name: string) => cityIds.get(name) ?? cityIds.set(name, cityIds.size).size - 1;
  const cityOf = Uint32Array.from(zips, (row) => idOf(`${row.state} ${row.city}`));
  const cities = [...cityIds.keys()];

  const areas = new Map<string, ForwardArea>();
  for (const row of rows) {
    const province = PROVINCES[row.zip[0]!];
    if (row.country !== "Canada" || !province) continue;
    areas.set(row.zip, {
      label: row.city,
      province: NUNAVUT.has(row.zip) ? "NU" : province,
      lat: row.latitude!,
      long: row.longitude!,
    });
  }

  const zipAt = (index: number): ZipCode => {
    const name = cities[cityOf[index]!]!;
    return { city: name.slice(3), state: name.slice(0, 2), lat: lats[index]! / SCALE, long: longs[index]! / SCALE };
  };
  /** Where a code stands in the order, or where it would. */
  const indexOf = (code: number) => {
    let [low, high] = [0, numbers.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (numbers[middle]! < code) low = middle + 1;
      else high = middle;
    }
    return low;
  };

  return {
    zip(code) {
      const index = indexOf(Number(code.slice(0, 5)));
      return numbers[index] === Number(code.slice(0, 5)) ? zipAt(index) : null;
    },
    stateOfZipsLike(code) {
      const first = Number(code.slice(0, 3)) * 100;
      const index = indexOf(first);
      return index < numbers.length && numbers[index]! < first + 100 ? zipAt(index).state : null;
    },
    forwardArea: (code) => areas.get(code.slice(0, 3).toUpperCase()) ?? null,
    *cities() {
      const seen = new Uint8Array(cities.length);
      for (let index = 0; index < zips.length; index++) {
        if (seen[cityOf[index]!]) continue;
        seen[cityOf[index]!] = 1;
        yield zipAt(index);
      }
    },
  };
}

/**
 * Roughly where the people of a postal code live, for counting who is near. Known are the United States
 * and Canada.
 * @param code as typed: "97214", "97214-1234", "M5V 2T6", "m5v"
 * @param country two letters or a name; without it, what the code's form says
 * @returns degrees rounded to two decimals (about 1 km), or null for an unknown code or another country
 */
export function positionOfPostalCode(code: string, country?: string): { lat: number; long: number } | null {
  const tidy = code.slice(0, 20).replace(/\s/g, "").toUpperCase();
  const inUnitedStates = /^\d{5}(-?\d{4})?$/.test(tidy) && isCountry(country, UNITED_STATES);
  const inCanada = /^[A-Z]\d[A-Z](\d[A-Z]\d)?$/.test(tidy) && isCountry(country, ["CA", "CANADA"]);
  const found = inUnitedStates ? postalCodes().zip(tidy) : inCanada ? postalCodes().forwardArea(tidy) : null;
  return found && { lat: Math.round(found.lat * 100) / 100, long: Math.round(found.long * 100) / 100 };
}

const UNITED_STATES = ["US", "USA", "UNITED STATES", "PR", "PUERTO RICO", "VI", "GU", "AS", "MP"];

function isCountry(given: string | undefined, names: string[]): boolean {
  return !given?.trim() || names.includes(given.trim().toUpperCase());
}
