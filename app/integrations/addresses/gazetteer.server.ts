import { type Address, AddressSearchUnavailable } from "./address";
import { countryName, hasZipCodes, type Meaning } from "./divisions.server";
import { fold } from "./fold";
import { loadPlaceTable, type Place, type PlaceTable } from "./place-table.server";
import type { ForwardArea, ZipCode } from "./postal-codes.server";
import {
  keyOf,
  postalCodeBefore,
  type Reading,
  readingsOf,
  textOf,
  type Word,
  wordsOf,
} from "./reading";

const MOST_FOUND = 6;
const LONGEST_CITY = 6;
/** A beginning with fewer letters matches half the world. */
const SHORTEST_BEGINNING = 3;
/** A ZIP code's middle this near to a city's belongs to it, whatever the post calls it. */
const SAME_CITY_KM = 60;
/** How much more a city counts when the area's own words begin with it. */
const NAMED_BY_THE_POST = 100;
/** Places of these names exist, but behind a house number the word means the kind of street. */
const STREET_WORDS = new Set(
  (
    "st street ave avenue rd road blvd boulevard dr drive ln lane way ct court sq square pl place ter terrace pkwy " +
    "hwy highway cir circle loop trail park plaza alley row broadway n s e w ne nw se sw north south east west " +
    "rue strasse str platz calle via apt suite ste unit floor"
  ).split(" "),
);

interface Found {
  address: Address;
  /** Compared from the left; the smaller comes first. */
  rank: number[];
}

let table: Promise<PlaceTable> | undefined;

/**
 * The tables of places, loaded at the first call. The server calls it when it starts, so that no one waits
 * for it. Throws AddressSearchUnavailable.
 */
export function loadGazetteer(): Promise<PlaceTable> {
  table ??= loadPlaceTable().catch((error: unknown) => {
    table = undefined;
    throw new AddressSearchUnavailable("the tables of places can't be read", { cause: error });
  });
  return table;
}

/**
 * Finds addresses without asking any service, from tables of the world's places and of the postal codes of
 * the United States and Canada. It knows no streets: a position is the middle of a city or of a postal
 * code (2 km off at the median), so all of them are approximate, and the street stays as typed.
 * The first call loads the tables (about a second, in slices); later ones take a millisecond.
 * @param typed at most a line; words in any script, of which only the Latin ones are understood
 * @returns at most 6, the likeliest first
 * @throws AddressSearchUnavailable when the tables are damaged
 */
export async function searchGazetteer(typed: string): Promise<Address[]> {
  const known = await loadGazetteer();
  const { divisions } = known;
  const readings = readingsOf(wordsOf(typed), divisions.meaningsOf, divisions.meaningsOfBeginning);
  const found = readings.flatMap((reading) => [...addressesOf(reading, known)]);
  found.sort((a, b) => compare(a.rank, b.rank));
  const distinct = new Map<string, Address>();
  for (const { address, rank } of found) {
    // Someone who types Oregon is not shown Portland in Maine: only the readings that explain the
    // most words count.
    if (rank[0] === found[0]!.rank[0] && !distinct.has(address.formatted))
      distinct.set(address.formatted, address);
  }
  return [...distinct.values()].slice(0, MOST_FOUND);
}

function compare(a: number[], b: number[]): number {
  const at = a.findIndex((value, i) => value !== b[i]);
  return at === -1 ? 0 : a[at]! - b[at]!;
}

/** The places that a reading's city can be, and what is left of its words. */
interface CityMatch {
  indexes: number[];
  street: Word[];
  /** How many words were not understood, the street's included. */
  unexplained: number;
  exact: boolean;
  /** The same match with a postal code before the city, if what stands there can be one. */
  behindCode?: { code: string; street: Word[]; unexplained: number };
}

function* addressesOf(reading: Reading, known: PlaceTable): Generator<Found> {
  if (reading.words.length === 0 && !reading.postal) return;
  const matches = cityMatches(reading, known);
  if (reading.postal?.kind === "US") yield* addressesInZip(reading, matches, known);
  else if (reading.postal?.kind === "CA") yield* addressesInForwardArea(reading, matches, known);
  else yield* addressesInCity(reading, matches, known);
}

function* addressesInCity(
  reading: Reading,
  matches: CityMatch[],
  known: PlaceTable,
): Generator<Found> {
  for (const match of matches) {
    for (const index of match.indexes) {
      const place = known.at(index);
      const country = known.divisions.countryOf(place.division);
      const { behindCode } = match;
      const zip = behindCode && zipIn(behindCode.code, place, known);
      // Elsewhere a code is taken as typed. Where there are tables, a number that is not in them is none.
      if (behindCode && !reading.postal && (zip || !hasTables(country))) {
        yield found(
          reading,
          { ...match, ...behindCode },
          place,
          { code: behindCode.code, at: zip, before: true },
          known,
        );
      } else {
        yield found(reading, match, place, { code: reading.postal?.code ?? null }, known);
      }
    }
  }
}

