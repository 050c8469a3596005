import { isTooManyRequests } from "~/http/errors.server";
import { readField } from "~/http/form.server";
import { enforceRateLimit } from "~/http/rate-limit.server";
import { AddressSearchUnavailable, type Address } from "~/integrations/addresses/address";
import {
  findAddresses,
  needsGoogle,
  openCandidate,
  readCandidate,
  sealAddress,
  type Candidate,
} from "~/integrations/addresses/addresses.server";
import type { Database } from "~/integrations/supabase/database.types";

import { MAILING_ADDRESS_REQUIRED, SELECT_ADDRESS } from "./rules";

/** The two addresses of a listing: the one on the map, and the one for mail. */
export const ADDRESS_FIELDS = ["rawaddress", "mailingaddress"] as const;
export type AddressField = (typeof ADDRESS_FIELDS)[number];

/** The addresses that were picked from search results, by field. */
export type Picks = Partial<Record<AddressField, Candidate>>;

/** The addresses that were found for the text of a field, to pick from. */
export interface FoundAddresses {
  candidates: Candidate[];
  /** The only address found matches so well that it is selected already. */
  selected: boolean;
}

/** What the validation needs from a saved listing. */
interface SavedAddresses {
  status: string;
  rawaddress: string | null;
  mailingaddress: string | null;
}

/**
 * How often one person may have an address looked up, while they type and with the form: Google bills each time. The
 * second limit is for someone who goes on all day.
 */
const LOOK_UPS_PER_USER = [
  { name: "addresses", max: 300, windowSeconds: 15 * 60 },
  { name: "addresses-day", max: 1_000, windowSeconds: 24 * 60 * 60 },
];

/** Counts a look-up. @throws HttpError 429 after too many */
export async function countLookUp(user: string): Promise<void> {
  await Promise.all(LOOK_UPS_PER_USER.map((limit) => enforceRateLimit(limit, user)));
}

/** The same for a form, which says that the address can't be looked up now. @throws AddressSearchUnavailable */
async function countFormLookUp(user: string): Promise<void> {
  try {
    await countLookUp(user);
  } catch (error) {
    if (!isTooManyRequests(error)) throw error;
    const message = `You’ve looked up a lot of addresses. ${error.message}`;
    throw new AddressSearchUnavailable("limited", { cause: error }, message, 429);
  }
}

/** The validated value of an address field. */
export interface PickedAddress {
  /** The address that was picked; null if the text is unchanged, or may stay as typed. */
  address: Address | null;
  /** The text differs from the saved one. */
  changed: boolean;
  error: string | null;
  /** It could not be looked up: the status of the response that says so; null when it was, or needed no look-up. */
  unavailable: 429 | 503 | null;
  /** What was found for a text that had not been looked up; undefined when nothing was searched for. */
  found?: FoundAddresses;
  /** The pick, for showing the form again. */
  pick: Candidate | null;
}

const isSameText = (a: string, b: string) =>
  a.replaceAll(/\s+/g, " ").trim() === b.replaceAll(/\s+/g, " ").trim();

/**
 * The pick that a form carries for a field, from its seal alone, without a lookup. A pick counts
 * only for the text that it was made for: a text that was changed later is not at its position.
 */
function readPick(form: FormData, field: AddressField): Candidate | null {
  const token = readField(form, `${field}_pick`);
  const candidate = token ? readCandidate(token) : null;
  if (!candidate) return null;
  // The field holds the search text, or the suggestion that replaced it.
  const typed = readField(form, field);
  return [candidate.typed, candidate.label].some((text) => isSameText(typed, text))
    ? { token, label: candidate.label, approximate: candidate.approximate }
    : null;
}

/** The picks that a form carries. */
export function readPicks(form: FormData): Picks {
  return toPicks((field) => readPick(form, field));
}

/** The picks of both fields, without those that are missing. */
export function toPicks(getPick: (field: AddressField) => Candidate | null): Picks {
  const picks: Picks = {};
  for (const field of ADDRESS_FIELDS) {
    const pick = getPick(field);
    if (pick) picks[field] = pick;
  }
  return picks;
}

/** The field of the form that says: its address may be saved as typed if it can't be looked up again. */
export const asTypedField = (field: AddressField) => `${field}_as_typed`;

