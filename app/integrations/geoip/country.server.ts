import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";

import { Reader, type Response as MmdbRecord } from "mmdb-lib";

import { env } from "~/env.server";

/** An offline table of IP addresses and countries (data: the five internet registries, nro.net). */
const TABLE = "@ip-location-db/geo-whois-asn-country-mmdb/geo-whois-asn-country.mmdb";
const FALLBACK = "US";

let reader: Promise<Reader<MmdbRecord> | null> | undefined;

function loadTable(): Promise<Reader<MmdbRecord> | null> {
  reader ??= readFile(createRequire(import.meta.url).resolve(TABLE)).then(
    (file) => new Reader(file),
    () => null,
  );
  return reader;
}

function findCountry(address: string, lookup: Reader<MmdbRecord>): string | null {
  try {
    const record = lookup.get(address) as { country_code?: string } | null;
    return record?.country_code ?? null;
  } catch {
    return null;
  }
}

/** The region in an Accept-Language header: CA in "en-CA,fr;q=0.8". Null when it has none. */
function parseRegion(header: string | null): string | null {
  return header?.match(/\b[a-z]{2,3}-([A-Z]{2})\b/)?.[1] ?? null;
}

/**
 * Guesses the visitor's country, for the default of the phone field. It asks no third party: it
 * tries a trusted proxy's header, the offline table, and the browser's languages, then takes the
 * US.
 * @param address the visitor's network address
 * @returns two letters, as in ISO 3166-1
 */
export async function guessCountry(request: Request, address: string): Promise<string> {
  const { trustedCountryHeader } = env();
  const fromProxy = trustedCountryHeader
    ? request.headers.get(trustedCountryHeader)?.toUpperCase()
    : null;
  if (fromProxy && /^[A-Z]{2}$/.test(fromProxy) && fromProxy !== "XX") return fromProxy;
  const lookup = await loadTable();
  const found = lookup && findCountry(address, lookup);
  return found ?? parseRegion(request.headers.get("Accept-Language")) ?? FALLBACK;
}
