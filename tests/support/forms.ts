import type { Address } from "~/integrations/addresses/address";
import { sealAddress } from "~/integrations/addresses/addresses.server";

/** Complete, valid forms; a test changes the fields that it is about. */

export function signUpForm(fields: Record<string, unknown> = {}) {
  return {
    email: "sam@example.test",
    password: "correct horse 42 staples",
    full_name: "Sam Rivera",
    phone_country: "US",
    phone: "",
    postalcode: "94114",
    pronouns: "they/them",
    ...fields,
  } as Record<string, string>;
}

export function accountForm(fields: Record<string, unknown> = {}) {
  return {
    full_name: "Sam Rivera",
    email: "sam@example.test",
    phone_country: "US",
    phone: "",
    postalcode: "",
    pronouns: "",
    ...fields,
  } as Record<string, string>;
}

const CASTRO: Address = {
  formatted: "1 Castro St, San Francisco, CA 94114, United States",
  city: "San Francisco",
  state: "CA",
  country: "United States",
  postalcode: "94114",
  lat: 37.76,
  long: -122.44,
  approximate: true,
};

/** The fields of an address that was typed, looked up and picked: the one on the map or the mailing address. */
export function pickedAddress(
  field: "rawaddress" | "mailingaddress",
  address: Partial<Address> = {},
  typed?: string,
) {
  const picked = { ...CASTRO, ...address };
  const text = typed ?? picked.formatted;
  return { [field]: text, [`${field}_pick`]: sealAddress(picked, text) };
}

export function listingForm(fields: Record<string, unknown> = {}) {
  return {
    name: "Café X",
    category: "1",
    description: "A place for everyone.",
    ...pickedAddress("rawaddress"),
    ...pickedAddress("mailingaddress"),
    third_party_auth: "on",
    certified_queer: "on",
    ...fields,
  } as Record<string, string>;
}

export function jobForm(fields: Record<string, unknown> = {}) {
  return {
    title: "Pastry chef",
    category: "85",
    description: "Laminate before sunrise.",
    location: ["Oregon"],
    place_id: "0000",
    company_name: "Fern & Flour",
    company_bio: "A bakery.",
    intent: "save",
    ...fields,
  } as Record<string, string | string[]>;
}

/** An order of newsletter features without dates, which a test adds. */
export function sponsorshipForm(business: { id: number }, fields: Record<string, unknown> = {}) {
  return {
    intent: "save",
    place_id: String(business.id),
    promo_text: "Cardamom buns before sunrise.",
    link: "https://buns.example/menu",
    location: "Portland, OR",
    photo_location: "",
    rate: "45",
    ...fields,
  } as Record<string, string | string[]>;
}
