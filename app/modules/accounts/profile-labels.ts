import { CONSENT_TEXTS } from "./consent-texts";

/** The labels of the profile's fields. */
export const PROFILE_LABELS = {
  full_name: "Full name",
  email: "Email",
  phone: "Phone",
  phone_country: "Country code",
  postalcode: "ZIP / postal code",
  pronouns: "Pronouns",
  opted_in: CONSENT_TEXTS.email,
  sms_opted_in: CONSENT_TEXTS.sms,
} as const;