/** With a ZIP code the position is the code's, and the city's name whichever of its names was typed. */
function* addressesInZip(
  reading: Reading,
  matches: CityMatch[],
  known: PlaceTable,
): Generator<Found> {
  const code = reading.postal!.code;
  const { codes } = known;
  const zip = codes.zip(code);
  let agreed = false;
  for (const match of matches) {
    for (const index of match.indexes) {
      const place = known.at(index);
      const sure = zip !== null && zipIn(code, place, known) !== null;
      const unlisted =
        zip === null && codes.stateOfZipsLike(code) === known.divisions.stateOf(place.division);
      if (sure) agreed = true;
      yield found(
        reading,
        match,
        place,
        { code: sure || unlisted ? code : null, at: sure ? zip : null },
        known,
      );
    }
  }
  if (!zip || agreed) return;
  const division = known.divisions.ofState(zip.state);
  if (!isWithin(reading.within, known.divisions.countryOf(division), division)) return;
  yield found(
    reading,
    streetOnly(reading.words),
    { ...zip, name: zip.city, division, population: 0 },
    { code, at: zip },
    known,
  );
}

function* addressesInForwardArea(
  reading: Reading,
  matches: CityMatch[],
  known: PlaceTable,
): Generator<Found> {
  const area = known.codes.forwardArea(reading.postal!.code);
  if (!area) return;
  const isNear = (place: Place) =>
    known.divisions.stateOf(place.division) === area.province &&
    kmBetween(place, area) < SAME_CITY_KM;
  const details = { code: reading.postal!.code, at: area };
  let agreed = false;
  for (const match of matches) {
    const near = match.indexes.map((index) => known.at(index)).filter(isNear);
    for (const place of near) {
      agreed = true;
      yield found(reading, match, place, details, known);
    }
  }
  const city = agreed ? null : cityOfForwardArea(area, known);
  if (!city || !isWithin(reading.within, "CA", city.division)) return;
  yield found(reading, streetOnly(reading.words), city, details, known);
}

/** The places of Canada, gathered when the first Canadian code is looked up. */
let canadian: Uint32Array | undefined;

/**
 * The post names neighborhoods ("Plateau Mont-Royal Southeast"): the city is the largest one there.
 */
function cityOfForwardArea(area: ForwardArea, known: PlaceTable): Place | null {
  let best: { index: number; weight: number } | null = null;
  canadian ??= Uint32Array.from(
    Array.from({ length: known.size }, (_, index) => index).filter(
      (index) => known.divisions.countryOf(known.divisionAt(index)) === "CA",
    ),
  );
  for (const index of canadian) {
    if (known.divisions.stateOf(known.divisionAt(index)) !== area.province) continue;
    const km = kmBetween(known.positionAt(index), area);
    const weight = (known.populationAt(index) + 1000) / (1 + (km / 5) ** 2);
    if (best && weight * NAMED_BY_THE_POST <= best.weight) continue;
    const named = area.label.startsWith(known.at(index).name) ? weight * NAMED_BY_THE_POST : weight;
    if (!best || named > best.weight) best = { index, weight: named };
  }
  return best && known.at(best.index);
}

/** The row of a ZIP code when it belongs to this place. */
function zipIn(code: string, place: Place, known: PlaceTable): ZipCode | null {
  const zip = /^\d{5}(-\d{4})?$/.test(code) ? known.codes.zip(code) : null;
  if (zip?.state !== known.divisions.stateOf(place.division)) return null;
  return fold(zip.city) === fold(place.name) || kmBetween(zip, place) < SAME_CITY_KM ? zip : null;
}

/** Looks for the city at the end of each part between commas, the last part first. */
function cityMatches(reading: Reading, known: PlaceTable): CityMatch[] {
  const { words } = reading;
  const isHere = (index: number) => {
    const division = known.divisionAt(index);
    const country = known.divisions.countryOf(division);
    return isWithin(reading.within, country, division) && isOfKind(reading, country);
  };
  for (const segment of [...new Set(words.map((word) => word.segment))].reverse()) {
    const start = words.findIndex((word) => word.segment === segment);
    const end = words.findLastIndex((word) => word.segment === segment) + 1;
    const after = words.slice(end);
    const houseAfter = after.some(hasDigit) ? after : [];
    const matchFrom = (from: number, indexes: number[], exact: boolean): CityMatch => {
      const match = {
        indexes,
        street: [...words.slice(0, from), ...houseAfter],
        unexplained: from + after.length,
        exact,
      };
      const code = postalCodeBefore(words.slice(start, from));
      if (!code) return match;
      return {
        ...match,
        behindCode: {
          code,
          street: [...words.slice(0, start), ...houseAfter],
          unexplained: start + after.length,
        },
      };
    };
    const matches: CityMatch[] = [];
    for (
      let from = Math.max(start, end - LONGEST_CITY);
      from < end && matches.length === 0;
      from++
    ) {
      const key = keyOf(words.slice(from, end));
      if (from > 0 && !reading.within && (key.length < 3 || STREET_WORDS.has(key))) continue;
      const indexes = known.called(key).filter(isHere).slice(0, MOST_FOUND);
      if (indexes.length > 0) matches.push(matchFrom(from, indexes, true));
    }
    if (!reading.postal && !(reading.within && matches.length > 0)) {
      const more = largestBeginning(keyOf(words.slice(start, end)), isHere, known);
      if (more.length > 0) matches.push(matchFrom(start, more, false));
    }
    if (matches.length > 0) return matches;
  }
  return [];
}

