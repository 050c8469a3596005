import { positionOfPostalCode } from "~/integrations/addresses/postal-codes.server";
import { requestEmailChange, type Tokens } from "~/integrations/supabase/auth.server";
import type { Db } from "~/integrations/supabase/clients.server";
import { dataOf } from "~/integrations/supabase/data.server";

import { CONSENT_TEXTS } from "./consent-texts";
import { storedPhone } from "./phone.server";
import type { AccountValues } from "./schema.server";

/** The person as they are before the save. */
interface Person {
  user: { id: string; email: string; optedIn: boolean; smsOptedIn: boolean };
  tokens: Tokens;
}

/**
 * Saves Personal Information, and roughly where its postal code is, so that the person counts among a
 * listing's nearby users. A changed opt-in goes through the record of consents; a changed e-mail
 * address is only asked for, and counts once the links sent to both addresses are opened.
 * @param page where the consents were given
 * @returns whether an e-mail change was asked for
 * @throws DataError, AuthRefusal
 */
export async function saveProfile(db: Db, person: Person, values: AccountValues, page: string): Promise<{ emailAsked: boolean }> {
  const { user, tokens } = person;
  dataOf(
    await db
      .from("profiles")
      .update({
        full_name: values.full_name ?? null,
        phone: storedPhone(values.phone, values.phone_country),
        pronouns: values.pronouns ?? null,
        postalcode: values.postalcode ?? null,
      })
      .eq("id", user.id),
  );
  // A changed postal code has taken its old position along. One whose place is not known counts nowhere.
  const position = values.postalcode ? positionOfPostalCode(values.postalcode) : null;
  if (position) dataOf(await db.rpc("set_my_position", position));
  const choices = [
    { channel: "email", granted: values.opted_in, before: user.optedIn },
    { channel: "sms", granted: values.sms_opted_in, before: user.smsOptedIn },
  ];
  for (const { channel, granted, before } of choices) {
    if (granted === before) continue;
    dataOf(await db.rpc("set_consent", { channel, granted, text_version: CONSENT_TEXTS.version, page }));
  }
  const emailAsked = values.email !== user.email;
  if (emailAsked) await requestEmailChange(tokens, values.email);
  return { emailAsked };
}
