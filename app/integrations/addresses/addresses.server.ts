import { randomUUID } from "node:crypto";

import { env } from "~/env.server";

import { type Address, AddressSearchUnavailable } from "./address";
import { loadGazetteer, searchGazetteer } from "./gazetteer.server";
import { googlePlaces } from "./google-places.server";
import { loadPostalCodes } from "./postal-codes.server";
import { seal, unseal } from "./seal.server";

export { type Address, AddressSearchUnavailable };

/** An address to pick: what the person reads, and what the form sends back. */
export interface Candidate {
  label: string;
  /** Sealed for 30 days. A form can send it back, and cannot make one up. */
  token: string;
  /**
   * Known to be the middle of a city, street or postal code. For an address from Google, this is
   * known only once it is opened.
   */
  approximate: boolean;
}

/**
 * What a token holds: an address, or where Google keeps one. Short, because a page has six of them.
 */
type Sealed =
  | { typed: string; address: Address }
  | { typed: string; label: string; placeId: string; session: string };

const MOST_CANDIDATES = 6;
const LONGEST_TYPED = 300;

let loading = false;

/**
 * Begins to load the tables of places and postal codes, when the server starts: in slices, so that the
 * requests of that second are answered meanwhile. A search waits for them, and so does /readyz.
 */
export function loadAddresses(): void {
  loading = true;
  (env().googleMapsApiKey ? loadPostalCodes() : loadGazetteer())
    // A failure is reported by the search that needs them.
    .catch(() => undefined)
    .finally(() => (loading = false));
}

/** Whether the tables that the server loads when it starts are not there yet. */
export const areAddressesLoading = (): boolean => loading;

/**
 * Looks up what a person typed: at Google when there is a key, in the embedded gazetteer otherwise.
 * Finds places where people can get mail, not businesses. @param typed as it is in the form; the
 * picked candidate has it unchanged
 * @param options.session the same for the searches of one person at one field, so that Google bills them
 *   as one: up to 36 letters, digits, "-" and "_" (a UUID)
 * @returns at most 6, the likeliest first; none for nothing found, and for more than 300 characters
 * @throws AddressSearchUnavailable when the outside fails
 */
export async function findAddresses(
  typed: string,
  options: { session?: string } = {},
): Promise<Candidate[]> {
  if (typed.length > LONGEST_TYPED || !/[\p{L}\p{N}]/u.test(typed)) return [];
  const found = await search(typed, options.session);
  return found.slice(0, MOST_CANDIDATES).map(({ label, content }) => ({
    label,
    token: sealed(content),
    approximate: isApproximate(content),
  }));
}

const isApproximate = (content: Sealed) => "address" in content && content.address.approximate;

/**
 * The name that has to appear beside the addresses that are shown, or null. Google's terms ask for
 * it wherever what it found is shown without its map.
 */
export function addressAttribution(): string | null {
  return env().googleMapsApiKey ? "Google Maps" : null;
}

async function search(
  typed: string,
  session: string | undefined,
): Promise<{ label: string; content: Sealed }[]> {
  const key = env().googleMapsApiKey;
  if (!key) {
    const addresses = await searchGazetteer(typed);
    return addresses.map((address) => ({ label: address.formatted, content: { typed, address } }));
  }
  const billedAs = session && /^[\w-]{1,36}$/.test(session) ? session : randomUUID();
  // Half a character is not a text that Google would accept, and not a part of an address.
  const input = typed.replace(/[\p{Cc}\p{Cs}]/gu, " ").trim();
  const suggestions = await googlePlaces(key).suggest(input, billedAs);
  return suggestions.map(({ label, placeId }) => ({
    label,
    content: { typed, label, placeId, session: billedAs },
  }));
}

/**
 * What a form's token says without asking any service: what was typed to find the address, and how it was
 * offered. Null when it is forged, damaged or expired.
 */
export function readCandidate(
  token: string,
): { typed: string; label: string; approximate: boolean } | null {
  const content = contentOf(token);
  if (!content) return null;
  const label = "address" in content ? content.address.formatted : content.label;
  return { typed: content.typed, label, approximate: isApproximate(content) };
}

/** Whether a form's token has to be opened by asking Google. */
export const needsGoogle = (token: string): boolean => {
  const content = contentOf(token);
  return content !== undefined && !("address" in content);
};

function contentOf(token: string): Sealed | undefined {
  for (const secret of env().sessionSecrets) {
    const opened = unseal(token, secret);
    if (opened) return opened.value as Sealed;
  }
  return undefined;
}

const isOnEarth = ({ lat, long }: Address) => Math.abs(lat) <= 90 && Math.abs(long) <= 180;

/**
 * Opens the candidate that a form sent back; at Google's, this is when the position is asked for.
 * @returns the address, what was typed to find it and how it was offered; null when the token is forged, damaged or expired,
 *   or the place is gone or nowhere on the earth: the person has to pick again
 * @throws AddressSearchUnavailable when the outside fails
 */
export async function openCandidate(
  token: string,
): Promise<{ typed: string; label: string; address: Address } | null> {
  const content = contentOf(token);
  if (!content) return null;
  if ("address" in content)
    return isOnEarth(content.address) ? { ...content, label: content.address.formatted } : null;
  const key = env().googleMapsApiKey;
  // The key was taken away since: no service is left that knows the place.
  if (!key) return null;
  const address = await googlePlaces(key).details(content.placeId, content.session);
  return address && isOnEarth(address)
    ? { typed: content.typed, label: content.label, address }
    : null;
}

/**
 * Seals an address that was opened or stored before, for showing its form again.
 * @param typed what stands in the field
 */
export function sealAddress(address: Address, typed: string): string {
  return sealed({ typed, address });
}

function sealed(content: Sealed): string {
  return seal(content, env().sessionSecret);
}
