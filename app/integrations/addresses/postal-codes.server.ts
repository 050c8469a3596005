import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";

import { Slices } from "./slices.server";

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

export interface PostalCodes {
  zip(code: string): ZipCode | null;
  /** The state that the codes beginning with the same three digits are in. */
  stateOfZipsLike(code: string): string | null;
  forwardArea(code: string): ForwardArea | null;
  /** Every city of the United States that has a ZIP code, at the first of its codes. */
  cities(): Iterable<ZipCode>;
}

const PROVINCES: Record<string, string> = {
  A: "NL",
  B: "NS",
  C: "PE",
  E: "NB",
  G: "QC",
  H: "QC",
  J: "QC",
  K: "ON",
  L: "ON",
  M: "ON",
  N: "ON",
  P: "ON",
  R: "MB",
  S: "SK",
  T: "AB",
  V: "BC",
  X: "NT",
  Y: "YT",
};
const NUNAVUT = new Set(["X0A", "X0B", "X0C"]);
const SCALE = 1e5;

let loaded: Promise<PostalCodes> | undefined;

/** The tables, loaded at the first call: 0.1 to 0.2 s in slices, then about 3 MB. */
export function loadPostalCodes(): Promise<PostalCodes> {
  loaded ??= load().then(tableOf, (error: unknown) => {
    loaded = undefined;
    throw error;
  });
  return loaded;
}

/** All ZIP codes in order; the same number means the same code in each. */
interface Packed {
  codes: Uint32Array;
  lats: Int32Array;
  longs: Int32Array;
  /** For each code, its city's number. */
  cityOf: Uint32Array;
  /** "OR Portland" */
  cities: string[];
  areas: Map<string, ForwardArea>;
}

/** The files of the package: one long object literal each, which is read row by row here. */
const TABLES = ["zipcodes/lib/codes.js", "zipcodes/lib/codesCanada.js"];
const ROW = /\{"zip":[^{}]*\}/g;
const FEWEST_ROWS = 40_000;

async function load(): Promise<Packed> {
  const { resolve } = createRequire(import.meta.url);
  const slices = new Slices();
  /** The rows of the United States by their code. */
  const zips: Row[] = [];
  const areas = new Map<string, ForwardArea>();
  let count = 0;
  for (const table of TABLES) {
    const text = await readFile(resolve(table), "latin1");
    await slices.next();
    for (const [row] of text.matchAll(ROW)) {
      const { zip, city, state, country, latitude, longitude } = JSON.parse(row) as Row;
      count += 1;
      if (latitude && longitude && country === "US")
        zips[Number(zip)] = { zip, city, state, country, latitude, longitude };
      const province = NUNAVUT.has(zip) ? "NU" : PROVINCES[zip[0]!];
      if (latitude && longitude && country === "Canada" && province)
        areas.set(zip, { label: city, province, lat: latitude, long: longitude });
      if (slices.over) await slices.next();
    }
  }
  if (count < FEWEST_ROWS) throw new Error(`the tables of postal codes have ${count} rows only`);
  return pack(zips, areas, slices);
}

async function pack(
  zips: readonly Row[],
  areas: Map<string, ForwardArea>,
  slices: Slices,
): Promise<Packed> {
  const [codes, lats, longs, cityOf]: number[][] = [[], [], [], []];
  const cities = new Map<string, number>();
  for (let code = 0; code < zips.length; code += 1) {
    const row = zips[code];
    if (slices.over) await slices.next();
    if (!row) continue;
    const name = `${row.state} ${row.city}`;
    if (!cities.has(name)) cities.set(name, cities.size);
    codes!.push(code);
    lats!.push(Math.round(row.latitude! * SCALE));
    longs!.push(Math.round(row.longitude! * SCALE));
    cityOf!.push(cities.get(name)!);
  }
  return {
    codes: Uint32Array.from(codes!),
    lats: Int32Array.from(lats!),
    longs: Int32Array.from(longs!),
    cityOf: Uint32Array.from(cityOf!),
    cities: [...cities.keys()],
    areas,
  };
}

/** Apart from `load`, so that nothing that was needed only for loading is kept alive by these functions. */
function tableOf(packed: Packed): PostalCodes {
  const zipAt = (index: number): ZipCode => {
    const name = packed.cities[packed.cityOf[index]!]!;
    return {
      city: name.slice(3),
      state: name.slice(0, 2),
      lat: packed.lats[index]! / SCALE,
      long: packed.longs[index]! / SCALE,
    };
  };
  /** Where a code stands in the order, or where it would. */
  const indexOf = (code: number) => {
    let [low, high] = [0, packed.codes.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (packed.codes[middle]! < code) low = middle + 1;
      else high = middle;
    }
    return low;
  };

  return {
    zip(code) {
      const number = Number(code.slice(0, 5));
      const index = indexOf(number);
      return packed.codes[index] === number ? zipAt(index) : null;
    },
    stateOfZipsLike(code) {
      const first = Number(code.slice(0, 3)) * 100;
      const index = indexOf(first);
      return (packed.codes[index] ?? Infinity) < first + 100 ? zipAt(index).state : null;
    },
    forwardArea: (code) => packed.areas.get(code.slice(0, 3).toUpperCase()) ?? null,
    *cities() {
      const seen = new Uint8Array(packed.cities.length);
      for (const [index, city] of packed.cityOf.entries()) {
        if (seen[city]) continue;
        seen[city] = 1;
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
export async function positionOfPostalCode(
  code: string,
  country?: string,
): Promise<{ lat: number; long: number } | null> {
  const tidy = code.slice(0, 20).replace(/\s/g, "").toUpperCase();
  const inUnitedStates = /^\d{5}(-?\d{4})?$/.test(tidy) && isCountry(country, UNITED_STATES);
  const inCanada = /^[A-Z]\d[A-Z](\d[A-Z]\d)?$/.test(tidy) && isCountry(country, ["CA", "CANADA"]);
  if (!inUnitedStates && !inCanada) return null;
  const codes = await loadPostalCodes();
  const found = inUnitedStates ? codes.zip(tidy) : codes.forwardArea(tidy);
  return (
    found && { lat: Math.round(found.lat * 100) / 100, long: Math.round(found.long * 100) / 100 }
  );
}

const UNITED_STATES = ["US", "USA", "UNITED STATES", "PR", "PUERTO RICO", "VI", "GU", "AS", "MP"];

function isCountry(given: string | undefined, names: string[]): boolean {
  return !given?.trim() || names.includes(given.trim().toUpperCase());
}
