import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";

import { Reader, type Response as MmdbRecord } from "mmdb-lib";

import { env } from "~/env.server";

/** Offline table of which country an address belongs to (data: the five internet registries, nro.net). */
const TABLE = "@ip-location-db/geo-whois-asn-country-mmdb/geo-whois-asn-country.mmdb";
const FALLBACK = "US";

let reader: Promise<Reader<MmdbRecord> | null> | undefined;

function table(): Promise<Reader<MmdbRecord> | null> {
  reader ??= readFile(createRequire(import.meta.url).resolve(TABLE)).then(
    (file) => new Reader(file),
    () => null,
  );
  return reader;
}

function countryOfAddress(address: string, lookup: Reader<MmdbRecord>): string | null {
  try {
    const record = lookup.get(address) as { country_code?: string } | null;
    return record?.country_code ?? null;
  } catch {
    return null;
  }
}

/** "en-CA,fr;q=0.8" tells CA: a region that the visitor's own browser names. */
function countryOfLanguages(header: string | null): string | null {
  return header?.match(/\b[a-z]{2,3}-([A-Z]{2})\b/)?.[1] ?? null;
}

/**
 * A guess of the visitor's country, for the default of the phone field. No third party is asked:
 * a trusted proxy's header, then the offline table, then the browser's languages, then the US.
 * @param address the visitor's network address
 * @returns two letters, as in ISO 3166-1
 */
export async function guessCountry(request: Request, address: string): Promise<string> {
  const { trustedCountryHeader } = env();
  const told = trustedCountryHeader
    ? request.headers.get(trustedCountryHeader)?.toUpperCase()
    : null;
  if (told && /^[A-Z]{2}$/.test(told) && told !== "XX") return told;
  const lookup = await table();
  const found = lookup && countryOfAddress(address, lookup);
  return found ?? countryOfLanguages(request.headers.get("Accept-Language")) ?? FALLBACK;
}
