import { readField } from "~/http/form.server";
import { AddressSearchUnavailable, type Address } from "~/integrations/addresses/address";
import {
  openCandidate,
  readCandidate,
  sealAddress,
  type Candidate,
} from "~/integrations/addresses/addresses.server";
import type { Database } from "~/integrations/supabase/database.types";

import { ADDRESS_REQUIRED, MAILING_ADDRESS_REQUIRED } from "./rules";

/** The two addresses of a listing: the one on the map, and the one for mail. */
export const ADDRESS_FIELDS = ["rawaddress", "mailingaddress"] as const;
export type AddressField = (typeof ADDRESS_FIELDS)[number];

/** The addresses that were picked from search results, by field. */
export type Picks = Partial<Record<AddressField, Candidate>>;

/** What the validation needs of a saved listing. */
interface SavedAddresses {
  status: string;
  rawaddress: string | null;
  mailingaddress: string | null;
}

/** The validated value of an address field. */
export interface PickedAddress {
  /** The address that was picked; null if the text is unchanged, or may stay as typed. */
  address: Address | null;
  /** The text differs from the saved one. */
  changed: boolean;
  error: string | null;
  /** The pick could not be looked up, because the address service did not answer. */
  unavailable: boolean;
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

/**
 * Validates an address field, and looks up the address that was picked.
 * - A new listing needs a pick for both addresses.
 * - A published or pending listing needs a pick for its address on the map if the text changed.
 * - Any other listing may keep an address as typed.
 * @param saved the listing that is edited; null for a new one
 */
export async function validateAddress(
  form: FormData,
  field: AddressField,
  saved: SavedAddresses | null,
): Promise<PickedAddress> {
  const typed = readField(form, field).trim();
  const changed = !isSameText(typed, saved?.[field] ?? "");
  const sent = readPick(form, field);
  try {
    const address = (sent && (await openCandidate(sent.token)))?.address ?? null;
    const pick = address && {
      token: sealAddress(address, typed),
      label: address.formatted,
      approximate: address.approximate,
    };
    // The schema reports an empty field.
    const error = address || typed === "" ? null : getMissingPickError(field, changed, saved);
    return { address, changed, pick, error, unavailable: false };
  } catch (error) {
    if (!(error instanceof AddressSearchUnavailable)) throw error;
    return { address: null, changed, pick: sent, error: error.message, unavailable: true };
  }
}

function getMissingPickError(
  field: AddressField,
  changed: boolean,
  saved: SavedAddresses | null,
): string | null {
  if (saved === null) return field === "rawaddress" ? ADDRESS_REQUIRED : MAILING_ADDRESS_REQUIRED;
  const isLive = saved.status === "published" || saved.status === "pending-update";
  return field === "rawaddress" && isLive && changed ? ADDRESS_REQUIRED : null;
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
