import type { User } from "~/http/session.server";
import { positionOfPostalCode } from "~/integrations/addresses/postal-codes.server";
import type { Db } from "~/integrations/supabase/clients.server";
import { unwrap } from "~/integrations/supabase/data.server";

import { CONSENT_TEXTS } from "./consent-texts";
import { toStoredPhone, type PhoneDefaults } from "./phone.server";
import type { AccountValues } from "./schemas.server";

/** The saved profile as the account page's form has it. */
export const toAccountForm = (user: User, phone: PhoneDefaults) => ({
  full_name: user.fullName,
  email: user.email,
  phone: phone.number,
  phone_country: phone.country,
  postalcode: user.postalCode ?? "",
  pronouns: user.pronouns ?? "",
  opted_in: user.optedIn ? "on" : "",
  sms_opted_in: user.smsOptedIn ? "on" : "",
});

/**
 * Saves the profile, without its email address, in one transaction: with it the approximate
 * position of the postal code, for the counts of nearby users, and a consent for each changed
 * opt-in.
 * @param page the page where the consents were given
 * @throws DataError
 */
export async function saveProfile(db: Db, values: AccountValues, page: string): Promise<void> {
  const { full_name, phone, phone_country, pronouns, postalcode, opted_in, sms_opted_in } = values;
  const saved = await db.rpc("save_my_profile", {
    full_name,
    phone: toStoredPhone(phone, phone_country) ?? undefined,
    pronouns,
    postalcode,
    ...(postalcode ? await positionOfPostalCode(postalcode) : null),
    opted_in,
    sms_opted_in,
    text_version: CONSENT_TEXTS.version,
    page,
  });
  unwrap(saved);
}
