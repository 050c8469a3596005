import { readField } from "~/http/form.server";
import { AddressSearchUnavailable, type Address } from "~/integrations/addresses/address";
import {
  openCandidate,
  readCandidate,
  sealAddress,
  type Candidate,
} from "~/integrations/addresses/addresses.server";

import { ADDRESS_RULE, MAILING_ADDRESS_RULE } from "./rules";

/** The two addresses of a listing: the one on the map, and the one for letters. */
export type AddressField = "rawaddress" | "mailingaddress";

/** Name of the control that carries the sealed address chosen for a field. */
export const pickName = (field: AddressField) => `${field}_pick` as const;

/** As much of a saved listing as its addresses depend on; null for a new one. */
interface SavedAddresses {
  status: string;
  rawaddress: string | null;
  mailingaddress: string | null;
}

export interface AddressChoice {
  /** The address that was chosen from those found; null when the text is as saved, or may stay as typed. */
  address: Address | null;
  /** The text was changed. */
  changed: boolean;
  error: string | null;
  /** The choice could not be looked up, because the outside does not answer. */
  unavailable: boolean;
  /** The choice, for showing the form again. */
  pick: Candidate | null;
}

const same = (a: string, b: string) =>
  a.replaceAll(/\s+/g, " ").trim() === b.replaceAll(/\s+/g, " ").trim();

/**
 * The address that a form holds as chosen, as far as its seal says: nobody outside is asked. A pick counts only
 * for the text it was made for, so that a later change of the text is not placed at the old position.
 */
export function heldPick(form: FormData, field: AddressField): Candidate | null {
  const token = readField(form, pickName(field));
  const held = token ? readCandidate(token) : null;
  if (!held) return null;
  // Chosen by a button, the text is what was looked up; chosen from the list below it, what was offered.
  const typed = readField(form, field);
  return [held.typed, held.label].some((text) => same(typed, text))
    ? { token, label: held.label, approximate: held.approximate }
    : null;
}

/**
 * What was chosen for an address field.
 * - A new listing needs both addresses picked.
 * - A published or pending listing whose address text changed needs it picked again.
 * - Any other saved listing needs a mailing address, picked or not.
 */
export async function addressChoice(
  form: FormData,
  field: AddressField,
  saved: SavedAddresses | null,
): Promise<AddressChoice> {
  const typed = readField(form, field).trim();
  const changed = !same(typed, saved?.[field] ?? "");
  const held = heldPick(form, field);
  try {
    const address = (held && (await openCandidate(held.token)))?.address ?? null;
    const pick = address && {
      token: sealAddress(address, typed),
      label: address.formatted,
      approximate: address.approximate,
    };
    // That nothing was typed at all, the form's schema says.
    const error = address || typed === "" ? null : missingPick(field, changed, saved);
    return { address, changed, pick, error, unavailable: false };
  } catch (error) {
    if (!(error instanceof AddressSearchUnavailable)) throw error;
    return { address: null, changed, pick: held, error: error.message, unavailable: true };
  }
}

function missingPick(
  field: AddressField,
  changed: boolean,
  saved: SavedAddresses | null,
): string | null {
  if (saved === null) return field === "rawaddress" ? ADDRESS_RULE : MAILING_ADDRESS_RULE;
  const live = saved.status === "published" || saved.status === "pending-update";
  return field === "rawaddress" && live && changed ? ADDRESS_RULE : null;
}

/** The columns that follow from the chosen address on the map. */
export function mapColumns({ address, changed }: AddressChoice, typed: string) {
  if (address) {
    const { formatted, approximate, ...place } = address;
    return {
      ...place,
      rawaddress: formatted,
      address: formatted,
      address_approximate: approximate,
    };
  }
  // Typed anew and not placed: nothing of the old place belongs to it, and an admin will ask for a proper one.
  const nowhere = {
    city: null,
    state: null,
    country: null,
    postalcode: null,
    lat: null,
    long: null,
    address_approximate: false,
  };
  return changed ? { ...nowhere, rawaddress: typed, address: typed } : {};
}