/**
 * Validates an address field, and looks up the address that was picked.
 * - A new listing needs a pick for both addresses.
 * - A published or pending listing needs a pick for its address on the map if the text changed.
 * - Any other listing may keep an address as typed.
 * A text that needs a pick and has none is looked up. While the address service does not answer, the
 * form says so once, and the next submission is saved with the address as typed.
 * @param saved the listing that is edited; null for a new one
 * @param user whose look-ups are counted
 */
export async function validateAddress(
  form: FormData,
  field: AddressField,
  saved: SavedAddresses | null,
  user: string,
): Promise<PickedAddress> {
  const typed = readField(form, field).trim();
  const changed = !isSameText(typed, saved?.[field] ?? "");
  const sent = readPick(form, field);
  try {
    if (sent && needsGoogle(sent.token)) await countFormLookUp(user);
    const address = (sent && (await openCandidate(sent.token)))?.address ?? null;
    const pick = address && {
      token: sealAddress(address, typed),
      label: address.formatted,
      approximate: address.approximate,
    };
    // The schema reports an empty field.
    if (address || typed === "" || !needsPick(field, changed, saved))
      return { address, changed, pick, error: null, unavailable: null };
    const found = await searchAddress(typed, user);
    return {
      address,
      changed,
      pick,
      error: explainSearch(field, found),
      unavailable: null,
      found,
    };
  } catch (error) {
    if (!(error instanceof AddressSearchUnavailable)) throw error;
    const mayStay = form.has(asTypedField(field));
    return {
      address: null,
      changed,
      pick: sent,
      error: mayStay ? null : explainOutage(field, error),
      unavailable: error.status,
    };
  }
}

function needsPick(field: AddressField, changed: boolean, saved: SavedAddresses | null): boolean {
  if (saved === null) return true;
  const isLive = saved.status === "published" || saved.status === "pending-update";
  return field === "rawaddress" && isLive && changed;
}

/**
 * Looks up a text. A single address is a good match when it has every number of the text: a house
 * number or a ZIP code that the search has dropped may be another place.
 * @param user whose look-ups are counted
 * @throws AddressSearchUnavailable
 */
export async function searchAddress(typed: string, user: string): Promise<FoundAddresses> {
  await countFormLookUp(user);
  const candidates = await findAddresses(typed);
  const [only] = candidates;
  const selected =
    only !== undefined &&
    candidates.length === 1 &&
    (typed.match(/\d+/g) ?? []).every((number) => only.label.includes(number));
  return { candidates, selected };
}

export const NOTHING_FOUND =
  "We can’t find that address. Check the spelling, or add the city and state.";

/** The error of a text that was looked up when it was submitted. */
function explainSearch(field: AddressField, { candidates, selected }: FoundAddresses): string {
  const required = field === "rawaddress" ? SELECT_ADDRESS : MAILING_ADDRESS_REQUIRED;
  if (candidates.length === 0) return `${required} ${NOTHING_FOUND}`;
  return selected
    ? `${required} We found it and selected it for you. Check that it’s yours, then submit again.`
    : `${required} We looked it up. Choose yours below, then submit again.`;
}

/** What a form says while no address can be looked up. */
export function explainOutage(field: AddressField, { message }: AddressSearchUnavailable): string {
  const next =
    field === "rawaddress"
      ? "Or submit now to save the address as you typed it. Our team will place it on the map."
      : "Or submit now to save the address as you typed it.";
  return `${message} ${next}`;
}

type AddressColumns = Pick<
  Database["public"]["Tables"]["places"]["Update"],
  | "rawaddress"
  | "address"
  | "address_approximate"
  | "city"
  | "state"
  | "country"
  | "postalcode"
  | "lat"
  | "long"
>;

/** The columns that follow from the address on the map; none if it is unchanged. */
export function toAddressColumns(
  { address, changed }: PickedAddress,
  typed: string,
): AddressColumns {
  if (address) {
    const { formatted, approximate, ...place } = address;
    return {
      ...place,
      rawaddress: formatted,
      address: formatted,
      address_approximate: approximate,
    };
  }
  if (!changed) return {};
  // A new text without a pick has no position. The review asks for a complete address.
  return {
    rawaddress: typed,
    address: typed,
    city: null,
    state: null,
    country: null,
    postalcode: null,
    lat: null,
    long: null,
    address_approximate: false,
  };
}
