import { fieldText } from "~/http/form.server";
import type { Address } from "~/integrations/addresses/address";
import { openCandidate, sealAddress } from "~/integrations/addresses/addresses.server";

/** The two addresses of a listing: the one on the map, and the one for letters. */
export type AddressField = "rawaddress" | "mailingaddress";

/** Name of the control that carries the sealed address chosen for a field. */
export const pickName = (field: AddressField) => `${field}_pick` as const;

const NOT_PICKED: Record<AddressField, string> = {
  rawaddress:
    "To make sure we place your business on the map in the right place, please select an address from the dropdown on the location field.",
  mailingaddress: "Please be sure to select a valid mailing address.",
};

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
  /** The choice, sealed anew, for showing the form again. */
  pick: { token: string; label: string } | null;
}

const same = (a: string, b: string) => a.replaceAll(/\s+/g, " ").trim() === b.replaceAll(/\s+/g, " ").trim();

/**
 * What was chosen for an address field. A pick counts only for the text it was made for, so that a
 * later change of the text is not placed at the old position.
 * - A new listing needs both addresses picked.
 * - A published or pending listing whose address text changed needs it picked again.
 * - Any other saved listing needs a mailing address, picked or not.
 * @throws AddressSearchUnavailable when the pick could not be looked up
 */
export async function addressChoice(form: FormData, field: AddressField, saved: SavedAddresses | null): Promise<AddressChoice> {
  const typed = fieldText(form, field).trim();
  const changed = !same(typed, saved?.[field] ?? "");
  const token = fieldText(form, pickName(field));
  const opened = token ? await openCandidate(token) : null;
  // Chosen by a button, the text is what was looked up; chosen from the list below it, what was offered.
  const texts = opened ? [opened.typed, opened.label, opened.address.formatted] : [];
  const address = opened && texts.some((text) => same(typed, text)) ? opened.address : null;
  const pick = address && { token: sealAddress(address, typed), label: address.formatted };
  return { address, changed, pick, error: address || typed === "" ? null : missingPick(field, changed, saved) };
}

function missingPick(field: AddressField, changed: boolean, saved: SavedAddresses | null): string | null {
  if (saved === null) return NOT_PICKED[field];
  const live = saved.status === "published" || saved.status === "pending-update";
  return field === "rawaddress" && live && changed ? NOT_PICKED[field] : null;
}

/** The columns that follow from the chosen address on the map. */
export function mapColumns({ address, changed }: AddressChoice, typed: string) {
  if (address) {
    const { formatted, approximate, ...place } = address;
    return { ...place, rawaddress: formatted, address: formatted, address_approximate: approximate };
  }
  // Typed anew and not placed: nothing of the old place belongs to it, and an admin will ask for a proper one.
  const nowhere = { city: null, state: null, country: null, postalcode: null, lat: null, long: null, address_approximate: false };
  return changed ? { ...nowhere, rawaddress: typed, address: typed } : {};
}
