import { positionOfPostalCode } from "~/integrations/addresses/postal-codes.server";
import type { Db } from "~/integrations/supabase/clients.server";
import { unwrap } from "~/integrations/supabase/data.server";

import { CONSENT_TEXTS } from "./consent-texts";
import { toStoredPhone } from "./phone.server";
import type { AccountValues } from "./schemas.server";

/**
 * Saves Personal Information but for the e-mail address, and roughly where its postal code is, so that the
 * person counts among a listing's nearby users; whole or not at all. A changed opt-in goes into the record
 * of consents.
 * @param page where the consents were given
 * @throws DataError
 */
export async function saveProfile(db: Db, values: AccountValues, page: string): Promise<void> {
  const { full_name, phone, phone_country, pronouns, postalcode, opted_in, sms_opted_in } = values;
  const saved = await db.rpc("save_my_profile", {
    full_name,
    phone: toStoredPhone(phone, phone_country) ?? undefined,
    pronouns,
    postalcode,
    ...(postalcode ? positionOfPostalCode(postalcode) : null),
    opted_in,
    sms_opted_in,
    text_version: CONSENT_TEXTS.version,
    page,
  });
  unwrap(saved);
}
