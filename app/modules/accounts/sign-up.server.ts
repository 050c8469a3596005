import { positionOfPostalCode } from "~/integrations/addresses/postal-codes.server";
import { signUp } from "~/integrations/supabase/auth.server";
import type { Tokens } from "~/integrations/supabase/auth.server";

import { CONSENT_TEXTS } from "./consent-texts";
import { toStoredPhone } from "./phone.server";
import type { SignupValues } from "./schemas.server";

/**
 * Creates an account. The database makes the profile and the record of consents with it, in one
 * transaction: there is no account without a profile and no profile without an account. With them goes
 * roughly where the postal code is (rounded to a kilometre), for counting a listing's nearby users.
 * @param page where the consents were given
 * @returns tokens when the project signs people in at once; null when an e-mail must be confirmed
 *   first, or the address has an account already (nobody can tell which)
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
