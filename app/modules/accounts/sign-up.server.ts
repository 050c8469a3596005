import { positionOfPostalCode } from "~/integrations/addresses/postal-codes.server";
import { signUp } from "~/integrations/supabase/auth.server";
import type { Tokens } from "~/integrations/supabase/auth.server";

import { CONSENT_TEXTS } from "./consent-texts";
import { toStoredPhone } from "./phone.server";
import type { SignupValues } from "./schemas.server";

/**
 * Creates an account. The database creates the profile and the consents with it in one transaction,
 * so that there is no account without a profile. It also stores the approximate position of the
 * postal code (rounded to a kilometer), for the counts of nearby users.
 * @param page the page where the consents were given
 * @returns tokens when the project signs people in at once; null when the email address must be
 *   confirmed first, and also when it has an account already (the answer does not reveal which)
 * @throws AuthServiceError
 */
export function createAccount(values: SignupValues, page: string): Promise<Tokens | null> {
  const { email, password, phone, phone_country, ...profile } = values;
  const position = profile.postalcode ? positionOfPostalCode(profile.postalcode) : null;
  return signUp(email, password, {
    ...profile,
    ...(position ? { postal_lat: position.lat, postal_long: position.long } : {}),
    phone: toStoredPhone(phone, phone_country),
    consent_text_version: CONSENT_TEXTS.version,
    consent_page: page,
  });
}
