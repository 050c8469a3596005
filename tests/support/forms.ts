/** Forms as somebody fills them in who makes no mistake; a test changes what it is about. */

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

export function listingForm(fields: Record<string, unknown> = {}) {
  return {
    name: "Café X",
    category: "1",
    description: "A place for everyone.",
    rawaddress: "1 Castro St",
    city: "San Francisco",
    state: "CA",
    postalcode: "94114",
    country: "US",
    third_party_auth: "on",
    certified_queer: "on",
    ...fields,
  } as Record<string, string>;
}