const hasDigit = (word: Word) => /\d/.test(word.text);

/** The largest places whose name goes on behind what was typed. */
function largestBeginning(
  key: string,
  isHere: (index: number) => boolean,
  known: PlaceTable,
): number[] {
  if (key.length < SHORTEST_BEGINNING || /\d/.test(key)) return [];
  const largest: number[] = [];
  for (const index of known.beginning(key)) {
    const population = known.populationAt(index);
    if (largest.length === MOST_FOUND && population <= known.populationAt(largest.at(-1)!))
      continue;
    if (!isHere(index)) continue;
    const at = largest.findIndex((other) => known.populationAt(other) < population);
    largest.splice(at === -1 ? largest.length : at, 0, index);
    largest.length = Math.min(largest.length, MOST_FOUND);
  }
  return largest;
}

function isWithin(within: Meaning[] | null, country: string, division: number): boolean {
  if (!within) return true;
  return within.some(
    (meaning) =>
      meaning.country === country && (meaning.division === null || meaning.division === division),
  );
}

/** Whether the tables know this country's postal codes. */
function hasTables(country: string): boolean {
  return country === "CA" || hasZipCodes(country);
}

/** Whether a postal code of this form can stand in an address of this country. */
function isOfKind({ postal }: Reading, country: string): boolean {
  if (!postal) return true;
  if (postal.country) return postal.country === country;
  if (postal.kind === "US") return hasZipCodes(country);
  return !hasTables(country);
}

/** Without a city known by name, what has a house number is the street, and the rest is left aside. */
function streetOnly(words: Word[]): CityMatch {
  const last = words.findLast(hasDigit)?.segment ?? -1;
  return {
    indexes: [],
    street: words.filter((word) => word.segment <= last),
    unexplained: words.length,
    exact: true,
  };
}

interface Details {
  code: string | null;
  /** The postal code's own position, when it is known. */
  at?: { lat: number; long: number } | null;
  /** Whether the code stood before the city, as it does in most of Europe. */
  before?: boolean;
}

function found(
  reading: Reading,
  match: CityMatch,
  place: Place,
  { code, at, before }: Details,
  known: PlaceTable,
): Found {
  const country = known.divisions.countryOf(place.division);
  // A city-state has no divisions, but an address without one would be incomplete.
  const state = known.divisions.stateOf(place.division) ?? place.name;
  const meant = reading.within?.filter((meaning) => isWithin([meaning], country, place.division));
  return {
    address: {
      formatted: formatted({
        street: textOf(match.street),
        city: place.name,
        state,
        country,
        code,
        before,
      }),
      city: place.name,
      state,
      country: countryName(country),
      postalcode: code,
      ...rounded(at ?? place),
      approximate: true,
    },
    rank: [
      match.unexplained,
      at ? 0 : 1,
      meant?.every((meaning) => meaning.unlikely) ? 1 : 0,
      reading.unfinished ? 1 : 0,
      match.exact ? 0 : 1,
      -place.population,
    ],
  };
}

/** To four decimals, ten metres: the middle of a city has no more. */
function rounded({ lat, long }: { lat: number; long: number }): { lat: number; long: number } {
  return { lat: Math.round(lat * 1e4) / 1e4, long: Math.round(long * 1e4) / 1e4 };
}

interface Parts {
  street: string;
  city: string;
  state: string;
  /** Two letters. */
  country: string;
  code: string | null;
  before: boolean | undefined;
}

/** Written as the post of the country does. */
function formatted({ street, city, state, country, code, before }: Parts): string {
  const written = [street];
  if (/^[A-Z]{2}$/.test(state)) {
    written.push(city, code ? `${state} ${code}` : state);
  } else {
    written.push(code ? (before ? `${code} ${city}` : `${city} ${code}`) : city);
    // "Berlin, Berlin" and "Réunion, Réunion" say nothing more.
    if (![city, countryName(country)].some((name) => fold(name) === fold(state)))
      written.push(state);
  }
  return [...written, countryName(country)].filter(Boolean).join(", ");
}

function kmBetween(a: { lat: number; long: number }, b: { lat: number; long: number }): number {
  const rad = Math.PI / 180;
  const x = (b.long - a.long) * rad * Math.cos(((a.lat + b.lat) / 2) * rad);
  const y = (b.lat - a.lat) * rad;
  return 6371 * Math.hypot(x, y);
}
